"""A served workload while it runs: room at the peak, spares for its availability, and how it grows and shrinks with its load."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.facts import Fact, Label, Origin
from advisor.library import Library
from advisor.plan.configuration import Row
from advisor.plan.plan import Configuration, Step, TrafficFigures
from advisor.plan.quantity import Quantity
from advisor.plan.running_records import RunningReport
from advisor.plan.sheet import FactSheet
from advisor.plan.tracing import walked
from advisor.sizing.efficiencies import applied_level, efficiency_columns
from advisor.sizing.formula import at, formulas
from advisor.sizing.serving.targets import Target
from advisor.sizing.trace import Trace
from advisor.workload.document import Document, Workload

_CONSTANTS = (
    "mean_time_between_failures",
    "mean_time_to_repair",
    "common_availability",
    "node_provision_time",
    "image_bytes",
    "image_pull_rate",
    "load_bandwidth",
    "warm_up_time",
    "ramp_time",
    "target_utilisation",
)
SERVED = ("realtime-inference", "rag", "agent")
_AVAILABILITY = ("replica_availability", "redundant_availability", "service_availability", "downtime_per_year")
_SCALING = (
    "replica_request_rate",
    "peak_utilisation",
    "replicas_for_rate",
    "cold_start_time",
    "request_rate_growth",
    "warm_replicas",
    "least_replicas",
    "scale_out_utilisation",
    "queue_limit",
)
# Loads of one replica at which its speed is looked at, for the most it carries within its targets.
_LOADS = 48
_USUAL_PEAK_TO_MEAN = 3.0


def running_report(
    library: Library,
    document: Document,
    workload: Workload,
    sheet: FactSheet,
    row: Row,
    chosen: Configuration,
    traffic: TrafficFigures,
) -> tuple[RunningReport, dict[str, Step]]:
    """What it takes to run the recommended configuration, and the steps of that calculation for the plan's trace."""
    targets = row.table.targets
    most, latency = most_within(row, targets)
    peak = traffic.model_calls_per_second.value
    facts = _facts(document, workload, sheet, row, chosen, peak, most, latency, targets)
    efficiencies = [library.get(Efficiency, id) for id in _CONSTANTS]
    known = {**efficiency_columns(efficiencies, facts), **facts}
    wanted = ("spare_replicas", *_SCALING)
    values = formulas().evaluate(wanted, known)
    spares = float(at(values["spare_replicas"], 0))
    reachable = bool(np.isfinite(spares))
    values = formulas().evaluate(
        (*wanted, *_AVAILABILITY),
        {**values, "provisioned_replicas": known["needed_replicas"] + (spares if reachable else 0.0)},
    )
    shown = ("spare_replicas", *_AVAILABILITY, *_SCALING)
    steps = _steps(values, facts, efficiencies, shown)
    figures = {
        name: Quantity(value=float(at(values[name], 0)), unit=formulas().units[name], label=Label.estimated)
        for name in shown
        if np.isfinite(float(at(values[name], 0)))
    }
    report = RunningReport(
        figures=figures,
        spares=int(spares) if reachable else None,
        accelerators_with_spares=int((chosen.replicas + spares) * row.per_replica) if reachable else None,
        notes=tuple(_notes(figures, chosen, reachable, sheet, known)),
    )
    return report, steps


def most_within(row: Row, targets: Sequence[Target]) -> tuple[float, float]:
    """The most requests at once that a replica serves within memory and all targets, and the latency of one then."""
    capacity = max(1.0, float(row.value("concurrency_capacity")))
    loads = np.unique(np.rint(np.geomspace(1.0, min(capacity, 1e6), _LOADS)))
    facts = row.table.facts_of(row.row)
    values = formulas().evaluate(
        ("request_latency", *(target.quantity for target in targets)), {**facts, "running_requests": loads}
    )
    holds = np.ones(len(loads), dtype=bool)
    for target in targets:
        if not target.at_least:
            holds &= np.broadcast_to(target.holds(values[target.quantity]), loads.shape)
    place = int(np.flatnonzero(holds)[-1]) if holds.any() else 0
    latency = np.broadcast_to(np.asarray(values["request_latency"], dtype=float), loads.shape)
    return float(loads[place]), float(latency[place])


