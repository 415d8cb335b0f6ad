"""Putting a quote together from what was read of its lines, totals and words, whatever form it came in."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from advisor.errors import DocumentError
from advisor.quote.numbers import Mark
from advisor.quote.quote import Form, Quote, QuoteLine, Statement, Sureness, Total, Unread, Wanted
from advisor.quote.statements import bits_in, feeds_in, phrases_in, wanted_in
from advisor.quote.words import QuoteWords

MOST_LINES = 2_000
_CURRENCIES = (
    ("USD", re.compile(r"\bUSD\b|US\$|(?<![A-Z])\$", re.IGNORECASE)),
    ("EUR", re.compile(r"\bEUR\b|€|\beuros?\b", re.IGNORECASE)),
    ("GBP", re.compile(r"\bGBP\b|£", re.IGNORECASE)),
    ("CHF", re.compile(r"\bCHF\b", re.IGNORECASE)),
    ("INR", re.compile(r"\bINR\b|₹", re.IGNORECASE)),
    ("CNY", re.compile(r"\bCNY\b|\bRMB\b|¥", re.IGNORECASE)),
)


@dataclass
class Draft:
    """A quote in the making."""

    form: Form
    where: str
    words: Sequence[QuoteWords]
    decimal: Mark = "."
    title: str = ""
    kind: str = ""
    date: str = ""
    delimiter: str | None = None
    heading_line: int | None = None
    currency: str | None = None
    lines: list[QuoteLine] = field(default_factory=list)
    totals: list[Total] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    workload: list[str] = field(default_factory=list)
    work: str | None = None
    wanted: list[Wanted] = field(default_factory=list)
    precision: str | None = None
    not_understood: list[Unread] = field(default_factory=list)

    def say(self, text: str, where: str, *, of_workload: bool = False, feeds: bool = True) -> bool:
        """Take what a piece of running text states; whether anything was understood of it."""
        found = list(phrases_in(text, where, self.decimal, self.words))
        if feeds:
            found.extend(feeds_in(text, where))
        for each in found:
            if not any(known.name == each.name and known.where == each.where for known in self.statements):
                self.statements.append(each)
        wanted = wanted_in(text) if of_workload else ()
        self.wanted.extend(wanted)
        if of_workload:
            self.workload.append(text)
        return bool(found or wanted)

    def add(self, line: QuoteLine) -> None:
        """Add a line. Raises DocumentError beyond what any quote has."""
        if len(self.lines) >= MOST_LINES:
            raise DocumentError(
                f"it has more than {MOST_LINES:,} lines of a quote", where=self.where, hint="split it into several quotes"
            )
        self.lines.append(line)

    def state(self, name: str, value: float | str | bool, unit: str, text: str, where: str) -> None:
        """Add a statement that the quote gives as a key of its own."""
        self.statements.append(Statement(name=name, value=value, unit=unit, text=text, where=where))

    def unread(self, text: str, where: str, why: str) -> None:
        """List a piece that was not understood."""
        if text.strip():
            self.not_understood.append(Unread(text=text.strip()[:300], where=where, why=why))

    def quote(self) -> Quote:
        """The quote; its kind of work is told by its words where no key gave it."""
        text = " ".join(self.workload)
        return Quote(
            title=self.title,
            form=self.form,
            kind=self.kind,
            date=self.date,
            languages=tuple(words.name for words in self.words),
            decimal=self.decimal,
            delimiter=self.delimiter,
            heading_line=self.heading_line,
            currency=self.currency,
            lines=tuple(self.lines),
            totals=tuple(self.totals),
            statements=tuple(self.statements),
            workload=text,
            work=self.work or self.work_in(text),
            wanted=tuple(self.wanted),
            precision=self.precision,
            not_understood=tuple(self.not_understood),
        )

    def work_in(self, text: str) -> str | None:
        """The kind of work that words tell: one of several is mixed."""
        found = {
            work for words in self.words for work, pattern in words.compiled["works"].items() if text and pattern.search(text)
        }
        if not found:
            return None
        return found.pop() if len(found) == 1 else "finetune" if found == {"training", "finetune"} else "mixed"


def currency_in(texts: Iterable[str]) -> str | None:
    """The first currency that any of the texts names."""
    for text in texts:
        for code, pattern in _CURRENCIES:
            if pattern.search(text):
                return code
    return None


def stated_bits(precision: str | None) -> float | None:
    """Bits per weight of a number format's name."""
    return bits_in(precision) if precision else None


def guessed(lines: Iterable[QuoteLine]) -> tuple[QuoteLine, ...]:
    """The lines whose reading the person should look at."""
    return tuple(
        line
        for line in lines
        if line.doubts or line.sure != Sureness.sure or any(part.sure == Sureness.guessed for part in line.parts)
    )
