"""Percentiles of what users see: means with what the arrivals, the other requests and the lengths add, fitted on the simulation.

Lengths are taken as lognormal between their median and their 95th percentile; a ratio of 1 between the two means that all are
equal. The coefficients stand in knowledge/efficiencies/tails.yaml by arrival process: "closed" (clients that wait for their
answers), "open" (Poisson) and "bursty" (times between requests that deviate by three times their mean).

Valid while requests rarely wait for a seat, which seat_headroom tells, and where prompts leave room for answers (load_share below
0.8): the grid of the fit ends there. Beyond, a queue stands in front of the replica, and percentiles are those of the queue:
simulate. Mixed workloads, prefix caching and preemption are left out.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Ratio, Requests, Seconds, SecondsPerToken, TokensPerRequest, maximum

_FIT = cite("tail-simulation", "coefficients by least squares on the grid")

PERCENTILES = ("p50", "p95", "p99")
COEFFICIENTS: dict[str, tuple[str, ...]] = {
    "time_to_first_token": ("first_token_prompt_tail", "first_token_queue_tail"),
    "time_per_output_token": ("token_load_tail", "token_spread_tail"),
    "request_latency": ("latency_answer_tail", "latency_load_tail", "latency_queue_tail"),
}
TAIL_CONSTANTS: tuple[str, ...] = tuple(
    f"{name}_{percentile}"
    for quantity, names in COEFFICIENTS.items()
    for percentile in PERCENTILES
    for name in (*names, f"{quantity}_tail_rest")
)
TAIL_QUANTITIES: tuple[str, ...] = tuple(f"{quantity}_{percentile}" for quantity in COEFFICIENTS for percentile in PERCENTILES)
# Free seats over the deviation of the requests in flight, from which on the fit holds for open arrivals.
LEAST_HEADROOM = 2.5


@formula(sources=[_FIT])
def time_to_first_token_p50(
    time_to_first_token: Seconds,
    first_token_prompt_tail_p50: Ratio,
    prefill_time: Seconds,
    prompt_token_overhead: SecondsPerToken,
    input_tokens: TokensPerRequest,
    input_tail_p50: Ratio,
    first_token_queue_tail_p50: Ratio,
    prompt_queue_time: Seconds,
    time_to_first_token_tail_rest_p50: Ratio,
) -> Seconds:
    """Half of all requests have their first token within this time: the mean, a longer prompt, and prompts in front."""
    return (
        time_to_first_token
        + first_token_prompt_tail_p50 * (prefill_time + prompt_token_overhead * input_tokens) * (input_tail_p50 - 1)
        + first_token_queue_tail_p50 * prompt_queue_time
    ) * time_to_first_token_tail_rest_p50


@formula(sources=[_FIT])
def time_per_output_token_p50(
    time_per_output_token: Seconds,
    token_load_tail_p50: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    token_spread_tail_p50: Ratio,
    prompt_share: Ratio,
    input_tail_p50: Ratio,
    output_tail_p50: Ratio,
    running_requests: Requests,
    time_per_output_token_tail_rest_p50: Ratio,
) -> Seconds:
    """Half of all requests have their tokens at this pace: more requests beside them, answers too short to even prompts out."""
    return (
        time_per_output_token
        * (
            1
            + token_load_tail_p50 * load_share * batch_swing
            + token_spread_tail_p50
            * prompt_share
            * (1 / (input_tail_p50 * output_tail_p50) - 1)
            / maximum(running_requests, 1) ** 0.5
        )
        * time_per_output_token_tail_rest_p50
    )


@formula(sources=[_FIT])
def request_latency_p50(
    request_latency: Seconds,
    latency_answer_tail_p50: Ratio,
    time_to_first_token: Seconds,
    output_tail_p50: Ratio,
    latency_load_tail_p50: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    latency_queue_tail_p50: Ratio,
    prompt_queue_time: Seconds,
    request_latency_tail_rest_p50: Ratio,
) -> Seconds:
    """Half of all requests are answered within this time: the mean, a longer answer, more requests beside, prompts in front."""
    return (
        request_latency
        + latency_answer_tail_p50 * (request_latency - time_to_first_token) * (output_tail_p50 - 1)
        + latency_load_tail_p50 * request_latency * load_share * batch_swing
        + latency_queue_tail_p50 * prompt_queue_time
    ) * request_latency_tail_rest_p50


@formula(sources=[_FIT])
def time_to_first_token_p95(
    time_to_first_token_p50: Seconds,
    time_to_first_token: Seconds,
    first_token_prompt_tail_p95: Ratio,
    prefill_time: Seconds,
    prompt_token_overhead: SecondsPerToken,
    input_tokens: TokensPerRequest,
    input_tail_p95: Ratio,
    first_token_queue_tail_p95: Ratio,
    prompt_queue_time: Seconds,
    time_to_first_token_tail_rest_p95: Ratio,
) -> Seconds:
    """95 of 100 requests have their first token within this time: the mean, a longer prompt, and prompts in front."""
    return maximum(
        time_to_first_token_p50,
        (
            time_to_first_token
            + first_token_prompt_tail_p95 * (prefill_time + prompt_token_overhead * input_tokens) * (input_tail_p95 - 1)
            + first_token_queue_tail_p95 * prompt_queue_time
        )
        * time_to_first_token_tail_rest_p95,
    )


@formula(sources=[_FIT])
def time_per_output_token_p95(
    time_per_output_token_p50: Seconds,
    time_per_output_token: Seconds,
    token_load_tail_p95: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    token_spread_tail_p95: Ratio,
    prompt_share: Ratio,
    input_tail_p50: Ratio,
    output_tail_p50: Ratio,
    running_requests: Requests,
    time_per_output_token_tail_rest_p95: Ratio,
) -> Seconds:
    """95 of 100 requests have their tokens at this pace: more requests beside them, answers too short to even prompts out."""
    return maximum(
        time_per_output_token_p50,
        time_per_output_token
        * (
            1
            + token_load_tail_p95 * load_share * batch_swing
            + token_spread_tail_p95
            * prompt_share
            * (1 / (input_tail_p50 * output_tail_p50) - 1)
            / maximum(running_requests, 1) ** 0.5
        )
        * time_per_output_token_tail_rest_p95,
    )


@formula(sources=[_FIT])
def request_latency_p95(
    request_latency_p50: Seconds,
    request_latency: Seconds,
    latency_answer_tail_p95: Ratio,
    time_to_first_token: Seconds,
    output_tail_p95: Ratio,
    latency_load_tail_p95: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    latency_queue_tail_p95: Ratio,
    prompt_queue_time: Seconds,
    request_latency_tail_rest_p95: Ratio,
) -> Seconds:
    """95 of 100 requests are answered within this time: the mean, a longer answer, more requests beside, prompts in front."""
    return maximum(
        request_latency_p50,
        (
            request_latency
            + latency_answer_tail_p95 * (request_latency - time_to_first_token) * (output_tail_p95 - 1)
            + latency_load_tail_p95 * request_latency * load_share * batch_swing
            + latency_queue_tail_p95 * prompt_queue_time
        )
        * request_latency_tail_rest_p95,
    )


@formula(sources=[_FIT])
def time_to_first_token_p99(
    time_to_first_token_p95: Seconds,
    time_to_first_token: Seconds,
    first_token_prompt_tail_p99: Ratio,
    prefill_time: Seconds,
    prompt_token_overhead: SecondsPerToken,
    input_tokens: TokensPerRequest,
    input_tail_p99: Ratio,
    first_token_queue_tail_p99: Ratio,
    prompt_queue_time: Seconds,
    time_to_first_token_tail_rest_p99: Ratio,
) -> Seconds:
    """99 of 100 requests have their first token within this time: the mean, a longer prompt, and prompts in front."""
    return maximum(
        time_to_first_token_p95,
        (
            time_to_first_token
            + first_token_prompt_tail_p99 * (prefill_time + prompt_token_overhead * input_tokens) * (input_tail_p99 - 1)
            + first_token_queue_tail_p99 * prompt_queue_time
        )
        * time_to_first_token_tail_rest_p99,
    )


@formula(sources=[_FIT])
def time_per_output_token_p99(
    time_per_output_token_p95: Seconds,
    time_per_output_token: Seconds,
    token_load_tail_p99: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    token_spread_tail_p99: Ratio,
    prompt_share: Ratio,
    input_tail_p50: Ratio,
    output_tail_p50: Ratio,
    running_requests: Requests,
    time_per_output_token_tail_rest_p99: Ratio,
) -> Seconds:
    """99 of 100 requests have their tokens at this pace: more requests beside them, answers too short to even prompts out."""
    return maximum(
        time_per_output_token_p95,
        time_per_output_token
        * (
            1
            + token_load_tail_p99 * load_share * batch_swing
            + token_spread_tail_p99
            * prompt_share
            * (1 / (input_tail_p50 * output_tail_p50) - 1)
            / maximum(running_requests, 1) ** 0.5
        )
        * time_per_output_token_tail_rest_p99,
    )


@formula(sources=[_FIT])
def request_latency_p99(
    request_latency_p95: Seconds,
    request_latency: Seconds,
    latency_answer_tail_p99: Ratio,
    time_to_first_token: Seconds,
    output_tail_p99: Ratio,
    latency_load_tail_p99: Ratio,
    load_share: Ratio,
    batch_swing: Ratio,
    latency_queue_tail_p99: Ratio,
    prompt_queue_time: Seconds,
    request_latency_tail_rest_p99: Ratio,
) -> Seconds:
    """99 of 100 requests are answered within this time: the mean, a longer answer, more requests beside, prompts in front."""
    return maximum(
        request_latency_p95,
        (
            request_latency
            + latency_answer_tail_p99 * (request_latency - time_to_first_token) * (output_tail_p99 - 1)
            + latency_load_tail_p99 * request_latency * load_share * batch_swing
            + latency_queue_tail_p99 * prompt_queue_time
        )
        * request_latency_tail_rest_p99,
    )
