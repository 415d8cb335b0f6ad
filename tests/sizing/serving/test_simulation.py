"""The simulation does what its scheduler says step by step, loses nothing, and agrees with closed forms where there are any."""

import subprocess
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, factorial, inf, nan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.errors import QuantityError
from advisor.sizing.formula import formulas
from advisor.sizing.serving.simulation.arrivals import Arrivals, bursty, closed_loop, on_off, poisson, recorded
from advisor.sizing.serving.simulation.events import Routing, simulate
from advisor.sizing.serving.simulation.lengths import Fixed, Lengths, Lognormal, Recorded
from advisor.sizing.serving.simulation.memoryless import exponential_service
from advisor.sizing.serving.simulation.samples import MOST
from advisor.sizing.serving.simulation.speed import ReplicaSpeed

SPEED = ReplicaSpeed(
    batches=(1, 8, 32, 64, 128, 256),
    decode_step_times=(0.015, 0.0155, 0.018, 0.021, 0.027, 0.039),
    prompt_time_per_token=30e-6,
    prompt_fixed_time=0.01,
    request_overhead=0.005,
    max_num_seqs=256,
    max_num_batched_tokens=8192,
    blocks=30_000,
    block_tokens=16,
    interference=0.83,
)
LENGTHS = Lengths(Fixed(1000), Fixed(200))


# One step at a time, counting blocks from tokens: slow, and with none of the arithmetic that the replica jumps with.


@dataclass
class _Running:
    request: int
    unread: int
    held: int
    answered: int


def _step_by_step(
    speed: ReplicaSpeed, times: list[float], inputs: list[int], outputs: list[int], queue_limit: int | None
) -> tuple[list[float], list[float], list[bool], list[int]]:
    first, finish = [nan] * len(times), [nan] * len(times)
    rejected, preemptions = [False] * len(times), [0] * len(times)
    answered = [0] * len(times)
    coming, waiting, running = list(range(len(times))), list[int](), list[_Running]()

    def blocks(tokens: int) -> int:
        return ceil(tokens / speed.block_tokens) + speed.fixed_blocks

    def taken(each: _Running) -> int:
        return blocks(max(each.held, each.unread + each.held))

    now = 0.0
    while coming or waiting or running:
        while coming and times[coming[0]] + speed.request_overhead <= now:
            request = coming.pop(0)
            too_long = blocks(inputs[request] + outputs[request] - 1) > speed.blocks
            if too_long or (queue_limit is not None and len(waiting) >= queue_limit):
                rejected[request] = True
            else:
                waiting.append(request)
        if not running and not waiting:
            if not coming:
                break
            now = times[coming[0]] + speed.request_overhead
            continue
        preempted = False
        while sum(blocks(each.held + 1) if not each.unread else taken(each) for each in running) > speed.blocks:
            victim = running.pop()
            preemptions[victim.request] += 1
            waiting.insert(0, victim.request)
            preempted = True
        decodes = [each for each in running if not each.unread]
        for each in decodes:
            each.held += 1
        room = speed.max_num_batched_tokens - len(decodes)
        pieces, fixed = dict[int, int](), 0.0
        for each in running:
            if each.unread and room:
                pieces[each.request] = min(each.unread, room)
                room -= pieces[each.request]
        while waiting and room and not preempted and len(running) < speed.max_num_seqs:
            length = inputs[waiting[0]] + answered[waiting[0]]
            if sum(taken(each) for each in running) + blocks(length) > speed.blocks:
                break
            request = waiting.pop(0)
            running.append(_Running(request, length, 0, answered[request]))
            pieces[request] = min(length, room)
            room -= pieces[request]
            fixed = speed.prompt_fixed_time
        tokens = sum(pieces.values())
        if decodes:
            now += speed.step_times[len(decodes)] + speed.interference * speed.prompt_time_per_token * tokens
        else:
            now += speed.prompt_time_per_token * tokens + fixed
        for each in list(running):
            piece = pieces.get(each.request, 0)
            each.unread, each.held = each.unread - piece, each.held + piece
            if each in decodes or (piece and not each.unread):
                answered[each.request] += 1
            if answered[each.request] and np.isnan(first[each.request]):
                first[each.request] = now
            if answered[each.request] == outputs[each.request]:
                finish[each.request] = now
                running.remove(each)
    return first, finish, rejected, preemptions


