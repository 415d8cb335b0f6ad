"""Sums over the workloads of a plan and the models beside them; what may share servers is the estate's question."""

from collections.abc import Iterable, Iterator

from advisor.facts import Label
from advisor.plan.environment_records import TogetherReport
from advisor.plan.plan import WorkloadPlan
from advisor.plan.quantity import Quantity

_POWER = ("it_power", "facility_power", "energy_per_year", "carbon_per_year")
_COST = ("hardware_cost", "rented_cost_per_year", "owned_cost_per_year", "cost_per_year", "cost_over_term")
_TRAINING = ("pretraining", "fine-tuning")


def together(workloads: Iterable[WorkloadPlan]) -> TogetherReport | None:
    """Sums of all that are planned; none where there is but one model."""
    parts = list(_parts(workloads))
    planned = [each for each in parts if each.around is not None]
    if len(parts) < 2 or not planned:
        return None
    figures: dict[str, Quantity] = {}

    def put(name: str, value: float, unit: str) -> None:
        figures[name] = Quantity(value=value, unit=unit, label=Label.estimated)

    put("accelerators", float(sum(each.around.accelerators for each in planned if each.around)), "1")
    put("nodes", float(sum(each.around.nodes for each in planned if each.around)), "1")
    for name in (*_POWER, *_COST):
        found = [figure for each in planned if (figure := _figure(each, name)) is not None]
        if found and (name != "rented_cost_per_year" or len(found) == len(planned)):
            put(name, sum(each.value for each in found), found[0].unit)
    total = sum(cost.value for each in planned if (cost := _figure(each, "cost_per_year")) is not None)
    serving = sum(
        cost.value for each in planned if each.kind not in _TRAINING and (cost := _figure(each, "cost_per_year")) is not None
    )
    if total > 0:
        put("inference_share", serving / total, "1")
    unpriced = tuple(each.name for each in parts if _figure(each, "cost_per_year") is None)
    notes = ("Simple sums: every workload stands on servers of its own, and servers that are partly idle count whole.",)
    return TogetherReport(figures=figures, unpriced=unpriced, notes=notes)


def _parts(workloads: Iterable[WorkloadPlan]) -> Iterator[WorkloadPlan]:
    for each in workloads:
        yield each
        yield from each.components


def _figure(plan: WorkloadPlan, name: str) -> Quantity | None:
    if plan.around is None:
        return None
    return plan.around.power.figures.get(name) or plan.around.cost.figures.get(name)
