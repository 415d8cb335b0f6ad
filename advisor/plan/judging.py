"""What the rules say of a plan: each workload judged on its own facts, worst first, one piece of advice for one cause."""

from collections.abc import Mapping, Sequence
from datetime import date

from advisor.errors import UnknownNameError
from advisor.facts import FactValue
from advisor.library import Library
from advisor.plan.one_workload import PlannedWorkload
from advisor.plan.plan import AdviceReport, SwitchedOff
from advisor.plan.rule_facts import rule_facts
from advisor.plan.rules import engine_for
from advisor.plan.site_facts import site_facts, sized_facts
from advisor.reasoning.advice import Advice, Silenced, one_a_cause, silence
from advisor.reasoning.rule import Rule
from advisor.workload.document import Document

_WORST_FIRST = {"error": 0, "warning": 1, "note": 2}


def judged(
    library: Library, document: Document, today: date, planned: Sequence[PlannedWorkload]
) -> tuple[tuple[AdviceReport, ...], tuple[SwitchedOff, ...]]:
    """Advice on every workload, and what was switched off in the document.

    Raises UnknownNameError where a rule is switched off that there is not.
    """
    engine = engine_for(library)
    off = dict(document.rules.off) if document.rules else {}
    rules = {rule.id for rule in library.all(Rule)} if off else set()
    found: list[tuple[int, AdviceReport]] = []
    switched: list[SwitchedOff] = []
    for number, each in enumerate(planned):
        around = site_facts(document, document.workloads[number], today)
        if each.plan.recommended is not None:
            around |= sized_facts(each.plan)
        known = _known(engine.facts, {**around, **rule_facts(library, document, number, each.plan)}, each)
        derived = engine.derive(known)
        advice = engine.advise({**known, **{name: fact.value for name, fact in derived.items()}})
        shown, silenced = _without(advice, off, rules)
        found.extend((number, _report(first, others, each.plan.name)) for first, others in one_a_cause(shown))
        switched.extend(_switched_off(one, each.plan.name) for one in silenced)
    found = _said_once(found, len(planned))
    found.sort(key=lambda pair: (_WORST_FIRST[pair[1].severity], pair[0], pair[1].rule))
    return tuple(report for _, report in found), tuple(switched)


def _said_once(found: list[tuple[int, AdviceReport]], workloads: int) -> list[tuple[int, AdviceReport]]:
    """What is said of every workload in the same words is said once, of the document as a whole."""
    if workloads < 2:
        return found
    alike: dict[tuple[str, str], list[tuple[int, AdviceReport]]] = {}
    for number, report in found:
        alike.setdefault((report.rule, report.advice), []).append((number, report))
    once: list[tuple[int, AdviceReport]] = []
    for group in alike.values():
        if len(group) < workloads:
            once.extend(group)
            continue
        number, first = group[0]
        also = dict.fromkeys(rule for _, report in group for rule in report.also)
        once.append((number, first.model_copy(update={"workload": None, "also": tuple(also)})))
    return once


def _known(read: frozenset[str], of_plan: Mapping[str, FactValue], planned: PlannedWorkload) -> dict[str, FactValue]:
    """The facts that some rule reads; what the sheet and the recommended row say goes before what the plan makes of it."""
    facts = {**of_plan, **planned.sheet.values(), **planned.row_facts}
    return {name: value for name, value in facts.items() if name in read}


def _without(
    advice: Sequence[Advice], off: Mapping[str, str], rules: set[str]
) -> tuple[tuple[Advice, ...], tuple[Silenced, ...]]:
    if not off:
        return tuple(advice), ()
    try:
        return silence(advice, off, rules)
    except UnknownNameError as error:
        raise UnknownNameError(error.message, where="rules.off", nearest=error.nearest) from None


def _report(advice: Advice, others: Sequence[Advice], workload: str) -> AdviceReport:
    return AdviceReport(
        rule=advice.rule,
        severity=str(advice.severity),
        title=advice.title,
        advice=advice.text,
        because=advice.because,
        sources=tuple(str(source) for source in advice.sources),
        workload=workload,
        also=tuple(other.rule for other in others),
    )


def _switched_off(silenced: Silenced, workload: str) -> SwitchedOff:
    return SwitchedOff(rule=silenced.advice.rule, title=silenced.advice.title, reason=silenced.reason, workload=workload)
