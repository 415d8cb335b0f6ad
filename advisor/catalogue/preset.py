"""A preset: what one use of a model looks like in traffic, from a production trace, a benchmark or a vendor's guidance."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from advisor.catalogue.record import Citation, Duration, Entry, Record, Share
from advisor.units import Unit

Basis = Literal[
    "production-trace", "synthetic-trace", "public-data-set", "benchmark-rule", "vendor-preset", "vendor-guidance", "study"
]
Tokens = Annotated[float, Unit("token"), Field(ge=0)]
Times = Annotated[float, Unit("1"), Field(ge=1)]
Percentile = Literal["p50", "p90", "p95", "p99"]
_PARTS = ("lengths", "sessions", "behaviour", "prefix_cache", "peak", "targets")


class Lengths(Record):
    """Tokens of a prompt or an answer: mean and percentiles of the requests, or the one length that a preset fixes for all."""

    mean: Tokens | None = None
    p50: Tokens | None = None
    p95: Tokens | None = None
    fixed: Tokens | None = None

    @property
    def typical(self) -> float | None:
        """The mean, or the fixed length, or the median where no mean is known."""
        return next((length for length in (self.mean, self.fixed, self.p50) if length is not None), None)


class Images(Record):
    """Images in a request and tokens of each, which come on top of the input's text."""

    per_request: Tokens
    per_request_p95: Tokens | None = None
    tokens: Lengths


class Tokenized(Record):
    """How long requests are. input counts the whole prompt, except for the images beside it."""

    input: Lengths | None = None
    output: Lengths | None = None
    images: Images | None = None
    sources: tuple[Citation, ...] = Field(min_length=1)

    @property
    def typical_input(self) -> float | None:
        """Tokens of a typical prompt with its images."""
        text = self.input.typical if self.input else None
        if text is None or self.images is None:
            return text
        return text + self.images.per_request * (self.images.tokens.typical or 0)


class Sessions(Record):
    """turns: what a person sends in one conversation, on the mean. calls_per_task: model calls that one of them sets off."""

    turns: Times | None = None
    calls_per_task: Times | None = None
    sources: tuple[Citation, ...] = Field(min_length=1)


class Behaviour(Record):
    """What people do: which share of those with access is active in a busy hour, and how often each of these asks in it."""

    active_share: Share | None = None
    requests_per_active_person_per_hour: Annotated[float, Unit("1"), Field(gt=0)] | None = None
    sources: tuple[Citation, ...] = Field(min_length=1)


class PrefixCache(Record):
    """Share of prompt tokens that were, or could have been, in the cache already; `basis` says which of the two and of what."""

    hit_rate: Share
    basis: str
    sources: tuple[Citation, ...] = Field(min_length=1)


class Peak(Record):
    """Requests in the fullest `window` over those in the mean window of the time it was looked `over`.

    The shorter the window and the longer the time, the larger the ratio. Planners' multipliers state neither.
    """

    to_mean: Times
    window: Duration | None = None
    over: Duration | None = None
    sources: tuple[Citation, ...] = Field(min_length=1)


class Expected(Record):
    """What is usually promised: time to first token, time per output token, time to the last token.

    round_trip: a whole exchange with all that stands around the model, such as speech in and out and the network. percentile:
    of the requests that keep it; none where the source gives none, which counts as the mean.
    """

    ttft: Duration | None = None
    tpot: Duration | None = None
    latency: Duration | None = None
    round_trip: Duration | None = None
    percentile: Percentile | None = None
    sources: tuple[Citation, ...] = Field(min_length=1)


class Preset(Entry):
    """One use case as one source saw it.

    recommended: the variant that a use case's name stands for; the others are named with what tells them apart. What a source
    does not say is absent, and nothing is taken from another variant in its place. trace: the requests themselves, where they
    ship (a file of knowledge/measurements/traces, without its ending). sources: those of all parts, filled in where left out.
    """

    name: str
    use_case: str
    variant: str
    recommended: bool = False
    basis: Basis
    lengths: Tokenized | None = None
    sessions: Sessions | None = None
    behaviour: Behaviour | None = None
    prefix_cache: PrefixCache | None = None
    peak: Peak | None = None
    targets: Expected | None = None
    trace: str | None = None
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _all_sources(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("sources"):
            return given
        parts = (given.get(part) for part in _PARTS)
        cited = [citation for part in parts if isinstance(part, dict) for citation in part.get("sources") or ()]
        return {**given, "sources": [citation for place, citation in enumerate(cited) if citation not in cited[:place]]}
