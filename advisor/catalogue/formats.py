"""Number formats of weights and caches: how many bits an element really takes, and what runs it fast."""

from typing import Literal

from pydantic import Field

from advisor.catalogue.record import Entry


class Format(Entry):
    """One weight format.

    bits: effective bits per element of the tensors it applies to, scales and zero points included.
    whole_model_bits: average over a whole checkpoint, where a mixed format (GGUF) is only meaningful so.
    applies_to: all | linear (embeddings, head, norms and routers stay 16 bit) | experts (everything else stays 16 bit) |
    file (the whole file, as GGUF does).
    compute: the number format whose compute rate the kernels use (bf16, fp8, int8, fp4, ...).
    native_on, not_fast_on: where kernels run it at that rate, and where they do not, in words.
    quality: what it costs in answers, with its source in quality_sources.
    """

    name: str
    family: str
    bits: float = Field(gt=0, le=64)
    whole_model_bits: float | None = Field(default=None, gt=0, le=64)
    applies_to: Literal["all", "linear", "experts", "file"]
    sixteen_bit_tensors: str | None = None
    block: str | None = None
    bits_formula: str | None = None
    activation: str | None = None
    compute: str
    native_on: str | None = None
    not_fast_on: str | None = None
    quality: str | None = None
    aliases: tuple[str, ...] = ()
