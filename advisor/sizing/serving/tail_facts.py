"""What tails are made of: how far lengths spread, how a replica's time answers to its load, and how that load swings."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    Count,
    Ratio,
    Requests,
    Seconds,
    SecondsPerRequest,
    log2,
    maximum,
    minimum,
    where,
)

_LOGNORMAL = cite("tail-simulation", "lognormal lengths")
_QUEUE = cite("tail-simulation", "features of the grid")


@formula(sources=[_LOGNORMAL])
def input_tail_p50(input_p95_to_p50: Ratio) -> Ratio:
    """Prompts at the median over the mean one.

    Of a lognormal length with p95 / p50 = g, mean / p50 is g ** (0.1281 log2 g) and p99 / p50 is g ** 1.4143: 0.1281 is
    ln 2 / (2 · 1.6449²) and 1.4143 is 2.3263 / 1.6449, from the normal distribution's percentiles.
    """
    return input_p95_to_p50 ** (-0.1281 * log2(input_p95_to_p50))


@formula(sources=[_LOGNORMAL])
def input_tail_p95(input_p95_to_p50: Ratio) -> Ratio:
    """Prompts at the 95th percentile over the mean one."""
    return input_p95_to_p50 ** (1 - 0.1281 * log2(input_p95_to_p50))


@formula(sources=[_LOGNORMAL])
def input_tail_p99(input_p95_to_p50: Ratio) -> Ratio:
    """Prompts at the 99th percentile over the mean one."""
    return input_p95_to_p50 ** (1.4143 - 0.1281 * log2(input_p95_to_p50))


@formula(sources=[_LOGNORMAL])
def output_tail_p50(output_p95_to_p50: Ratio) -> Ratio:
    """Answers at the median over the mean one."""
    return output_p95_to_p50 ** (-0.1281 * log2(output_p95_to_p50))


@formula(sources=[_LOGNORMAL])
def output_tail_p95(output_p95_to_p50: Ratio) -> Ratio:
    """Answers at the 95th percentile over the mean one."""
    return output_p95_to_p50 ** (1 - 0.1281 * log2(output_p95_to_p50))


@formula(sources=[_LOGNORMAL])
def output_tail_p99(output_p95_to_p50: Ratio) -> Ratio:
    """Answers at the 99th percentile over the mean one."""
    return output_p95_to_p50 ** (1.4143 - 0.1281 * log2(output_p95_to_p50))


@formula(sources=[_QUEUE])
def prompt_share(decode_step_time: Seconds, time_per_output_token: Seconds) -> Ratio:
    """Share of an answer's time that goes to other requests' prompts."""
    return 1 - decode_step_time / maximum(time_per_output_token, decode_step_time)


@formula(sources=[_QUEUE])
def load_share(
    prompt_share: Ratio,
    cache_read_time: Seconds,
    sequence_overhead: SecondsPerRequest,
    step_batch: Requests,
    attention_data_parallel: Count,
    time_per_output_token: Seconds,
) -> Ratio:
    """Share of the time per output token that grows with the requests beside it: their prompts, caches and bookkeeping."""
    return minimum(
        prompt_share
        + (cache_read_time + sequence_overhead * step_batch / attention_data_parallel) / maximum(time_per_output_token, 1e-9),
        1,
    )


@formula(sources=[_QUEUE])
def batch_swing(running_requests: Requests, load_share: Ratio, time_to_first_token: Seconds, request_latency: Seconds) -> Ratio:
    """Deviation of the requests in flight over their mean, under Poisson arrivals.

    Were a request's time the same at any load, their number would be Poisson; as more of them slow each other down, it swings
    wider by as much as that time answers to their number. Held at a share of 0.8, where the fit ends.
    """
    return (maximum(running_requests, 1) * (1 - minimum(load_share * (1 - time_to_first_token / request_latency), 0.8))) ** -0.5


@formula(sources=[_QUEUE])
def request_seats(
    batch_room: Bytes, held_per_request: BytesPerRequest, max_num_seqs: Requests, attention_data_parallel: Count
) -> Requests:
    """Requests that a replica can run at once: what its cache holds at their mean length, up to the engine's limit."""
    return (
        minimum(max_num_seqs, maximum(1, where(held_per_request > 0, batch_room / maximum(held_per_request, 1), 1e9)))
        * attention_data_parallel
    )


@formula(sources=[_QUEUE])
def seat_headroom(request_seats: Requests, running_requests: Requests, batch_swing: Ratio) -> Ratio:
    """Free seats over the deviation of the requests in flight; below 2.5 open arrivals often wait, and tails are lower bounds."""
    return (request_seats - running_requests) / (running_requests * batch_swing)


@formula(sources=[_QUEUE])
def prompt_queue_time(
    prompt_share: Ratio,
    running_requests: Requests,
    prefill_interference: Ratio,
    prompt_extra_time: Seconds,
    input_tail_p50: Ratio,
) -> Seconds:
    """Time of the prompts that stand in front of a new one, as in a queue with one server that is busy for the prompts' share.

    Lengths that spread make it longer by their second moment, mean / p50 squared for lognormal ones.
    """
    return (
        minimum(prompt_share / maximum(1 - prompt_share, 1e-3), maximum(running_requests - 1, 0))
        * prefill_interference
        * prompt_extra_time
        * input_tail_p50**-2
    )
