"""The requests of a simulation: what each asks for, and what becomes of it, in flat arrays that all replicas share."""

from array import array
from math import nan

from advisor.sizing.serving.simulation.lengths import Tokens
from advisor.sizing.serving.simulation.speed import ReplicaSpeed


class Requests:
    """Requests by number. Times are seconds from the beginning, nan for what has not happened."""

    def __init__(self, speed: ReplicaSpeed, input_tokens: Tokens, output_tokens: Tokens) -> None:
        count = len(input_tokens)
        held = input_tokens + output_tokens - 1  # the last token is never read back, so never stored
        final = speed.blocks_of(held)
        self.count = count
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.held_at_end: list[int] = held.tolist()
        self.blocks_at_end: list[int] = final.tolist()
        self.too_long: list[bool] = (final > int(speed.blocks)).tolist()
        # A preempted request comes back with the tokens it already gave behind its prompt, so these two change.
        self.prompt: list[int] = input_tokens.tolist()
        self.prompt_blocks: list[int] = speed.blocks_of(input_tokens).tolist()
        self.arrival = array("d", [nan]) * count
        self.admitted = array("d", [nan]) * count
        self.first_token = array("d", [nan]) * count
        self.finish = array("d", [nan]) * count
        self.rejected = bytearray(count)
        self.preemptions = array("q", bytes(8 * count))
