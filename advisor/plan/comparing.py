"""Two plans side by side: what differs in each workload, how sure the difference is, and what brought it about."""

from collections.abc import Iterator
from datetime import date

from advisor.catalogue.names import normal
from advisor.facts import Label
from advisor.plan.causes import Cause, causes
from advisor.plan.plan import AdviceReport, Configuration, LimitReport, MadeWith, NearMiss, Plan, WorkloadPlan
from advisor.plan.quantity import Quantity
from advisor.plan.record import PlanRecord

# What a reader weighs first; those that a plan does not estimate are left out.
MEASURES = (
    "accelerators",
    "replicas",
    "rent",
    "memory_margin",
    "time_to_first_token",
    "time_per_output_token",
    "request_latency",
    "output_token_rate",
)
# Values this close are the same: a saved plan's numbers were written and read again.
_SAME = 1e-9


class Range(PlanRecord):
    """The values that two 80 % intervals have in common, in the quantity's base unit."""

    low: float
    high: float


class ComparedQuantity(PlanRecord):
    """One quantity of both plans, each in base unit and absent where a plan has none.

    difference: b over a less one; absent where either is missing or a is zero. overlap: what the two 80 % intervals have in
    common; the difference is then not certain. Errors that both estimates share move both the same way, so overlapping is read
    with caution: two configurations of one kind may differ for sure all the same.
    """

    name: str
    a: Quantity | None = None
    b: Quantity | None = None
    same: bool = False
    difference: float | None = None
    overlap: Range | None = None


class LimitDifference(PlanRecord):
    """A limit that refused candidates of one plan only, or decides in one only, or says something else."""

    name: str
    a: LimitReport | None = None
    b: LimitReport | None = None


class OneSide(PlanRecord):
    """A workload as one plan has it: what is recommended, and the smaller ones that would not do."""

    name: str
    kind: str
    environment: str
    model: str
    recommended: Configuration | None = None
    near_misses: tuple[NearMiss, ...] = ()
    binding: LimitReport | None = None


