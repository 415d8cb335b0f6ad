"""How long prompts and answers are: one length, a lognormal spread, or lengths as recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from advisor.errors import QuantityError

Tokens = NDArray[np.int64]
_Z95 = 1.6448536269514722  # 95th percentile of the standard normal distribution


@dataclass(frozen=True)
class Fixed:
    """The same number of tokens in every request."""

    tokens: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.tokens) and self.tokens >= 1):
            raise QuantityError(f"{self.tokens:g} tokens were given; at least 1 was expected", where="lengths")

    def draw(self, count: int, generator: np.random.Generator) -> Tokens:
        return np.full(count, round(self.tokens), dtype=np.int64)


@dataclass(frozen=True)
class Lognormal:
    """Half of all requests up to p50 tokens, 95 in 100 up to p95; none above `longest`, where an engine would cut them."""

    p50: float
    p95: float
    longest: float | None = None

    def __post_init__(self) -> None:
        if not (1 <= self.p50 <= self.p95 and np.isfinite(self.p95)):
            raise QuantityError(
                f"a median of {self.p50:g} and a 95th percentile of {self.p95:g} tokens were given; 1 <= p50 <= p95 was expected",
                where="lengths",
            )

    def draw(self, count: int, generator: np.random.Generator) -> Tokens:
        drawn = self.p50 * np.exp(log(self.p95 / self.p50) / _Z95 * generator.standard_normal(count))
        return np.clip(np.rint(drawn), 1, self.longest).astype(np.int64)


@dataclass(frozen=True)
class Recorded:
    """The lengths of a trace, one for each request in the order they come."""

    tokens: Sequence[float] | NDArray[np.float64] | Tokens

    def draw(self, count: int, generator: np.random.Generator) -> Tokens:
        given = np.asarray(self.tokens)
        if given.shape != (count,):
            raise QuantityError(f"{given.size} lengths were given for {count} requests", where="lengths")
        if not np.all(np.isfinite(given)) or np.any(given < 1):
            raise QuantityError("a request has less than 1 token of prompt or answer", where="lengths")
        return given.astype(np.int64)


Spread = Fixed | Lognormal | Recorded


@dataclass(frozen=True)
class Lengths:
    """Lengths of prompts and of answers, in tokens."""

    input_tokens: Spread
    output_tokens: Spread
    seed: int = 0

    def draw(self, count: int) -> tuple[Tokens, Tokens]:
        """Lengths of `count` requests. Raises QuantityError where a recorded list has another number of them."""
        generator = np.random.Generator(np.random.PCG64(self.seed))
        return self.input_tokens.draw(count, generator), self.output_tokens.draw(count, generator)