@st.composite
def _small_replicas(draw: st.DrawFn) -> ReplicaSpeed:
    seats = draw(st.integers(1, 6))
    return ReplicaSpeed(
        batches=(1, 4),
        decode_step_times=(0.02, 0.02 + draw(st.floats(0, 0.02))),
        prompt_time_per_token=draw(st.floats(0, 0.005)),
        prompt_fixed_time=draw(st.floats(0, 0.1)),
        request_overhead=draw(st.floats(0, 0.3)),
        max_num_seqs=seats,
        max_num_batched_tokens=seats + draw(st.integers(0, 40)),
        blocks=draw(st.integers(4, 60)),
        block_tokens=draw(st.integers(1, 7)),
        fixed_blocks=draw(st.integers(0, 2)),
        interference=draw(st.floats(0.5, 1)),
    )


_REQUESTS = st.lists(st.tuples(st.floats(0, 5), st.integers(1, 60), st.integers(1, 40)), min_size=1, max_size=25)


@settings(max_examples=300, deadline=None)
@given(_small_replicas(), _REQUESTS, st.none() | st.integers(1, 5))
def test_jumping_from_event_to_event_gives_what_every_step_gives(
    speed: ReplicaSpeed, requests: list[tuple[float, int, int]], queue_limit: int | None
) -> None:
    # Irrational spacing keeps arrivals off the ends of steps, where rounding would decide which step they join.
    requests = sorted((time + 1e-3 * index * 2**0.5, prompt, answer) for index, (time, prompt, answer) in enumerate(requests))
    times, inputs, outputs = map(list, zip(*requests, strict=True))
    result = simulate(speed, recorded(times), Lengths(Recorded(inputs), Recorded(outputs)), queue_limit=queue_limit)
    first, finish, rejected, preemptions = _step_by_step(speed, times, inputs, outputs, queue_limit)
    assert result.rejected.tolist() == rejected
    assert result.preemptions.tolist() == preemptions
    assert result.first_token == pytest.approx(np.array(first), nan_ok=True, rel=1e-9, abs=1e-9)
    assert result.finish == pytest.approx(np.array(finish), nan_ok=True, rel=1e-9, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(_small_replicas(), _REQUESTS, st.none() | st.integers(1, 5))
def test_stopping_at_every_event_changes_nothing(
    speed: ReplicaSpeed, requests: list[tuple[float, int, int]], queue_limit: int | None
) -> None:
    """One replica run through, and one that is stopped whenever a request arrives or may leave, as routing by load needs it."""
    requests = sorted((time + 1e-3 * index * 2**0.5, prompt, answer) for index, (time, prompt, answer) in enumerate(requests))
    times, inputs, outputs = map(list, zip(*requests, strict=True))
    lengths = Lengths(Recorded(inputs), Recorded(outputs))
    through, stopped = (
        simulate(speed, recorded(times), lengths, 1, routing, queue_limit) for routing in ("round-robin", "least-loaded")
    )
    assert through.rejected.tolist() == stopped.rejected.tolist()
    assert through.preemptions.tolist() == stopped.preemptions.tolist()
    assert through.finish == pytest.approx(stopped.finish, nan_ok=True, rel=1e-9, abs=1e-9)


# What goes in comes out.


@settings(max_examples=200, deadline=None)
@given(
    _small_replicas(),
    _REQUESTS,
    st.integers(1, 3),
    st.sampled_from(["round-robin", "least-loaded"]),
    st.none() | st.integers(1, 3),
    st.just(inf) | st.floats(0.1, 6),
)
def test_requests_and_blocks_are_conserved(
    speed: ReplicaSpeed,
    requests: list[tuple[float, int, int]],
    replicas: int,
    routing: Routing,
    queue_limit: int | None,
    until: float,
) -> None:
    times, inputs, outputs = map(list, zip(*sorted(requests), strict=True))
    lengths = Lengths(Recorded(inputs), Recorded(outputs))
    result = simulate(speed, recorded(times), lengths, replicas, routing, queue_limit, until=until)
    assert result.requests == sum(time <= until for time in times)
    assert result.requests == result.finished + result.rejections + result.in_flight
    assert 0 <= result.lowest_free_share <= 1
    assert 0 <= result.free_blocks <= result.blocks == replicas * speed.blocks
    if until == inf:
        assert result.in_flight == 0
        assert result.free_blocks == result.blocks
    assert 0 <= result.mean_block_utilisation <= result.peak_block_utilisation + 1e-9 <= 1 + 1e-9
    assert 0 <= result.busy_share <= 1 + 1e-9
    assert np.all((result.block_utilisation >= 0) & (result.block_utilisation <= 1))
    done = ~np.isnan(result.finish)
    assert not np.any(done & result.rejected)
    for earlier, later in [("arrival", "admitted"), ("admitted", "first_token"), ("first_token", "finish")]:
        assert np.all(getattr(result, earlier)[done] <= getattr(result, later)[done])


@settings(max_examples=100, deadline=None)
@given(
    _small_replicas(), st.integers(1, 12), st.integers(1, 6), st.floats(0, 1), st.sampled_from(["round-robin", "least-loaded"])
)
@example(replace(SPEED, blocks=70), 3, 2, 0.0, "round-robin")  # clients that never think, whose requests never fit
def test_clients_ask_all_their_requests(
    speed: ReplicaSpeed, clients: int, each: int, think_time: float, routing: Routing
) -> None:
    lengths = Lengths(Lognormal(20, 60), Lognormal(10, 30), seed=3)
    result = simulate(speed, closed_loop(clients, think_time, requests_per_client=each, ramp=1.0), lengths, 2, routing)
    assert result.requests == clients * each == result.finished + result.rejections
    assert result.free_blocks == result.blocks
    events = sorted([(time, 1) for time in result.arrival] + [(time, -1) for time in result.finish[~np.isnan(result.finish)]])
    if not result.rejections:
        assert max(np.cumsum([change for _, change in events])) <= clients
        starts = [client / clients for client in range(clients)]
        assert np.all(np.isin(result.arrival, np.concatenate([starts, result.finish + think_time])))
    assert np.all(np.diff(result.arrival) >= 0)


# Closed forms.


@pytest.mark.parametrize(("input_tokens", "output_tokens"), [(1000, 10), (3000, 400), (20_000, 50)])
def test_a_request_alone_takes_overhead_prompt_and_steps(input_tokens: int, output_tokens: int) -> None:
    result = simulate(SPEED, recorded([1.0]), Lengths(Fixed(input_tokens), Fixed(output_tokens)))
    first = SPEED.request_overhead + SPEED.prompt_fixed_time + input_tokens * SPEED.prompt_time_per_token
    assert result.time_to_first_token.mean == pytest.approx(first)
    assert result.time_per_output_token.mean == pytest.approx(0.015)
    assert result.request_latency.mean == pytest.approx(first + (output_tokens - 1) * 0.015)
    assert result.waiting_time.mean == pytest.approx(SPEED.request_overhead)


@pytest.mark.parametrize("clients", [1, 2, 4, 8, 16, 32, 64, 128])
@pytest.mark.parametrize(("input_tokens", "output_tokens"), [(200, 400), (1000, 400), (500, 1000)])
def test_clients_without_a_queue_see_the_closed_form(clients: int, input_tokens: int, output_tokens: int) -> None:
    expected = formulas().evaluate(
        ["time_per_output_token", "request_latency"],
        {
            "decode_step_time": np.array(SPEED.step_times[clients]),
            "prefill_interference": np.array(SPEED.interference),
            "step_batch": np.array(float(clients)),
            "output_tokens": np.array(float(output_tokens)),
            "prompt_extra_time": np.array(input_tokens * SPEED.prompt_time_per_token),
            "time_to_first_token": np.array(0.0),
        },
    )
    cycle = float(expected["request_latency"])
    arrivals = closed_loop(clients, requests_per_client=12, ramp=cycle)
    result = simulate(SPEED, arrivals, Lengths(Fixed(input_tokens), Fixed(output_tokens)))
    steady = result.arriving_between(2 * cycle, 9 * cycle)
    assert steady.time_per_output_token.mean == pytest.approx(float(expected["time_per_output_token"]), rel=0.03)
    # Little's law: so many are always in flight, each for a latency.
    assert steady.requests / (7 * cycle) * steady.request_latency.mean == pytest.approx(clients, rel=0.1)


def test_open_arrivals_settle_where_rate_and_batch_agree() -> None:
    rate, extra = 6.0, SPEED.interference * 1000 * SPEED.prompt_time_per_token
    result = simulate(SPEED, poisson(rate, 1200, 5), LENGTHS).arriving_between(60, 1200)
    # A share of the time goes to prompts; in the rest, decode steps of the batch that Little's law gives.
    batch = 1.0
    for _ in range(100):
        batch = rate * 199 * SPEED.step_times[0 if batch < 1 else int(batch)] / (1 - rate * extra)
    assert result.time_per_output_token.mean == pytest.approx(SPEED.step_times[round(batch)] / (1 - rate * extra), rel=0.03)


def _erlang_c(servers: int, offered: float) -> float:
    """Share of requests that wait in M/M/c."""
    tail = offered**servers / factorial(servers) * servers / (servers - offered)
    return tail / (sum(offered**k / factorial(k) for k in range(servers)) + tail)


@pytest.mark.parametrize(("servers", "utilisation"), [(1, 0.5), (1, 0.8), (3, 0.7), (8, 0.8), (20, 0.9)])
def test_exponential_service_waits_as_in_m_m_c(servers: int, utilisation: float) -> None:
    mean_service, rate = 2.0, utilisation * servers / 2.0
    arrivals = poisson(rate, 60_000 / rate, seed=11)
    speed, lengths = exponential_service(mean_service, servers, len(arrivals.times), seed=12)
    result = simulate(speed, arrivals, lengths)
    waits = _erlang_c(servers, rate * mean_service)
    mean_wait = waits * mean_service / (servers * (1 - utilisation))
    times = result.waiting_times
    # Waiting times hang together, so the error of their mean is taken over thirty pieces of the run.
    means = np.array([piece.mean() for piece in np.array_split(times, 30)])
    assert times.mean() == pytest.approx(mean_wait, abs=4 * means.std() / 30**0.5)
    assert times.mean() == pytest.approx(mean_wait, rel=0.12)
    assert result.request_latency.mean == pytest.approx(mean_wait + mean_service, rel=0.05)
    assert np.mean(times > 1e-3 * mean_service) == pytest.approx(waits, abs=0.03)
    assert result.busy_share == pytest.approx(1 - _idle(servers, rate * mean_service), abs=0.02)


def _idle(servers: int, offered: float) -> float:
    """Share of the time in which M/M/c serves nobody."""
    waiting = offered**servers / factorial(servers) * servers / (servers - offered)
    return 1 / (sum(offered**k / factorial(k) for k in range(servers)) + waiting)


# How it behaves.


def test_more_traffic_is_never_faster() -> None:
    latencies = [simulate(SPEED, poisson(rate, 600, 7), LENGTHS).request_latency for rate in (1, 2, 4, 8, 12, 16, 20, 30)]
    for quiet, busy in pairwise(latencies):
        assert busy.mean >= 0.99 * quiet.mean
    assert latencies[-1].mean > 5 * latencies[0].mean
    for each in latencies:
        assert each.p50 <= each.p95 <= each.p99


def test_bursts_wait_longer_than_even_traffic() -> None:
    def waiting(arrivals: Arrivals) -> float:
        return simulate(replace(SPEED, max_num_seqs=48), arrivals, LENGTHS).waiting_time.p95

    assert waiting(bursty(6, 1200, 0.3, 1)) <= waiting(poisson(6, 1200, 1)) < waiting(bursty(6, 1200, 4, 1))
    assert waiting(poisson(6, 1200, 1)) < waiting(on_off(6, 1200, 20, 40, 1))


def test_the_same_seed_gives_the_same_result() -> None:
    def run(seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        lengths = Lengths(Lognormal(800, 2500), Lognormal(150, 500), seed=seed)
        return simulate(SPEED, bursty(8, 100, 2, seed), lengths, 2, "least-loaded").finish

    assert run(1).tobytes() == run(1).tobytes()
    assert run(1).tobytes() != run(2).tobytes()


def test_the_last_admitted_gives_up_its_blocks_and_is_computed_again() -> None:
    # Two requests of 8 + 24 tokens need 8 + 8 blocks of 4 tokens at their ends; there are 12.
    speed = replace(SPEED, blocks=12, block_tokens=4, request_overhead=0.0, prompt_fixed_time=0.0)
    result = simulate(speed, recorded([0.0, 0.001]), Lengths(Fixed(8), Fixed(25)))
    assert result.preemptions.tolist() == [0, 1]
    assert result.finished == 2
    assert result.lowest_free_share == 0
    assert result.finish[1] > result.finish[0]
    alone = simulate(speed, recorded([0.0]), Lengths(Fixed(8), Fixed(25)))
    assert result.finish[0] == pytest.approx(alone.finish[0], rel=0.02)  # whoever came first hardly notices
    assert result.first_token[1] < 0.1  # its first token stays the first


def test_a_full_queue_rejects() -> None:
    speed = replace(SPEED, max_num_seqs=1, request_overhead=0.0)
    result = simulate(speed, recorded([0.0, 0.1, 0.2, 0.3, 50.0]), LENGTHS, queue_limit=2)
    assert result.rejected.tolist() == [False, False, False, True, False]
    assert result.finished == 4
    assert simulate(speed, recorded([0.0, 0.1, 0.2, 0.3, 50.0]), LENGTHS).rejections == 0


def test_a_request_larger_than_the_cache_is_rejected() -> None:
    result = simulate(replace(SPEED, blocks=100), recorded([0.0, 1.0]), Lengths(Recorded([1000, 1000]), Recorded([200, 900])))
    assert result.rejected.tolist() == [False, True]
    assert result.requests == 2


def test_a_small_recorded_trace() -> None:
    """Three requests by hand: steps of 10 ms, prompts of 1 ms a token, 0.5 of it seen by decodes."""
    speed = ReplicaSpeed((1, 100), (0.01, 0.01), 0.001, 0.0, 0.0, 8, 100, 1000, 16, interference=0.5)
    result = simulate(speed, recorded([0.0, 0.055, 2.0]), Lengths(Recorded([50, 20, 150]), Recorded([4, 1, 2])))
    # 50 ms prompt, a step that ends at 60 ms, one with the second prompt (10 + 10 ms), one more.
    assert result.first_token == pytest.approx([0.05, 0.08, 2.15])
    assert result.finish == pytest.approx([0.09, 0.08, 2.16])
    assert np.isnan(result.output_token_times[1])
    assert result.span == pytest.approx(2.16)
    assert result.request_rate == pytest.approx(3 / 2.16)
    assert result.output_token_rate == pytest.approx(7 / 2.16)


@pytest.mark.parametrize("routing", ["round-robin", "least-loaded"])
def test_replicas_share_the_load(routing: Routing) -> None:
    one = simulate(SPEED, poisson(12, 300, 2), LENGTHS)
    four = simulate(SPEED, poisson(12, 300, 2), LENGTHS, 4, routing)
    assert four.request_latency.mean < one.request_latency.mean
    assert four.output_tokens.sum() == one.output_tokens.sum()


def test_the_least_loaded_replica_is_better_for_uneven_answers() -> None:
    speed = replace(SPEED, max_num_seqs=8)
    lengths = Lengths(Fixed(100), Lognormal(100, 1000), seed=4)
    turns, least = (simulate(speed, poisson(6, 600, 2), lengths, 4, routing) for routing in ("round-robin", "least-loaded"))
    assert least.waiting_time.mean < turns.waiting_time.mean


def test_samples_show_the_state_over_time() -> None:
    result = simulate(SPEED, poisson(8, 600, 3), LENGTHS, 2)
    assert 500 < len(result.sample_times) <= MOST
    assert result.sample_times[-1] == pytest.approx(600, rel=0.05)
    middle = (result.sample_times > 60) & (result.sample_times < 540)
    in_flight = [np.sum((result.admitted <= time) & (result.finish > time)) for time in result.sample_times[middle]]
    assert result.running[middle].mean() == pytest.approx(np.mean(in_flight), rel=0.03)
    assert result.block_utilisation[middle].mean() == pytest.approx(result.mean_block_utilisation, rel=0.1)
    assert np.all(result.waiting >= 0)


@pytest.mark.parametrize(
    ("routing", "arrivals"),
    [("round-robin", poisson(10, 60, 1)), ("least-loaded", poisson(10, 60, 1)), ("round-robin", closed_loop(60))],
)
def test_progress_is_told(routing: Routing, arrivals: Arrivals) -> None:
    calls: list[tuple[int, int]] = []
    result = simulate(SPEED, arrivals, LENGTHS, 2, routing, progress=lambda done, of: calls.append((done, of)))
    done = [each for each, _ in calls]
    assert done == sorted(done)
    assert calls[-1] == (result.requests, result.requests)
    assert 50 < len(calls) < 300


# What goes in.


def test_arrivals_have_the_rate_and_spread_asked_for() -> None:
    assert len(poisson(10, 10_000, 1).times) == pytest.approx(100_000, rel=0.01)
    for variation in (0.3, 1.0, 3.0):
        gaps = np.diff(bursty(10, 20_000, variation, 2).times)
        assert gaps.mean() == pytest.approx(0.1, rel=0.05)
        assert gaps.std() / gaps.mean() == pytest.approx(variation, rel=0.05)
    times = on_off(10, 50_000, 10, 30, 3).times
    assert len(times) == pytest.approx(500_000, rel=0.1)
    assert np.all(np.diff(times) >= 0)
    assert np.std(np.histogram(times, np.arange(0, 50_001, 5.0))[0]) > 3 * 50**0.5  # Poisson counts would deviate by the root
    for each in (poisson(5, 100, 4), bursty(5, 100, 2, 4), on_off(5, 100, 3, 3, 4)):
        assert 0 <= each.times[0] <= each.times[-1] < 100


def test_lengths_have_the_percentiles_asked_for() -> None:
    inputs, outputs = Lengths(Lognormal(800, 2500), Lognormal(150, 500, longest=600), seed=5).draw(200_000)
    assert np.percentile(inputs, [50, 95]) == pytest.approx([800, 2500], rel=0.02)
    assert np.percentile(outputs, [50, 95]) == pytest.approx([150, 500], rel=0.02)
    assert outputs.max() == 600
    assert inputs.min() >= 1


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: poisson(0, 10, 1), "rate"),
        (lambda: bursty(1, 10, -1, 1), "coefficient_of_variation"),
        (lambda: on_off(1, 10, 0, 1, 1), "mean_on"),
        (lambda: closed_loop(0), "clients"),
        (lambda: closed_loop(1, -1), "think_time"),
        (lambda: recorded([]), "arrivals"),
        (lambda: recorded([0, 2, 1]), "arrivals"),
        (lambda: recorded([-1, 2]), "arrivals"),
        (lambda: recorded([0, nan]), "arrivals"),
        (lambda: Fixed(0), "lengths"),
        (lambda: Lognormal(100, 50), "lengths"),
        (lambda: simulate(SPEED, recorded([0, 1]), Lengths(Recorded([1]), Fixed(1))), "lengths"),
        (lambda: simulate(SPEED, recorded([0]), Lengths(Recorded([0]), Fixed(1))), "lengths"),
        (lambda: simulate(SPEED, recorded([0]), LENGTHS, 0), "replicas"),
        (lambda: simulate(SPEED, recorded([0]), LENGTHS, queue_limit=0), "queue_limit"),
        (lambda: simulate(SPEED, closed_loop(2), LENGTHS, queue_limit=1), "queue_limit"),
        (lambda: simulate(SPEED, recorded([0]), LENGTHS, until=0), "until"),
        (lambda: replace(SPEED, batches=(1, 2)), "decode_step_times"),
        (lambda: replace(SPEED, batches=(1, 8, 32, 64, 64, 256)), "batches"),
        (lambda: replace(SPEED, decode_step_times=(0.0,) * 6), "decode_step_times"),
        (lambda: replace(SPEED, blocks=0), "blocks"),
        (lambda: replace(SPEED, interference=nan), "interference"),
        (lambda: replace(SPEED, max_num_batched_tokens=100), "max_num_batched_tokens"),
        (lambda: exponential_service(0, 1, 10, 1), "service"),
    ],
)
def test_bad_input_names_its_field(call: object, where: str) -> None:
    assert callable(call)
    with pytest.raises(QuantityError) as refused:
        call()
    assert refused.value.where == where


def test_step_times_between_and_beyond_the_batches_given() -> None:
    assert SPEED.step_times[4] == pytest.approx(0.015 + 0.0005 * 3 / 7)
    assert replace(SPEED, max_num_seqs=512, max_num_batched_tokens=8192).step_times[512] == pytest.approx(0.039 + 0.012 * 2)


def test_formulas_do_not_load_the_simulation() -> None:
    code = (
        "import sys; from advisor.sizing.formula import formulas; formulas(); "
        "sys.exit(any(name.startswith('advisor.sizing.serving.simulation.') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
