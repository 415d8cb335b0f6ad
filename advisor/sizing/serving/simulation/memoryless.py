"""Service forced exponential: a replica made into the M/M/c queue of textbooks, which its event queue is tested against."""

import numpy as np

from advisor.errors import QuantityError
from advisor.sizing.serving.simulation.lengths import Lengths, Recorded
from advisor.sizing.serving.simulation.speed import ReplicaSpeed

_BLOCK_TOKENS = 16
_STEPS_PER_MEAN = 20_000  # a request waits half a step too long on the mean, this part of a mean service time


def exponential_service(mean_service_time: float, servers: int, count: int, seed: int) -> tuple[ReplicaSpeed, Lengths]:
    """Speed and lengths under which `count` requests each hold one of `servers` seats for an exponential time.

    Steps take as long at any batch, prompts take no time, and answers have exponential lengths, so requests do not touch each
    other but in the queue. With Poisson arrivals the waiting times are those of M/M/c (Erlang C).
    """
    if not (mean_service_time > 0 and servers >= 1):
        raise QuantityError(
            f"{mean_service_time:g} s and {servers} servers were given; a time above 0 s and at least 1 were expected",
            where="service",
        )
    generator = np.random.Generator(np.random.PCG64(seed))
    steps = np.ceil(generator.exponential(_STEPS_PER_MEAN, count))
    step_time = mean_service_time / _STEPS_PER_MEAN
    speed = ReplicaSpeed(
        batches=(1.0,),
        decode_step_times=(step_time,),
        prompt_time_per_token=0.0,
        prompt_fixed_time=step_time,
        request_overhead=0.0,
        max_num_seqs=servers,
        max_num_batched_tokens=2 * servers,
        blocks=servers * (int(steps.max(initial=1)) // _BLOCK_TOKENS + 1),
        block_tokens=_BLOCK_TOKENS,
    )
    return speed, Lengths(Recorded(np.ones(count)), Recorded(np.maximum(steps, 1)))
