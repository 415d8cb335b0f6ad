"""Traffic: people, active people, requests per second and requests in flight, each from the others; peaks and growth.

A stated load is the load at its peak: the mean follows from it and the peak-to-mean ratio, never the other way round without
saying so. Two facts say which way the figures are derived: active_people_from (people or requests) and
requests_per_second_from (active_people or concurrent_requests); figures that were given are facts and need no formula.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, People, Ratio, Requests, RequestsPerSecond, Seconds

_LITTLE = cite("little-1961", "L = λ W")
_BEHAVIOUR = cite("llm-d-planner-traffic", "request rate from active users")
_MULTIPLIER = cite("llm-d-planner-presets", "peak multiplier")
_CALLS = cite("github-copilot-agent-2026", "model calls per user turn")


@formula(sources=[_BEHAVIOUR])
def people(active_people: People, active_share: Ratio) -> People:
    """People with access, of whom the active ones are the stated share."""
    return active_people / active_share


@formula(sources=[_BEHAVIOUR], of="active_people", when='active_people_from == "people"')
def active_people_among_people(people: People, active_share: Ratio) -> People:
    """People who use it in the busy hour: the active share of all with access."""
    return people * active_share


@formula(sources=[_BEHAVIOUR], of="active_people", when='active_people_from == "requests"')
def active_people_behind_requests(requests_per_second: RequestsPerSecond, requests_per_active_person_per_hour: Count) -> People:
    """People who would send these requests, were each to send the stated number in an hour; 3600 s make an hour."""
    return requests_per_second * 3600 / requests_per_active_person_per_hour


@formula(sources=[_BEHAVIOUR], of="requests_per_second", when='requests_per_second_from == "active_people"')
def requests_per_second_of_people(active_people: People, requests_per_active_person_per_hour: Count) -> RequestsPerSecond:
    """Requests that active people send in a second of the busy hour; 3600 s make an hour."""
    return active_people * requests_per_active_person_per_hour / 3600


@formula(sources=[_LITTLE], of="requests_per_second", when='requests_per_second_from == "concurrent_requests"')
def requests_per_second_in_flight(
    concurrent_requests: Requests, calls_per_request: Count, request_latency: Seconds
) -> RequestsPerSecond:
    """Requests that arrive in a second when as many are always in flight: Little's law for the rate.

    Holds in a steady state, whatever the pattern of arrivals. calls_per_request: model calls that follow one another in a
    request; request_latency is that of one call. Time between the calls, in which tools run, occupies no engine and is left out.
    """
    return concurrent_requests / (calls_per_request * request_latency)


@formula(sources=[_CALLS])
def model_calls_per_second(requests_per_second: RequestsPerSecond, calls_per_request: Count) -> RequestsPerSecond:
    """Model calls that arrive in a second: what people or programs send, times the calls each of them sets off."""
    return requests_per_second * calls_per_request


@formula(sources=[_LITTLE])
def concurrent_requests(model_calls_per_second: RequestsPerSecond, request_latency: Seconds) -> Requests:
    """Model calls in flight at once: Little's law for the number in the system.

    Holds in a steady state, whatever the pattern of arrivals; the latency is the one at this very concurrency.
    """
    return model_calls_per_second * request_latency


@formula(sources=[_BEHAVIOUR])
def implied_active_share(active_people: People, people: People) -> Ratio:
    """Share of people that is active, where both numbers are known."""
    return active_people / people


@formula(sources=[_BEHAVIOUR])
def implied_requests_per_active_person_per_hour(requests_per_second: RequestsPerSecond, active_people: People) -> Count:
    """Requests an active person sends in an hour, where the rate and the active people are known; 3600 s make an hour."""
    return requests_per_second * 3600 / active_people


@formula(sources=[_MULTIPLIER])
def mean_requests_per_second(requests_per_second: RequestsPerSecond, peak_to_mean: Ratio) -> RequestsPerSecond:
    """Requests per second averaged over all hours; the stated rate is the peak, so the mean is smaller by the ratio."""
    return requests_per_second / peak_to_mean


@formula(sources=[_MULTIPLIER])
def peak_requests_per_second(mean_requests_per_second: RequestsPerSecond, peak_to_mean: Ratio) -> RequestsPerSecond:
    """Requests per second at the peak, from a mean such as a day's requests over its 86400 s.

    The ratio belongs to an averaging window: over seconds it is several times what it is over hours.
    """
    return mean_requests_per_second * peak_to_mean


@formula()
def load_growth(growth_per_year: Ratio, term: Seconds) -> Ratio:
    """Load at the end of the term over the load at its beginning, at the same growth each year of 31536000 s (365 days)."""
    return (1 + growth_per_year) ** (term / 31536000)


@formula()
def grown_requests_per_second(requests_per_second: RequestsPerSecond, load_growth: Ratio) -> RequestsPerSecond:
    """Requests per second at the peak when the term ends."""
    return requests_per_second * load_growth


@formula()
def grown_concurrent_requests(concurrent_requests: Requests, load_growth: Ratio) -> Requests:
    """Requests in flight at the peak when the term ends, were each answered as fast as now."""
    return concurrent_requests * load_growth
