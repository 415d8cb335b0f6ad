"""check_quote: the one door from a quote to findings and a verdict."""

import re
from datetime import date
from typing import Literal

from advisor.catalogue.record import Record
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.models import Access
from advisor.plan.quote_facts import known_of, quote_facts
from advisor.plan.quote_workload import planned, with_workload
from advisor.quote.facts import QUOTE_FACTS
from advisor.quote.quote import Quote
from advisor.quote.tally import tally
from advisor.reasoning.advice import Advice, MatchedFact
from advisor.reasoning.engine import RuleEngine
from advisor.reasoning.rule import Rule, Severity
from advisor.workload.document import Document

Verdict = Literal["ok", "caution", "do-not-buy"]
_VERDICTS: dict[Severity, Verdict] = {"error": "do-not-buy", "warning": "caution", "note": "ok"}
# A sentence ends before a capital, so that 3.5 kW and "rtx 4090." do not end one.
_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_ENGINES: dict[str, RuleEngine] = {}
_WHOLE = "the whole quote"


class Finding(Record):
    """What a rule says of a quote.

    code: the finding; several rules may report it, the worst stands first. where: the place in the quote it concerns, such as
    "line 7"; the whole quote where it concerns no single place. message: what is wrong. advice: the same with the quote's numbers
    and what to do. numbers: what made the rule fire.
    """

    code: str
    rule: str
    severity: Severity
    where: str
    message: str
    advice: str
    because: str
    numbers: tuple[MatchedFact, ...]
    sources: tuple[str, ...]


class Review(Record):
    """A quote as read, what is to be said of it, worst first, and what to ask the vendor. The verdict follows from the worst
    severity: an error says not to buy, a warning calls for caution."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    questions: tuple[str, ...]
    reading: Quote

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes found, worst first, each once."""
        return tuple(dict.fromkeys(each.code for each in self.findings))


def check_quote(
    quote: Quote, library: Library, *, workload: Document | None = None, today: date | None = None, access: Access | None = None
) -> Review:
    """The findings on a quote: the same quote, workload, day and rules always give the same review.

    workload: what shall run on it; its kind, models and formats then count instead of the quote's own words. access: where its
    models may be read from beside the catalogue. Raises InputError, naming the field, for a workload that cannot be planned.
    """
    day = today or date.today()
    allowed = access or Access()
    if workload is not None:
        quote = with_workload(quote, workload, library, allowed)
    facts = quote_facts(quote, library, today=day)
    if workload is not None:
        facts.update(planned(tally(quote, known_of(library)), workload, library, today=day, access=allowed))
    engine = _engine_for(library)
    known: dict[str, FactValue] = {name: value for name, value in facts.items() if name in engine.facts}
    findings = tuple(_finding(each, quote) for each in engine.advise(known, subject="quote"))
    worst = findings[0].severity if findings else "note"
    return Review(verdict=_VERDICTS[worst], findings=findings, questions=_questions(findings), reading=quote)


def _engine_for(library: Library) -> RuleEngine:
    """The engine with a library's rules on quotes; its own, so that a plan does not compile them."""
    if library.content not in _ENGINES:
        rules = [rule for rule in library.all(Rule) if rule.subject == "quote"]
        _ENGINES[library.content] = RuleEngine(rules, QUOTE_FACTS)
    return _ENGINES[library.content]


def _questions(findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What findings tell to ask, each once, the worst finding's first."""
    asked = ((each.message, sentence) for each in findings for sentence in _SENTENCE.split(each.advice))
    return tuple(dict.fromkeys(f"{title}: {sentence}" for title, sentence in asked if sentence.startswith(("Ask ", "Have "))))


def _finding(advice: Advice, quote: Quote) -> Finding:
    return Finding(
        code=advice.code or advice.rule,
        rule=advice.rule,
        severity=advice.severity,
        where=advice.where or _where(advice, quote),
        message=advice.title,
        advice=advice.text,
        because=advice.because,
        numbers=advice.facts,
        sources=tuple(str(source) for source in advice.sources),
    )


def _where(advice: Advice, quote: Quote) -> str:
    """The lines whose parts the advice names, where it names some and not all of them."""
    named = [
        line.where
        for line in quote.lines
        if any(part.text and part.text.casefold() in advice.text.casefold() for part in line.parts)
    ]
    places = tuple(dict.fromkeys(named))
    return ", ".join(places) if 0 < len(places) < len(quote.lines) else _WHOLE
