"""Two plans side by side as sections: the figures first, then what made the difference, limits and advice."""

from collections.abc import Iterator

from advisor.plan.causes import Cause, CauseKind, Known
from advisor.plan.comparing import ComparedPlan, ComparedQuantity, ComparedWorkload, Comparison, LimitDifference, OneSide
from advisor.plan.plan import AdviceReport, Configuration, LimitReport
from advisor.plan.quantity import Quantity
from advisor.report.sections import SEVERITY_MARK, Section, Table, headline
from advisor.report.words import called, rent_text, written
from advisor.units import number, show

# Values of the catalogue and the layout that a screen holds; answers and assumptions are always all shown.
_SHOWN = 8
_KINDS_IN_FULL = (CauseKind.answer, CauseKind.assumption, CauseKind.derived)
_MONTHLY = ("rent",)
_SHARES = ("memory_margin",)
# Measures in few letters: a screen of 80 columns holds five columns, and the last one may name several.
_SHORT = {
    "rent": "rent a month",
    "memory_margin": "memory left",
    "time_to_first_token": "TTFT",
    "time_per_output_token": "TPOT",
    "request_latency": "latency",
    "output_token_rate": "output rate",
}
_CHOSEN = frozenset(Configuration.model_fields)


def comparison_sections(comparison: Comparison, *, facts: bool = False) -> Iterator[Section]:
    """Each pair of workloads, then those of one plan alone, then what the plans were made with. facts: all values that differ."""
    for workload in comparison.workloads:
        yield _decision(workload)
        if not workload.differs:
            continue
        if workload.quantities:
            yield _figures(workload)
        if workload.causes:
            yield _causes(workload, facts=facts)
        if workload.limits:
            yield Section("Limits that differ", (_limits(workload.limits),), level=3)
        if lines := (*_advice("A", workload.advice_only_a), *_advice("B", workload.advice_only_b)):
            yield Section("Advice in one only", lines, level=3)
    for letter, sides in (("A", comparison.only_in_a), ("B", comparison.only_in_b)):
        if sides:
            yield Section(f"Only in {letter}", tuple(f"{_title(side)}: {_choice(side)}" for side in sides))
    if rows := tuple(_made_with(comparison)):
        yield Section("Made with", (Table(("", "A", "B"), rows),))


def compared_with(comparison: Comparison) -> tuple[str, tuple[str, ...]]:
    """The title of a comparison, and its closing lines."""
    a, b = comparison.a, comparison.b
    made = f"made with advisor {b.made_with.code}, knowledge {b.made_with.knowledge}, rules {b.made_with.rules}"
    closing = (f"prices as of {b.today} · {made}",) if not any(_made_with(comparison)) else ()
    return f"A  {a.name}  ·  B  {b.name}", closing


def _decision(workload: ComparedWorkload) -> Section:
    a, b = workload.a, workload.b
    names = a.name if a.name == b.name else f"{a.name} | {b.name}"
    kinds = dict.fromkeys(_kind(side) for side in (a, b))
    heading = [names, " | ".join(kinds), *([a.model] if a.model == b.model else [])]
    lines = [
        f"{letter}  {_choice(side)}" + (f" · {side.model}" if a.model != b.model else "") for letter, side in (("A", a), ("B", b))
    ]
    if workload.matched_by == "position":
        lines.insert(0, f"Called {a.name} in A and {b.name} in B: matched by their position.")
    if not workload.differs:
        lines = [_choice(a), "Nothing differs."]
    else:
        for letter, side in (("A", a), ("B", b)):
            if a.near_misses != b.near_misses:
                lines += [f"{letter}  would not do: {each.configuration}: {each.says}" for each in side.near_misses[:1]]
    return Section(" · ".join(heading), tuple(lines))


def _title(side: OneSide) -> str:
    return f"{side.name} · {_kind(side)} · {side.model}"


def _kind(side: OneSide) -> str:
    return f"{side.kind.replace('-', ' ')}, {side.environment}"


def _choice(side: OneSide) -> str:
    if side.recommended is not None:
        return headline(side.recommended)
    return "nothing keeps every limit" + (f": {side.binding.says}" if side.binding else "")


def _figures(workload: ComparedWorkload) -> Section:
    rows = tuple(
        (_SHORT.get(each.name, called(each.name)), _cell(each, each.a), _cell(each, each.b), *_difference(each))
        for each in workload.quantities
    )
    parts: list[str | Table] = [Table(("", "A", "B", "change", "80 % ranges"), rows)]
    if any(each.overlap is not None for each in workload.quantities):
        parts.append("Where the 80 % ranges overlap, the difference is not certain.")
    for letter, side in (("A", workload.a), ("B", workload.b)):
        if (
            side.recommended is not None
            and side.recommended.rent is not None
            and workload.a.recommended != workload.b.recommended
        ):
            parts.append(f"{letter}  {rent_text(side.recommended.rent)}")
    return Section("Figures", tuple(parts), level=3)


