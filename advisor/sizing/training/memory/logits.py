"""Logits: the output over the vocabulary and what the loss makes of it, often the largest single tensor of a small model."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, Count, Tokens

_ROWS = cite("training-memory-measurements", "batch slopes of the fms rows")


@formula(sources=[_ROWS])
def logits_memory(
    rank_tokens: Tokens, vocabulary: Count, logit_bytes: Count, tensor_parallel: Count, stream_passes: Count
) -> Bytes:
    """Logits of one micro batch with their copies in higher precision and their gradient.

    A plain loss holds several copies of every logit, a fused one fewer, and a chunked one those of a slice of tokens. Ranks of
    one tensor-parallel group share the vocabulary.
    """
    return rank_tokens * vocabulary * logit_bytes / tensor_parallel * stream_passes
