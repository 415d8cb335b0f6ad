"""A service while it runs: how full its replicas are at the peak, how fast its load climbs, and when another must be started."""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, Ratio, Requests, RequestsPerSecond, RequestsPerSecondPerSecond, Seconds, maximum

_TRAFFIC = cite("llm-d-planner-traffic", "replicas at a target utilisation")
_LITTLE = cite("little-1961")
_READY = cite("google-cre-availability", "capacity that is ready")


@formula(sources=[_LITTLE])
def replica_request_rate(most_running_requests: Requests, latency_at_most: Seconds) -> RequestsPerSecond:
    """Model calls that one replica answers in a second with as many at once as memory and all targets allow."""
    return most_running_requests / latency_at_most


@formula(sources=[_TRAFFIC])
def peak_utilisation(
    model_calls_per_second: RequestsPerSecond, replicas: Count, replica_request_rate: RequestsPerSecond
) -> Ratio:
    """Share of what the replicas carry within their targets that the peak takes."""
    return model_calls_per_second / (replicas * replica_request_rate)


@formula(sources=[_READY])
def request_rate_growth(
    model_calls_per_second: RequestsPerSecond, mean_model_calls_per_second: RequestsPerSecond, ramp_time: Seconds
) -> RequestsPerSecondPerSecond:
    """Steepest rise of the load: from its mean to its peak within the ramp."""
    return maximum(0, model_calls_per_second - mean_model_calls_per_second) / ramp_time


@formula(sources=[_READY])
def scale_out_utilisation(
    target_utilisation: Ratio,
    request_rate_growth: RequestsPerSecondPerSecond,
    cold_start_time: Seconds,
    replicas: Count,
    replica_request_rate: RequestsPerSecond,
) -> Ratio:
    """Utilisation at which another replica must be started, so that it serves before the load passes the target."""
    return maximum(0, target_utilisation - request_rate_growth * cold_start_time / (replicas * replica_request_rate))