class ComparedWorkload(PlanRecord):
    """A workload of both plans. matched_by: "name", or "position" where the names differ.

    quantities: the measures, differing or not. causes: what differs below them. advice_only_a, advice_only_b: rules that fired
    in one plan alone.
    """

    matched_by: str
    a: OneSide
    b: OneSide
    quantities: tuple[ComparedQuantity, ...]
    causes: tuple[Cause, ...] = ()
    limits: tuple[LimitDifference, ...] = ()
    advice_only_a: tuple[AdviceReport, ...] = ()
    advice_only_b: tuple[AdviceReport, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether anything in it does."""
        return (
            any(not each.same for each in self.quantities)
            or bool(self.causes or self.limits or self.advice_only_a or self.advice_only_b)
            or self.a != self.b
        )


class ComparedPlan(PlanRecord):
    """Which plan it is, and what it was made with."""

    name: str
    today: date
    made_with: MadeWith
    overridden: tuple[str, ...] = ()


class Comparison(PlanRecord):
    """Two plans side by side. only_in_a, only_in_b: workloads that the other plan does not have."""

    a: ComparedPlan
    b: ComparedPlan
    workloads: tuple[ComparedWorkload, ...]
    only_in_a: tuple[OneSide, ...] = ()
    only_in_b: tuple[OneSide, ...] = ()


def compare(plan_a: Plan, plan_b: Plan) -> Comparison:
    """Set two plans side by side: workloads of the same name, then those left at the same position.

    Nothing is calculated anew: every figure and every cause is read from the two plans, so kept plans compare as well.
    """
    pairs = list(_matched(plan_a, plan_b))
    in_a, in_b = {a for a, _, _ in pairs}, {b for _, b, _ in pairs}
    return Comparison(
        a=_plan(plan_a),
        b=_plan(plan_b),
        workloads=tuple(_workload(plan_a, plan_b, a, b, how) for a, b, how in pairs),
        only_in_a=tuple(_side(each) for index, each in enumerate(plan_a.workloads) if index not in in_a),
        only_in_b=tuple(_side(each) for index, each in enumerate(plan_b.workloads) if index not in in_b),
    )


def quantity_of(workload: WorkloadPlan, measure: str) -> Quantity | None:
    """A measure of the recommended configuration; rent in USD per second, counts as plain numbers."""
    chosen = workload.recommended
    if chosen is None:
        return None
    if measure == "rent":
        return Quantity(value=chosen.rent.total, unit="USD/second", label=Label.catalogue) if chosen.rent else None
    if measure in ("accelerators", "replicas"):
        return Quantity(value=getattr(chosen, measure), unit="1", label=Label.estimated)
    return chosen.estimates.get(measure)


def _matched(plan_a: Plan, plan_b: Plan) -> Iterator[tuple[int, int, str]]:
    """Positions of workloads that belong together, in the order of the first plan."""
    names_b = [normal(each.name) for each in plan_b.workloads]
    by_name: dict[int, int] = {}
    for index, workload in enumerate(plan_a.workloads):
        same = (at for at, name in enumerate(names_b) if name == normal(workload.name) and at not in by_name.values())
        if (found := next(same, None)) is not None:
            by_name[index] = found
    for index in range(len(plan_a.workloads)):
        if index in by_name:
            yield index, by_name[index], "name"
        elif index < len(names_b) and index not in by_name.values():
            yield index, index, "position"


def _plan(plan: Plan) -> ComparedPlan:
    return ComparedPlan(name=plan.name, today=plan.today, made_with=plan.made_with, overridden=plan.overridden)


def _side(workload: WorkloadPlan) -> OneSide:
    return OneSide(
        name=workload.name,
        kind=workload.kind,
        environment=workload.environment,
        model=workload.model.name,
        recommended=workload.recommended,
        near_misses=workload.near_misses,
        binding=next((limit for limit in workload.limits if limit.binding), None),
    )


def _workload(plan_a: Plan, plan_b: Plan, index_a: int, index_b: int, how: str) -> ComparedWorkload:
    a, b = plan_a.workloads[index_a], plan_b.workloads[index_b]
    quantities = tuple(_quantities(a, b))
    changed = tuple(each.name for each in quantities if not each.same)
    advice_a, advice_b = _advice(plan_a, a), _advice(plan_b, b)
    return ComparedWorkload(
        matched_by=how,
        a=_side(a),
        b=_side(b),
        quantities=quantities,
        causes=causes(a, b, changed),
        limits=tuple(_limits(a, b)),
        advice_only_a=tuple(each for rule, each in advice_a.items() if rule not in advice_b),
        advice_only_b=tuple(each for rule, each in advice_b.items() if rule not in advice_a),
    )


def _quantities(a: WorkloadPlan, b: WorkloadPlan) -> Iterator[ComparedQuantity]:
    for name in MEASURES:
        mine, theirs = quantity_of(a, name), quantity_of(b, name)
        if mine is None and theirs is None:
            continue
        if mine is None or theirs is None:
            yield ComparedQuantity(name=name, a=mine, b=theirs)
            continue
        same = abs(mine.value - theirs.value) <= _SAME * max(abs(mine.value), abs(theirs.value))
        difference = 0.0 if same else theirs.value / mine.value - 1 if mine.value else None
        overlap = None if same else _common(mine, theirs)
        yield ComparedQuantity(name=name, a=mine, b=theirs, same=same, difference=difference, overlap=overlap)


def _common(a: Quantity, b: Quantity) -> Range | None:
    """What two intervals have in common; an exact quantity is an interval of one value."""
    lows = [each.value if each.low is None else each.low for each in (a, b)]
    highs = [each.value if each.high is None else each.high for each in (a, b)]
    low, high = max(lows), min(highs)
    return Range(low=low, high=high) if low <= high else None


def _limits(a: WorkloadPlan, b: WorkloadPlan) -> Iterator[LimitDifference]:
    in_a, in_b = ({limit.name: limit for limit in workload.limits} for workload in (a, b))
    for name in dict.fromkeys((*in_a, *in_b)):
        mine, theirs = in_a.get(name), in_b.get(name)
        if mine is None or theirs is None or (mine.binding, mine.says) != (theirs.binding, theirs.says):
            yield LimitDifference(name=name, a=mine, b=theirs)


def _advice(plan: Plan, workload: WorkloadPlan) -> dict[str, AdviceReport]:
    """Advice on a workload by rule; advice that names none concerns each."""
    return {each.rule: each for each in plan.advice if each.workload in (None, workload.name)}
