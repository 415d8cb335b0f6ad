"""An inference engine and how each era of it accounts for memory: its versions' defaults are facts that a plan prints."""

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

from advisor.catalogue.record import Entry, Memory, Record

Version = Annotated[str, BeforeValidator(str)]


class BatchLimits(Record):
    """Defaults that an engine chooses by the card: the first case that holds is used.

    least_memory: applies to cards that report at least this much. except_architecture: not to these architectures.
    max_num_seqs: most sequences running at once. max_num_batched_tokens: most tokens in one step; none means as many as the
    longest sequence, as engines without chunked prefill do.
    """

    least_memory: Memory | None = None
    except_architecture: tuple[str, ...] = ()
    max_num_seqs: int = Field(ge=1)
    max_num_batched_tokens: int | None = Field(default=None, ge=1)


class Era(Record):
    """Versions that count alike, from `since` on.

    generation: the name of this way of counting. memory_fraction: the engine's default share (of what, the formulas say).
    block_tokens: tokens in one cache block. window_aware: frees what slid out of a window. graphs_charged: takes graph memory
    out of the budget. pytorch_sampler: samples with PyTorch, whose peak follows the vocabulary. long_chunked_from: sequences
    longer than this switch chunked prefill on by themselves, with long_chunk tokens a step. pages_cross_layers: pages layers that
    only attend to an encoder like the others.
    """

    since: Version
    generation: str
    memory_fraction: float = Field(gt=0, le=1)
    block_tokens: int = Field(ge=1)
    window_aware: bool
    graphs_charged: bool
    pytorch_sampler: bool
    pages_cross_layers: bool = False
    batch_limits: tuple[BatchLimits, ...] = Field(min_length=1)
    micro_batch_tokens: int = Field(default=512, ge=1)
    long_chunked_from: int | None = None
    long_chunk: int | None = None
    because: str | None = None


class Engine(Entry):
    """One engine. `frameworks`: how accelerator entries name it; `formats`: weight-format families it loads.

    releases: version to the year it came out, as a fraction. current: the version a plan assumes unless told otherwise.
    stores: weight formats that it keeps in memory as another one.
    """

    name: str
    family: str
    current: Version
    eras: tuple[Era, ...] = Field(min_length=1)
    frameworks: tuple[str, ...]
    file_formats_only: bool = False
    stores: dict[str, str] = Field(default_factory=dict)
    releases: dict[str, float] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    def released(self, version: str) -> float | None:
        """The year a version came out, as a fraction, by the last listed release before it; None without numbers or a list."""
        wanted = version_key(version)
        if not wanted or not self.releases or "." not in version:
            return None
        known = sorted((version_key(listed), year) for listed, year in self.releases.items())
        return next((year for listed, year in reversed(known) if listed <= wanted), known[0][1])

    def era(self, version: str) -> Era:
        """The era a version belongs to: the last one that began before it."""
        wanted = version_key(version)
        return next((era for era in reversed(self.eras) if version_key(era.since) <= wanted), self.eras[0])


def version_key(version: str) -> tuple[int, ...]:
    """Numbers of a version in order, for comparison; text around them is passed over."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