def _facts(
    document: Document,
    workload: Workload,
    sheet: FactSheet,
    row: Row,
    chosen: Configuration,
    peak: float,
    most: float,
    latency: float,
    targets: Sequence[Target],
) -> dict[str, Any]:
    ratio = float(sheet.number("peak_to_mean")) if "peak_to_mean" in sheet.facts else _USUAL_PEAK_TO_MEAN
    stated = workload.targets.availability if workload.targets else None
    first = next((target.most for target in targets if target.quantity.startswith("time_to_first_token")), None)
    alone = float(row.value("time_to_first_token"))
    return {
        "deployment": (document.site.deployment if document.site else None) or "cloud",
        "needed_replicas": float(chosen.replicas),
        "replicas": float(chosen.replicas),
        "standing_replicas": float(min(chosen.replicas, 1)),
        "availability_target": float(sheet.take("availability_target", stated)),
        "most_running_requests": most,
        "latency_at_most": latency,
        "model_calls_per_second": peak,
        "peak_requests_per_second": peak,
        "mean_model_calls_per_second": peak / ratio,
        "floor_request_rate": peak / ratio**2,
        "model_file_bytes": float(row.value("weights")),
        "allowed_wait": max(0.0, first - alone) if first is not None else latency,
    }


def _steps(
    values: Mapping[str, Any], facts: Mapping[str, Any], efficiencies: Sequence[Efficiency], shown: Sequence[str]
) -> dict[str, Step]:
    origins = {
        name: Fact(name=name, value=value, origin=Origin(label=Label.derived, because=_BECAUSE.get(name, "the plan")))
        for name, value in facts.items()
    }
    for efficiency in efficiencies:
        level = applied_level(efficiency, values, 0)
        origin = Origin(
            label=Label.catalogue,
            because=level.because or efficiency.meaning,
            sources=tuple(str(source) for source in level.sources or efficiency.sources),
        )
        origins[efficiency.id] = Fact(name=efficiency.id, value=float(at(values[efficiency.id], 0)), origin=origin)
    trace = Trace(formulas(), values, 0, origins)
    return walked(trace, shown)


_BECAUSE = {
    "most_running_requests": "the most requests at once that memory and all targets allow on one replica",
    "latency_at_most": "a request's time at that many",
    "mean_model_calls_per_second": "the peak over the stated ratio of peak to mean, or over three",
    "floor_request_rate": "the quietest hour, as far below the mean as the mean below the peak",
    "allowed_wait": "what the target for the first token leaves for waiting",
    "model_file_bytes": "weights as they are loaded",
}


def _notes(
    figures: Mapping[str, Quantity], chosen: Configuration, reachable: bool, sheet: FactSheet, known: Mapping[str, Any]
) -> list[str]:
    notes = []
    if not reachable:
        notes.append(
            f"No number of spares on one site reaches {100 * sheet.number('availability_target'):g} %: what all replicas share "
            f"works {100 * float(known['common_availability']):.4g} % of the time. It takes a second site."
        )
    full = figures["peak_utilisation"].value
    target = float(at(known["target_utilisation"], 0))
    wanted = figures["replicas_for_rate"].value
    carries = "the replica carries" if chosen.replicas == 1 else "the replicas carry"
    if full > target and wanted > chosen.replicas:
        notes.append(
            f"The peak takes {100 * full:.0f} % of what {carries} within the targets; with a margin to {100 * target:.0f} % it "
            f"would be {wanted:.0f} replicas."
        )
    notes.append("Beyond the queue limit refuse at once (429 with Retry-After), or hand over to a smaller model or an API.")
    return notes
