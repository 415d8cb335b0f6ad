"""What rules conclude: facts derived before sizing, advice on a sized configuration, and advice somebody switched off."""

from collections.abc import Collection, Iterable, Mapping

from advisor.catalogue.record import Citation, Record
from advisor.errors import UnknownNameError
from advisor.facts import Fact, FactDeclaration, FactValue, Label, Origin
from advisor.reasoning.rule import Rule, Severity
from advisor.units import number

_WORST_FIRST: dict[str, int] = {"error": 0, "warning": 1, "note": 2}


class MatchedFact(Record):
    """A fact that made a rule fire: its value in the base unit (none where the rule asks for its absence), and as shown."""

    name: str
    value: FactValue | None
    unit: str = ""
    shown: str


class Advice(Record):
    """What a rule says of a configuration.

    cause: shared by rules that see one thing from several sides. where: the node, line, tier or workload it was found on; none
    is the whole.
    """

    rule: str
    code: str | None = None
    cause: str | None = None
    severity: Severity
    title: str
    text: str
    because: str
    sources: tuple[Citation, ...]
    facts: tuple[MatchedFact, ...]
    where: str | None = None


class Silenced(Record):
    """Advice that fired and is not shown, with the reason that whoever switched its rule off gave."""

    advice: Advice
    reason: str


class DerivedFact(Record):
    """A fact that a design rule set, and what made the rule fire."""

    name: str
    value: FactValue
    unit: str = ""
    rule: str
    because: str
    sources: tuple[Citation, ...]
    facts: tuple[MatchedFact, ...]

    def fact(self) -> Fact:
        """The same as a fact for the plan."""
        origin = Origin(
            label=Label.derived, because=f"{self.rule}: {self.because}", sources=tuple(str(each) for each in self.sources)
        )
        return Fact(name=self.name, value=self.value, unit=self.unit, origin=origin)


def matched(
    names: Iterable[str], values: Mapping[str, FactValue], declarations: Mapping[str, FactDeclaration]
) -> tuple[MatchedFact, ...]:
    """The named facts with their values, as the plan shows them beside advice."""
    return tuple(
        MatchedFact(
            name=name,
            value=values.get(name),
            unit=declarations[name].unit if name in declarations else "",
            shown=shown(name, values[name], declarations) if name in values else "unknown",
        )
        for name in names
    )


def advice_of(rule: Rule, facts: tuple[MatchedFact, ...], where: str | None) -> Advice:
    """The advice of a rule that fired on these facts, with their values put into its text."""
    text = (rule.advice or "").format_map({fact.name: fact.shown for fact in facts})
    return Advice(
        rule=rule.id,
        code=rule.code,
        cause=rule.cause,
        severity=rule.severity,
        title=rule.title,
        text=text,
        because=rule.because,
        sources=rule.sources,
        facts=facts,
        where=where,
    )


def shown(name: str, value: FactValue, declarations: Mapping[str, FactDeclaration]) -> str:
    """A fact's value as people read it; undeclared numbers are shown plainly."""
    if name in declarations:
        return declarations[name].show(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value)


def worst_first(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    """Errors, then warnings, then notes; within each by rule and place, so that the same plan always reads the same."""
    return tuple(sorted(advice, key=lambda each: (_WORST_FIRST[each.severity], each.rule, each.where or "")))


def one_a_cause(advice: Iterable[Advice]) -> tuple[tuple[Advice, tuple[Advice, ...]], ...]:
    """Advice with what other rules say of the same cause and place behind it: of each cause the first, which is the worst.

    advice: worst first.
    """
    led: dict[tuple[str, str | None], list[Advice]] = {}
    for each in advice:
        led.setdefault((each.cause or each.rule, each.where), []).append(each)
    return tuple((first, tuple(others)) for first, *others in led.values())


def silence(
    advice: Iterable[Advice], off: Mapping[str, str], known: Collection[str]
) -> tuple[tuple[Advice, ...], tuple[Silenced, ...]]:
    """Advice that is shown, and advice of rules switched off, kept with the reason.

    off: reason by rule id. known: ids of all rules; UnknownNameError for one that is none of them, since a misspelt id would
    silence nothing and nobody would notice.
    """
    for id in off:
        if id not in known:
            from advisor.catalogue.names import nearest

            raise UnknownNameError(f'no rule has the id "{id}"', nearest=nearest(id, known))
    kept: list[Advice] = []
    silenced: list[Silenced] = []
    for each in advice:
        if each.rule in off:
            silenced.append(Silenced(advice=each, reason=off[each.rule]))
        else:
            kept.append(each)
    return tuple(kept), tuple(silenced)
