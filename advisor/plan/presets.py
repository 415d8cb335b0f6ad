"""What a use case's preset says in place of an answer: fact by fact, with the reason that the plan prints and its sources."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.catalogue.preset import Expected, Peak, Preset
from advisor.catalogue.record import Citation
from advisor.units import parse, show_base

_DAY = parse("1 day", "second")


@dataclass(frozen=True)
class PresetDefault:
    """A value in base unit `unit` that stands for a fact nobody stated, why it does, and what it rests on."""

    value: float
    unit: str
    because: str
    sources: tuple[str, ...]


def preset_defaults(preset: Preset) -> Mapping[str, PresetDefault]:
    """Facts that a preset knows, by name; what its source does not say is absent.

    input_tokens, output_tokens: the mean, a fixed length, or the median where no mean is known; input counts images too.
    input_tokens_p95, output_tokens_p95: where the spread of all of it is known. active_share and
    requests_per_active_person_per_hour; turns_per_session; calls_per_request: model calls that one of them sets off.
    prefix_hit_rate: share of prompt tokens found in the cache. peak_to_mean: busy hour over the average hour; where a source
    watched less than a day, its ratio says nothing about that and is peak_to_mean_within_hour instead.
    ttft, tpot, latency: with _p95, as the source says, or _mean, named as in a document's targets.
    """
    return dict(_defaults(preset))


def _defaults(preset: Preset) -> Iterator[tuple[str, PresetDefault]]:
    def default(value: float, unit: str, cited: Iterable[Citation], note: str = "") -> PresetDefault:
        because = f"as in the preset {preset.id} ({preset.variant}){note}"
        return PresetDefault(value, unit, because, tuple(str(citation) for citation in cited))

    if lengths := preset.lengths:
        for name, length, typical in (
            ("input_tokens", lengths.input, lengths.typical_input),
            ("output_tokens", lengths.output, lengths.output.typical if lengths.output else None),
        ):
            if typical is not None:
                note = ", images included" if name == "input_tokens" and lengths.images else ""
                yield name, default(typical, "token", lengths.sources, note)
            if length is not None and length.p95 is not None and not (name == "input_tokens" and lengths.images):
                yield f"{name}_p95", default(length.p95, "token", lengths.sources)
    if sessions := preset.sessions:
        if sessions.turns is not None:
            yield "turns_per_session", default(sessions.turns, "1", sessions.sources)
        if sessions.calls_per_task is not None:
            yield "calls_per_request", default(sessions.calls_per_task, "1", sessions.sources)
    if behaviour := preset.behaviour:
        if behaviour.active_share is not None:
            yield "active_share", default(behaviour.active_share, "1", behaviour.sources)
        if (hourly := behaviour.requests_per_active_person_per_hour) is not None:
            yield "requests_per_active_person_per_hour", default(hourly, "1", behaviour.sources)
    if cache := preset.prefix_cache:
        yield "prefix_hit_rate", default(cache.hit_rate, "1", cache.sources, f", {cache.basis}")
    if peak := preset.peak:
        name = "peak_to_mean" if peak.over is None or peak.over >= _DAY else "peak_to_mean_within_hour"
        yield name, default(peak.to_mean, "1", peak.sources, _watched(peak))
    if targets := preset.targets:
        for name, seconds in _targets(targets):
            yield name, default(seconds, "second", targets.sources)


def _watched(peak: Peak) -> str:
    if peak.window is None or peak.over is None:
        return ", a planner's multiplier"
    return f", the fullest {show_base(peak.window, 'second')} of {show_base(peak.over, 'second')}"


def _targets(targets: Expected) -> Iterator[tuple[str, float]]:
    # A target without a percentile is a mean, as in a document.
    suffix = targets.percentile or "mean"
    for name in ("ttft", "tpot", "latency"):
        seconds = getattr(targets, name)
        if seconds is not None:
            yield f"{name}_{suffix}", seconds
