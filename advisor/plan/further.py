"""What may be asked for beside a plan and takes longer than one: a simulation under traffic, and another tool's figures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from advisor.errors import DocumentError
from advisor.evidence.traces import read_trace
from advisor.library import Library
from advisor.plan.beside import SecondOpinion, SimulationReport
from advisor.plan.configuration import Row
from advisor.plan.estate_records import EstateReport
from advisor.plan.models import Access
from advisor.plan.plan import WorkloadPlan
from advisor.workload.document import Workload

ArrivalKind = Literal["poisson", "bursty", "trace"]
# An hour of arrivals, and fewer where that would be more requests than say anything new.
_HORIZON = 3600.0
_MOST_REQUESTS = 100_000
_WHOLE_TRACE = 7 * 86400.0


@dataclass(frozen=True)
class Further:
    """What a plan is asked for beside itself.

    simulate: the arrivals under which the recommended configuration is simulated; trace needs one in the document. seed: of the
    random arrivals and lengths. second_opinion: whether to ask the peer, where it is installed. progress: called with requests
    done and all of them. planning: the same with workloads. previous: the estate of a plan before, of which as much as can be is
    kept.
    """

    simulate: ArrivalKind | None = None
    seed: int = 0
    second_opinion: bool = False
    progress: Callable[[int, int], None] | None = None
    planning: Callable[[int, int], None] | None = None
    previous: EstateReport | None = None


def simulated(
    further: Further, library: Library, workload: Workload, plan: WorkloadPlan, row: Row, access: Access, where: str
) -> SimulationReport | None:
    """The recommended configuration under the arrivals asked for. Raises DocumentError for a trace that is not there."""
    if further.simulate is None or plan.recommended is None or plan.traffic is None:
        return None
    from advisor.plan.simulating import simulate_row

    values, replicas = row.table.facts_of(row.row), plan.recommended.replicas
    if further.simulate != "trace":
        rate = plan.traffic.model_calls_per_second.value
        horizon = min(_HORIZON, _MOST_REQUESTS / rate)
        return simulate_row(
            values,
            further.simulate,
            rate=rate,
            replicas=replicas,
            horizon=horizon,
            seed=further.seed,
            progress=further.progress,
        )
    if workload.traffic is None or workload.traffic.trace is None:
        raise DocumentError(
            "a simulation of recorded arrivals needs a trace, and the workload names none",
            where=f"{where}.traffic.trace",
            hint="name one, or simulate poisson or bursty arrivals",
        )
    trace = read_trace(workload.traffic.trace, library, files=access.files, where=f"{where}.traffic.trace")
    return simulate_row(values, trace, replicas=replicas, horizon=_WHOLE_TRACE, seed=further.seed, progress=further.progress)


def second_opinion_of(further: Further, library: Library, plan: WorkloadPlan) -> SecondOpinion | None:
    """What the peer says of the recommended configuration, where that was asked for."""
    if not further.second_opinion or plan.recommended is None:
        return None
    from advisor.plan.second_opinion import second_opinion

    return second_opinion(plan.recommended, plan.facts, library, plan.model.id)
