"""Interruptions of a synchronous run: how often, what each costs, the share of time that makes progress, and when it finishes.

A synchronous run stops with any of its nodes, so its rate is a node's times their number. Interruptions come independently of
one another; a mishap that recurs (a bad node that comes back, a loss spike) is not modelled.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, CountPerSecond, Ratio, Seconds, ceil, maximum, minimum

_LLAMA = cite("dubey-2024-llama-3", "§3.3.4, interruptions in 54 days")
_FIGURES = cite("training-reliability-figures", "interruptions by job")
_YOUNG = cite("young-1974-checkpoint", "expected lost time")
_SPARES = cite("stas-2026-ml-engineering", "training/fault-tolerance, spare nodes")
_POISSON = cite("daly-2006-checkpoint", "Poisson arrivals of interruptions")


@formula(sources=[_FIGURES])
def training_nodes(accelerators: Count, accelerators_per_node: Count) -> Count:
    """Servers of the run."""
    return ceil(accelerators / accelerators_per_node)


@formula(sources=[_FIGURES])
def mean_time_between_interruptions(interruption_rate_per_node: CountPerSecond, training_nodes: Count) -> Seconds:
    """Time from one unplanned stop of the run to the next, on the mean."""
    return 1 / (interruption_rate_per_node * training_nodes)


@formula(sources=[_LLAMA])
def observed_time_between_interruptions(observed_time: Seconds, observed_interruptions: Count) -> Seconds:
    """The same as a job's own record shows it."""
    return observed_time / observed_interruptions


@formula(sources=[_LLAMA])
def accelerator_time_between_interruptions(observed_time_between_interruptions: Seconds, accelerators: Count) -> Seconds:
    """Accelerator time from one stop to the next: what makes jobs of different size comparable."""
    return observed_time_between_interruptions * accelerators


@formula(sources=[_FIGURES])
def recovery_time(detection_time: Seconds, restart_time: Seconds, checkpoint_read_time: Seconds) -> Seconds:
    """Time from an interruption to the first new step: noticing it, starting again on healthy nodes, loading the checkpoint."""
    return detection_time + restart_time + checkpoint_read_time


@formula(sources=[_YOUNG])
def saving_share(checkpoint_stall: Seconds, checkpoint_interval: Seconds) -> Ratio:
    """Time that saving takes for each second of work."""
    return checkpoint_stall / checkpoint_interval


@formula(sources=[_YOUNG])
def lost_work_share(checkpoint_interval: Seconds, recovery_time: Seconds, mean_time_between_interruptions: Seconds) -> Ratio:
    """Time that interruptions take for each second of work: half an interval done again, and the recovery."""
    return (checkpoint_interval / 2 + recovery_time) / mean_time_between_interruptions


@formula(sources=[cite("daly-2006-checkpoint", "complete cost of a run")])
def goodput(
    checkpoint_interval: Seconds,
    checkpoint_stall: Seconds,
    recovery_time: Seconds,
    mean_time_between_interruptions: Seconds,
) -> Ratio:
    """Share of time in which the run makes progress that lasts.

    Exact for interruptions that come independently at a constant rate, also while saving and recovering; the powers are of the
    base of natural logarithms. Near zero where the run is interrupted faster than it recovers.
    """
    return (
        checkpoint_interval
        / mean_time_between_interruptions
        / 2.718281828459045 ** minimum(recovery_time / mean_time_between_interruptions, 500)
        / (2.718281828459045 ** minimum((checkpoint_interval + checkpoint_stall) / mean_time_between_interruptions, 500) - 1)
    )


@formula(sources=[_POISSON])
def expected_interruptions(time_to_train: Seconds, mean_time_between_interruptions: Seconds) -> Count:
    """Unplanned stops to expect over the run."""
    return time_to_train / mean_time_between_interruptions


@formula(sources=[_POISSON])
def finish_deviation(expected_interruptions: Count, checkpoint_interval: Seconds, recovery_time: Seconds) -> Seconds:
    """Standard deviation of the finish: so many independent stops, each losing a random part of an interval and the recovery."""
    return (expected_interruptions * (checkpoint_interval**2 / 3 + checkpoint_interval * recovery_time + recovery_time**2)) ** 0.5


@formula(sources=[_POISSON])
def expected_finish(dataset_staging_time: Seconds, time_to_train: Seconds) -> Seconds:
    """When the run is done, from the start of staging its data, on the mean."""
    return dataset_staging_time + time_to_train


@formula(sources=[_POISSON])
def early_finish(
    expected_finish: Seconds,
    finish_deviation: Seconds,
    tenth_deviations: Ratio,
    dataset_staging_time: Seconds,
    undisturbed_time: Seconds,
) -> Seconds:
    """A finish that one run in ten comes in before, by luck with interruptions alone."""
    return maximum(expected_finish - tenth_deviations * finish_deviation, dataset_staging_time + undisturbed_time)


@formula(sources=[_POISSON])
def late_finish(expected_finish: Seconds, finish_deviation: Seconds, tenth_deviations: Ratio) -> Seconds:
    """A finish that one run in ten comes in after, by bad luck with interruptions alone."""
    return expected_finish + tenth_deviations * finish_deviation


@formula(sources=[_SPARES])
def spare_nodes(training_nodes: Count, spare_node_share: Ratio) -> Count:
    """Nodes to hold ready so that a broken one is replaced at once."""
    return ceil(training_nodes * spare_node_share)
