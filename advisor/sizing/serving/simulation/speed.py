"""What a simulation knows of a replica: the closed form's times at every batch size, and the engine's limits."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from advisor.errors import QuantityError

_AT_LEAST_ONE = ("max_num_seqs", "max_num_batched_tokens", "blocks", "block_tokens")


@dataclass(frozen=True)
class ReplicaSpeed:
    """Speed and limits of one replica, all from one row of the candidates table.

    Times are taken at the mean context of the workload: a decode step does not grow while an answer does.

    batches, decode_step_times: batch sizes in rising order, and seconds of a step that only decodes so many requests; in
        between, and beyond the last two, a straight line; below the first, the first.
    prompt_time_per_token: seconds a prompt token adds to a step (mixed_step_extra / mixed_prompt_tokens).
    prompt_fixed_time: seconds that starting prompts takes beside their tokens where no decode step carries them; on an idle
        replica a prompt thus takes prompt_fixed_time + input_tokens * prompt_time_per_token, in however many pieces.
    request_overhead: seconds from sending a request until a step may admit it; requests spend them side by side.
    max_num_seqs, max_num_batched_tokens: the engine's limits of running requests and of tokens in a step.
    blocks, block_tokens, fixed_blocks: KV blocks of the replica, tokens in one, and blocks a request takes whatever its length.
    interference: share of a prompt's time by which it lengthens steps that also decode.

    Raises QuantityError for a value outside its range.
    """

    batches: Sequence[float] | NDArray[np.float64]
    decode_step_times: Sequence[float] | NDArray[np.float64]
    prompt_time_per_token: float
    prompt_fixed_time: float
    request_overhead: float
    max_num_seqs: int
    max_num_batched_tokens: int
    blocks: int
    block_tokens: int
    fixed_blocks: int = 0
    interference: float = 1.0

    def __post_init__(self) -> None:
        batches, times = np.asarray(self.batches, dtype=float), np.asarray(self.decode_step_times, dtype=float)
        if batches.ndim != 1 or batches.size == 0 or batches.shape != times.shape:
            raise QuantityError(
                f"{batches.size} batch sizes and {times.size} step times were given; as many of one as of the other are needed",
                where="decode_step_times",
            )
        if not np.all(np.isfinite(batches)) or batches[0] <= 0 or np.any(np.diff(batches) <= 0):
            raise QuantityError("batch sizes must be above 0 and rise", where="batches")
        if not np.all(np.isfinite(times)) or np.any(times <= 0):
            raise QuantityError("step times must be above 0 s", where="decode_step_times")
        for each in fields(self)[2:]:
            given, least = getattr(self, each.name), 1 if each.name in _AT_LEAST_ONE else 0
            if not np.isfinite(given) or given < least:
                raise QuantityError(f"{given:g} was given; a number from {least} up was expected", where=each.name)
        if self.max_num_batched_tokens < self.max_num_seqs:
            raise QuantityError(
                f"{self.max_num_batched_tokens:g} was given; at least max_num_seqs ({self.max_num_seqs:g}) was expected",
                where="max_num_batched_tokens",
                hint="every running request takes one token of a step",
            )

    @cached_property
    def step_times(self) -> list[float]:
        """Seconds of a decode step by whole batch size, from 0 to max_num_seqs."""
        batches, times = np.asarray(self.batches, dtype=float), np.asarray(self.decode_step_times, dtype=float)
        sizes = np.arange(int(self.max_num_seqs) + 1, dtype=float)
        steps = np.interp(sizes, batches, times)
        if batches.size > 1:
            slope = max(0.0, (times[-1] - times[-2]) / (batches[-1] - batches[-2]))
            steps = np.where(sizes > batches[-1], times[-1] + slope * (sizes - batches[-1]), steps)
        return [float(step) for step in steps]

    def blocks_of(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """KV blocks of requests that hold so many tokens."""
        size = int(self.block_tokens)
        return -(-tokens // size) + int(self.fixed_blocks)
