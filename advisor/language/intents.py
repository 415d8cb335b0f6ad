"""What a text is after, by the phrases that speak for each intent and by what stands in it."""

from collections.abc import Sequence
from typing import get_args

from advisor.language.phrases import Match
from advisor.language.readings import Intent
from advisor.language.tokens import Word

INTENTS: tuple[Intent, ...] = get_args(Intent)


def intents_of(
    words: Sequence[Word], matches: Sequence[Match], symptoms: Sequence[str], *, negated: Sequence[Match] = ()
) -> tuple[tuple[Intent, float], ...]:
    """The intents that something speaks for, likeliest first.

    A phrase speaks the more the longer it is, and a symptom speaks for a diagnosis.
    """
    scores: dict[Intent, float] = {}
    for each in matches:
        if each.family != "intent" or each in negated:
            continue
        intent = next(name for name in INTENTS if name == each.key)
        scores[intent] = scores.get(intent, 0.0) + 1 + 0.5 * (each.length - 1)
    if symptoms:
        scores["diagnose"] = scores.get("diagnose", 0.0) + 1.0 * len(symptoms)
    order = {intent: place for place, intent in enumerate(INTENTS)}
    ranked = sorted(scores.items(), key=lambda item: (-item[1], order[item[0]]))
    return tuple((intent, round(score, 2)) for intent, score in ranked)


def intent_of_conversation(turns: Sequence[tuple[tuple[Intent, float], ...]]) -> Intent | None:
    """What several turns together are after: the first weighs most, since later ones are mostly further questions."""
    scores: dict[Intent, float] = {}
    for place, intents in enumerate(turns):
        for intent, score in intents:
            scores[intent] = scores.get(intent, 0.0) + score * (1.0 if place == 0 else 0.6)
    return max(scores, key=lambda intent: (scores[intent], -INTENTS.index(intent))) if scores else None
