"""From tokens to time: epochs and packing, evaluation, experiments that fail, accelerator time, energy and rent.

Times are seconds; accelerator time is seconds of one accelerator, however many work at once.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Count,
    Dollars,
    DollarsPerSecond,
    Flop,
    FlopPerSecond,
    Joules,
    Ratio,
    Seconds,
    Tokens,
    TokensPerSecond,
    Watts,
    ceil,
)

_BOOK = cite("distributed-training-book", "ch. 5, cost of a run")
_PACKING = cite("krell-2021-packing", "padding and packing")
_ENERGY = cite("training-reliability-figures", "power of servers under training")


@formula(sources=[_PACKING])
def dataset_tokens(dataset_samples: Count, tokens_per_sample: Tokens) -> Tokens:
    """Tokens of a data set once through."""
    return dataset_samples * tokens_per_sample


@formula(sources=[_PACKING])
def trained_tokens(dataset_tokens: Tokens, epochs: Ratio) -> Tokens:
    """Tokens a run learns from, every epoch counted."""
    return dataset_tokens * epochs


@formula(sources=[_PACKING])
def processed_tokens(trained_tokens: Tokens, packing_efficiency: Ratio) -> Tokens:
    """Positions that are computed: padding costs as much as text, so that less than full packing makes more of them."""
    return trained_tokens / packing_efficiency


@formula(sources=[_PACKING])
def padded_packing_efficiency(tokens_per_sample: Tokens, sequence_length: Tokens) -> Ratio:
    """Share of positions that hold text where every sample is padded to the sequence length."""
    return tokens_per_sample / sequence_length


@formula(sources=[_BOOK])
def optimizer_steps(processed_tokens: Tokens, tokens_per_step: Tokens) -> Count:
    """Optimizer steps of the run."""
    return ceil(processed_tokens / tokens_per_step)


@formula(sources=[_BOOK])
def training_work(trained_tokens: Tokens, training_flops_per_token: Flop) -> Flop:
    """Model FLOPs of the whole run."""
    return trained_tokens * training_flops_per_token


@formula(sources=[_BOOK])
def accelerator_time_at_utilization(training_work: Flop, stated_utilization: Ratio, peak_sixteen_bit: FlopPerSecond) -> Seconds:
    """Accelerator time of a run at a utilisation somebody states, for comparing with what is published."""
    return training_work / (stated_utilization * peak_sixteen_bit)


@formula(sources=[_BOOK])
def tokens_per_second_at_utilization(
    accelerators: Count, peak_sixteen_bit: FlopPerSecond, stated_utilization: Ratio, training_flops_per_token: Flop
) -> TokensPerSecond:
    """Tokens per second of a run at a utilisation somebody states."""
    return accelerators * peak_sixteen_bit * stated_utilization / training_flops_per_token


@formula(sources=[cite("llama-3.1-model-card", "training time"), cite("deepseek-2024-v3", "Table 1, hours of each stage")])
def utilization_of_run(training_work: Flop, accelerator_time: Seconds, peak_sixteen_bit: FlopPerSecond) -> Ratio:
    """Share of the peak over all accelerator time of a run, whatever it was spent on."""
    return training_work / (accelerator_time * peak_sixteen_bit)


@formula(sources=[_BOOK])
def steady_training_time(processed_tokens: Tokens, training_tokens_per_second: TokensPerSecond) -> Seconds:
    """Time of all training steps while nothing interrupts."""
    return processed_tokens / training_tokens_per_second


@formula(of="steady_training_time", when="counts_items == 1", sources=[_BOOK])
def steady_training_time_of_items(item_training_time: Seconds) -> Seconds:
    """Time of all training steps over images, audio or denoising steps while nothing interrupts."""
    return item_training_time


@formula(sources=[_BOOK])
def undisturbed_time(steady_training_time: Seconds, evaluation_share: Ratio) -> Seconds:
    """Training and the evaluations between, while nothing interrupts."""
    return steady_training_time * (1 + evaluation_share)


@formula(sources=[_BOOK])
def time_to_train(undisturbed_time: Seconds, goodput: Ratio) -> Seconds:
    """Time from the first step to the last as it may be expected, with evaluations, saving, interruptions and lost work."""
    return undisturbed_time / goodput


@formula(sources=[_BOOK])
def accelerator_time(time_to_train: Seconds, accelerators: Count) -> Seconds:
    """Time that accelerators are held by the run, all of them together."""
    return time_to_train * accelerators


@formula(sources=[_BOOK])
def campaign_accelerator_time(accelerator_time: Seconds, failed_experiment_share: Ratio) -> Seconds:
    """Accelerator time of the run and of the trials and failed runs around it."""
    return accelerator_time * (1 + failed_experiment_share)


@formula(sources=[_BOOK])
def calendar_time(time_to_train: Seconds, occupancy: Ratio) -> Seconds:
    """Time on the calendar where the run has its accelerators for only a share of it."""
    return time_to_train / occupancy


@formula(sources=[_ENERGY])
def training_power(
    accelerators: Count, power_per_accelerator: Watts, training_power_share: Ratio, server_power_factor: Ratio
) -> Watts:
    """Mean electrical power of the run's servers: accelerators under load, and processors, fans and network cards with them."""
    return accelerators * power_per_accelerator * training_power_share * server_power_factor


@formula(sources=[_ENERGY])
def training_energy(training_power: Watts, time_to_train: Seconds, pue: Ratio) -> Joules:
    """Electrical energy of the run at the meter of the building."""
    return training_power * time_to_train * pue


@formula(sources=[_BOOK])
def run_rent(accelerator_time: Seconds, accelerator_price: DollarsPerSecond) -> Dollars:
    """Rent of a run's accelerator time."""
    return accelerator_time * accelerator_price
