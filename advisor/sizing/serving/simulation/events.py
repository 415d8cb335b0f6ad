"""Runs a configuration under traffic: hands arrivals to replicas in order of time and collects what becomes of them."""

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from advisor.errors import QuantityError
from advisor.sizing.serving.simulation.arrivals import Arrivals, ClosedLoop, OpenArrivals
from advisor.sizing.serving.simulation.lengths import Lengths
from advisor.sizing.serving.simulation.replica import Replica
from advisor.sizing.serving.simulation.requests import Requests
from advisor.sizing.serving.simulation.result import SimulationResult
from advisor.sizing.serving.simulation.samples import MOST, together
from advisor.sizing.serving.simulation.speed import ReplicaSpeed

Routing = Literal["round-robin", "least-loaded"]
Progress = Callable[[int, int], None]
_REPORTS = 200  # calls of `progress` in a whole simulation, about


def simulate(
    speed: ReplicaSpeed,
    arrivals: Arrivals,
    lengths: Lengths,
    replicas: int = 1,
    routing: Routing = "round-robin",
    queue_limit: int | None = None,
    progress: Progress | None = None,
    *,
    until: float = inf,
) -> SimulationResult:
    """Continuous batching of `replicas` equal replicas under these arrivals.

    routing: every request to the next replica in turn, or to the one with the fewest requests in flight (the first of equals).
    queue_limit: a replica rejects a request that finds so many waiting; it always rejects one that its blocks can never hold.
    progress: called with the requests done and all there are, some two hundred times.
    until: seconds at which to stop, leaving requests in flight; without it the simulation ends when all are done.

    Raises QuantityError for settings outside their range. The same input gives the same result.
    """
    if replicas < 1:
        raise QuantityError(f"{replicas} replicas were given; at least 1 was expected", where="replicas")
    if routing not in ("round-robin", "least-loaded"):
        raise QuantityError(f'"{routing}" was given; "round-robin" or "least-loaded" was expected', where="routing")
    if queue_limit is not None and queue_limit < 1:
        raise QuantityError(f"{queue_limit} was given; at least 1 was expected", where="queue_limit")
    if not until > 0:
        raise QuantityError(f"{until:g} s was given; a time above 0 s was expected", where="until")
    if isinstance(arrivals, ClosedLoop):
        if queue_limit is not None and arrivals.think_time == 0:
            raise QuantityError(
                "clients that never think would be rejected without end",
                where="queue_limit",
                hint="give think_time a value above 0 s, or leave the limit out",
            )
        requests = Requests(speed, *lengths.draw(arrivals.clients * arrivals.requests_per_client))
        interval = speed.step_times[1]
    else:
        requests = Requests(speed, *lengths.draw(len(arrivals.times)))
        interval = max(float(arrivals.times[-1]) if len(arrivals.times) else 0.0, speed.step_times[1]) / MOST
    fleet = [Replica(speed, requests, queue_limit, interval) for _ in range(replicas)]
    if isinstance(arrivals, OpenArrivals) and routing == "round-robin":
        _run_apart(fleet, requests, arrivals.times, speed.request_overhead, until, progress)
    else:
        _run_together(fleet, requests, arrivals, speed.request_overhead, routing, until, progress)
    return _result(fleet, requests, until)


def _run_apart(
    fleet: list[Replica], requests: Requests, times: NDArray[np.float64], overhead: float, until: float, progress: Progress | None
) -> None:
    """Replicas that know their requests from the beginning need not know each other."""
    for request, time in enumerate(times.tolist()):
        requests.arrival[request] = time
        if time <= until:
            fleet[request % len(fleet)].accept(request, time + overhead)
    if progress and len(times):
        for moment in np.linspace(0.0, min(until, float(times[-1])), _REPORTS).tolist():
            for replica in fleet:
                replica.advance(moment)
            progress(sum(len(replica.left) for replica in fleet), requests.count)
    for replica in fleet:
        replica.advance(until)
    if progress:
        progress(sum(len(replica.left) for replica in fleet), requests.count)


def _run_together(
    fleet: list[Replica],
    requests: Requests,
    arrivals: Arrivals,
    overhead: float,
    routing: Routing,
    until: float,
    progress: Progress | None,
) -> None:
    """All replicas by one clock: whoever departs before an arrival has departed when the arrival is routed."""
    # A heap of times and clients; without clients it is a sorted list, which is a heap too.
    if isinstance(arrivals, ClosedLoop):
        think_time, each = arrivals.think_time, arrivals.requests_per_client
        coming = [(client * arrivals.ramp / arrivals.clients, client) for client in range(arrivals.clients)]
    else:
        think_time, each = 0.0, 1
        coming = [(time, number) for number, time in enumerate(arrivals.times.tolist())]
    still_to_ask = [each] * len(coming)
    client_of: list[int] = []
    due = [inf] * len(fleet)
    loads = [0] * len(fleet)
    report = max(1, requests.count // _REPORTS)
    done, next_report = 0, report
    while True:
        ready = coming[0][0] + overhead if coming else inf
        soonest = min(due)
        if soonest < inf and soonest <= min(ready, until):
            chosen, moment = due.index(soonest), soonest
        elif coming and coming[0][0] <= until:
            time, client = heappop(coming)
            request = len(client_of)
            client_of.append(client)
            requests.arrival[request] = time
            still_to_ask[client] -= 1
            chosen = request % len(fleet) if routing == "round-robin" else loads.index(min(loads))
            loads[chosen] += 1
            fleet[chosen].accept(request, ready)
            moment = min(ready, until)
        else:
            break
        replica = fleet[chosen]
        replica.advance(moment)
        due[chosen] = replica.next_departure()
        if replica.left:
            for request in replica.left:
                client = client_of[request]
                if still_to_ask[client]:
                    heappush(coming, (moment + think_time, client))
            loads[chosen] -= len(replica.left)
            done += len(replica.left)
            if progress and done >= next_report:
                progress(done, requests.count)
                next_report = done + report
            replica.left.clear()
    for replica in fleet:
        replica.advance(until)
    if progress:
        progress(done, requests.count)


def _result(fleet: list[Replica], requests: Requests, until: float) -> SimulationResult:
    arrival = np.array(requests.arrival)
    arrived = arrival <= until  # false for what never came
    finish = np.array(requests.finish)[arrived]
    first_token = np.array(requests.first_token)[arrived]
    moments, series = together([replica.samples for replica in fleet])
    seconds = max((replica.now for replica in fleet), default=0.0)
    return SimulationResult(
        arrival=arrival[arrived],
        admitted=np.array(requests.admitted)[arrived],
        # A step under way at the end has not brought its tokens yet.
        first_token=np.where(first_token <= until, first_token, np.nan),
        finish=finish,
        rejected=np.frombuffer(requests.rejected, dtype=np.bool_)[arrived].copy(),
        preemptions=np.array(requests.preemptions)[arrived],
        input_tokens=requests.input_tokens[arrived],
        output_tokens=requests.output_tokens[arrived],
        in_flight=sum(replica.in_flight for replica in fleet),
        blocks=sum(replica.blocks for replica in fleet),
        free_blocks=sum(replica.free for replica in fleet),
        lowest_free_share=min(replica.lowest_free / replica.blocks for replica in fleet),
        mean_block_utilisation=sum(replica.block_seconds / replica.blocks for replica in fleet) / len(fleet) / (seconds or 1.0),
        busy_share=sum(replica.busy_seconds for replica in fleet) / len(fleet) / (seconds or 1.0),
        sample_times=moments,
        blocks_in_use=series[:, 0],
        waiting=series[:, 1],
        running=series[:, 2],
    )
