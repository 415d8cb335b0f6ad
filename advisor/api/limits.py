"""How often somebody may call: a bucket of tokens for each, filled evenly."""

from time import monotonic

_MOST_BUCKETS = 50_000


class Rate:
    """Buckets of `burst` tokens that fill at `per_minute`; in the memory of one worker."""

    def __init__(self, per_minute: float, burst: float) -> None:
        self._per_second = per_minute / 60
        self._burst = max(1.0, burst)
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> float:
        """Take a token; 0, or the seconds until there is one."""
        now, tokens = monotonic(), self._tokens(name)
        if tokens < 1:
            return (1 - tokens) / self._per_second
        if len(self._buckets) >= _MOST_BUCKETS:
            self._forget_full()
        self._buckets[name] = (tokens - 1, now)
        return 0.0

    def wait(self, name: str) -> float:
        """Seconds until there is a token, taking none."""
        return max(0.0, (1 - self._tokens(name)) / self._per_second)

    def _tokens(self, name: str) -> float:
        held, since = self._buckets.get(name, (self._burst, 0.0))
        return min(self._burst, held + (monotonic() - since) * self._per_second)

    def _forget_full(self) -> None:
        """A full bucket says no more than none; where that frees nothing, all start anew."""
        kept = {name: bucket for name, bucket in self._buckets.items() if self._tokens(name) < self._burst}
        self._buckets = kept if len(kept) < _MOST_BUCKETS else {}
