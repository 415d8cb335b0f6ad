"""Number formats of weights and caches: how many bits an element really takes, and what runs it fast."""

from typing import Literal

from pydantic import Field

from advisor.catalogue.record import Entry


class Format(Entry):
    """One weight format.

    bits: effective bits per element of the tensors it applies to, scales and zero points included.
    whole_model_bits: average over a whole checkpoint, where a mixed format (GGUF) is only meaningful so; measured on
    Llama 3.1 8B, so other vocabularies differ a little.
    applies_to: all | linear (embeddings, head, norms and routers keep `rest_bits`) | experts (routed experts only; of a model
    without experts its linear layers) | file (the whole file, as GGUF does).
    rest_bits: bits of the tensors it does not apply to, 16 unless the release stores them smaller.
    experts_only_with: attention kinds with which quantizers leave everything but routed experts at 16 bit.
    compute: the number format whose compute rate the kernels use (bf16, fp8, int8, fp4, ...) where they run it natively;
    elsewhere weights are widened to 16 bit first.
    native_on, not_fast_on: where kernels run it at that rate, and where they do not, in words.
    runs_on, weight_only_on, not_on: the same as beginnings of what accelerator entries give as architecture, or vendors: where
    the kernels compute in the format's own arithmetic, where they widen the weights to 16 bit and so save memory only, and where
    there are none. What stands in no list is unknown; advisor.catalogue.running reads them.
    quality: what it costs in answers; its source is cited with the place "quality".
    """

    name: str
    family: str
    bits: float = Field(gt=0, le=64)
    whole_model_bits: float | None = Field(default=None, gt=0, le=64)
    applies_to: Literal["all", "linear", "experts", "file"]
    rest_bits: float = Field(default=16, gt=0, le=64)
    experts_only_with: tuple[str, ...] = ()
    sixteen_bit_tensors: str | None = None
    block: str | None = None
    bits_formula: str | None = None
    activation: str | None = None
    compute: str
    native_on: str | None = None
    not_fast_on: str | None = None
    runs_on: tuple[str, ...] = ()
    weight_only_on: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()
    quality: str | None = None
    aliases: tuple[str, ...] = ()