def _cell(compared: ComparedQuantity, quantity: Quantity | None) -> str:
    if quantity is None:
        return "–"
    if compared.name in _MONTHLY:
        return show(quantity.value, "USD/month", digits=4).removesuffix("/month")
    return written(compared.name, quantity.value, quantity.unit)


def _difference(compared: ComparedQuantity) -> tuple[str, str]:
    """The difference in percent (of a share in points), and what the intervals say of it."""
    if compared.a is None or compared.b is None:
        return ("only one" if compared.a or compared.b else "–"), ""
    if compared.same:
        return "same", ""
    if compared.name in _SHARES:
        points = 100 * (compared.b.value - compared.a.value)
        by = f"{_sign(points)}{number(abs(points))} pts"
    else:
        by = f"{_sign(compared.difference)}{number(100 * abs(compared.difference))} %" if compared.difference is not None else "–"
    if compared.a.low is None and compared.b.low is None:
        return by, "exact"
    if compared.overlap is None:
        return by, "apart"
    low, high = (written(compared.name, each, compared.a.unit) for each in (compared.overlap.low, compared.overlap.high))
    same_unit = low.rpartition(" ")[2] == high.rpartition(" ")[2]
    return by, f"overlap {low.rpartition(' ')[0] if same_unit else low} – {high}"


def _sign(value: float) -> str:
    return "−" if value < 0 else "+"


def _causes(workload: ComparedWorkload, *, facts: bool) -> Section:
    """Answers, assumptions, what follows from them and the choice; of the catalogue what no other entry brings."""
    rest = [each for each in workload.causes if each.kind not in _KINDS_IN_FULL]
    plain = [each for each in rest if each.name in _CHOSEN or (each.kind is CauseKind.catalogue and not each.by_another_entry)]
    shown = [*(each for each in workload.causes if each.kind in _KINDS_IN_FULL), *(rest if facts else plain[:_SHOWN])]
    changed = tuple(each.name for each in workload.quantities if not each.same)
    rows = tuple(
        (
            each.kind.value,
            called(each.name),
            _known(each, each.a, each.b),
            _known(each, each.b, each.a),
            "every change" if len(changed) > 1 and each.moves == changed else _moves(each),
        )
        for each in shown
    )
    parts: list[str | Table] = [Table(("kind", "", "A", "B", "moves"), rows)] if rows else []
    if hidden := len(workload.causes) - len(shown):
        values = "value that follows" if hidden == 1 else "values that follow"
        parts.append(f"… {hidden} {values} from these in the catalogue or the layout: add --facts")
    return Section("What made the difference", tuple(parts), level=3)


def _known(cause: Cause, known: Known | None, other: Known | None) -> str:
    """A value, with how it is known where the other plan knows it otherwise."""
    if known is None:
        return "–"
    text = written(cause.name, known.value, cause.unit)
    return f"{text} ({known.label.value})" if other is not None and other.label is not known.label else text


def _moves(cause: Cause) -> str:
    return ", ".join(_SHORT.get(each, each) for each in cause.moves) or "through others"


def _limits(differences: tuple[LimitDifference, ...]) -> Table:
    rows = tuple((each.name, _limit(each.a), _limit(each.b)) for each in differences)
    return Table(("limit", "A", "B"), rows)


def _limit(limit: LimitReport | None) -> str:
    if limit is None:
        return "–"
    decides = "decides, " if limit.binding else ""
    short = f", nearest {limit.nearest}" if limit.nearest else ""
    missed = f", short by {written(limit.name, limit.short_by, limit.unit or '1')}" if limit.nearest and limit.short_by else ""
    return f"{decides}refuses {limit.refused:,}{short}{missed}"


def _advice(letter: str, advice: tuple[AdviceReport, ...]) -> Iterator[str]:
    for each in advice:
        yield f"{letter}  {SEVERITY_MARK[each.severity]} {each.rule}  {each.title}. {each.advice}"


def _made_with(comparison: Comparison) -> Iterator[tuple[str, str, str]]:
    def told(plan: ComparedPlan) -> dict[str, str]:
        made = plan.made_with
        return {
            "prices as of": str(plan.today),
            "advisor": made.code,
            "knowledge": made.knowledge,
            "rules": made.rules,
            "own entries": ", ".join(plan.overridden) or "none",
        }

    a, b = told(comparison.a), told(comparison.b)
    return ((name, a[name], b[name]) for name in a if a[name] != b[name])
