"""Money and time of a quote: sums, and whether a run ends in time."""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, FlopPerSecond, Ratio, Seconds, Tokens, maximum

_HOURS = cite("tender-hannover-2025", "8.8 million hours until June 2026")


@formula(sources=[cite("on-premise-llm-server", "lines and total")])
def quoted_total_difference(quoted_lines_total: Count, quoted_stated_total: Count) -> Count:
    """What the lines come to beyond the stated total."""
    return quoted_lines_total - quoted_stated_total


@formula(sources=[cite("on-premise-llm-server", "lines and total")])
def quoted_total_difference_share(quoted_lines_total: Count, quoted_stated_total: Count) -> Ratio:
    """The difference, whichever way, as a share of the stated total."""
    return maximum(quoted_lines_total - quoted_stated_total, quoted_stated_total - quoted_lines_total) / quoted_stated_total


@formula(sources=[_HOURS])
def quoted_required_gpus(quoted_gpu_time: Seconds, quoted_time_available: Seconds) -> Count:
    """Accelerators that must run all the time to use up the hours before the end."""
    return quoted_gpu_time / quoted_time_available


@formula(sources=[cite("narayanan-2021-megatron", "section 5.1: operations of a training run")])
def quoted_time_needed(
    wanted_parameters: Count,
    quoted_training_tokens: Tokens,
    quoted_gpu_compute: FlopPerSecond,
    quoted_nodes: Count,
    quoted_compute_share: Ratio,
) -> Seconds:
    """Time of a training run: six operations for each parameter and token, at the share of the peak that is reached."""
    return 6 * wanted_parameters * quoted_training_tokens / (quoted_gpu_compute * quoted_nodes * quoted_compute_share)


@formula(sources=[cite("narayanan-2021-megatron", "section 5.1: operations of a training run")])
def quoted_time_share(quoted_time_needed: Seconds, quoted_time_available: Seconds) -> Ratio:
    """Time of the run as a share of the time there is."""
    return quoted_time_needed / quoted_time_available
