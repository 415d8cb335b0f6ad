"""Likely causes of what goes wrong, in their order, each with the measurement that would confirm it."""

from advisor.chat.records import Part, Sentence, Verdict
from advisor.chat.situation import Situation

_MOST = 3
_OBSERVED = ("utilisation", "throughput", "memory_used", "load_time", "kv_cache_usage", "cpu_load", "ttft_mean", "duration")
_LEADS = ("Most likely", "Next", "Less likely")


def likely_causes(situation: Situation) -> Part | None:
    """The causes that what was said speaks for; None where nothing is said to go wrong."""
    causes = situation.causes[:_MOST]
    reported = situation.got.symptoms or any(situation.number(each) is not None for each in _OBSERVED)
    if not causes or (not reported and situation.intent not in ("diagnose", "why")):
        return None
    sentences = []
    for lead, each in zip(_LEADS, causes, strict=False):
        evidence = (f"symptoms/{each.id}",)
        sentences.append(Sentence(text=f"{lead}: {each.cause}", evidence=evidence))
        sentences.append(Sentence(text=f"To confirm it: {each.confirm}", evidence=evidence))
        sentences.append(Sentence(text=f"What to do first: {each.first}", evidence=evidence))
        if each.instead_of is not None:
            sentences.append(Sentence(text=f"It is not cured by {each.instead_of}.", evidence=evidence))
    verdict: Verdict = "ok" if causes[0].harmless and not situation.has("slow") else "works-badly"
    return Part(sentences=tuple(sentences), verdict=verdict)
