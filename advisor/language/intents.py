"""What a text is after, by the phrases that speak for each intent and by what stands in it."""

import re
from collections.abc import Sequence
from typing import get_args

from advisor.language.phrases import Match
from advisor.language.readings import Intent
from advisor.language.tokens import Word

_SENTENCE = re.compile(r"(?:[^.?!\n]|[.](?=\S))+[?!.]*")
INTENTS: tuple[Intent, ...] = get_args(Intent)


def intents_of(
    text: str, words: Sequence[Word], matches: Sequence[Match], symptoms: Sequence[str]
) -> tuple[tuple[Intent, float], ...]:
    """The intents that something speaks for, likeliest first.

    A phrase speaks the more the longer it is, and twice in a question; a symptom speaks for a diagnosis.
    """
    scores: dict[Intent, float] = {}
    asked = _asked(words, text)
    counted: dict[Intent, int] = {}
    for each in sorted((each for each in matches if each.family == "intent"), key=lambda each: each.first):
        intent: Intent = next(name for name in INTENTS if name == each.key)
        if each.first <= counted.get(intent, -1):
            continue  # it overlaps one that is counted
        counted[intent] = each.last
        weight = (1 + 0.25 * (each.length - 1)) * (2 if each.first in asked else 1)
        scores[intent] = scores.get(intent, 0.0) + weight
    if any(each.family == "intent" and each.key == "why" and each.first in asked for each in matches):
        # "why is it so slow?" asks for the reason, whatever else is said to be wrong.
        scores["why"] = scores.get("why", 0.0) + 0.8
    if symptoms:
        scores["diagnose"] = scores.get("diagnose", 0.0) + 0.5 * len(symptoms)
    if "what-if" in scores:
        # "if I take eight, does it work?" is not about what there is.
        scores["what-if"] += 0.3
    order = {intent: place for place, intent in enumerate(INTENTS)}
    ranked = sorted(scores.items(), key=lambda item: (-item[1], order[item[0]]))
    return tuple((intent, round(score, 2)) for intent, score in ranked)


def _asked(words: Sequence[Word], text: str) -> set[int]:
    """The places of the words that stand in a question."""
    found: set[int] = set()
    for sentence in _SENTENCE.finditer(text):
        if sentence[0].rstrip().endswith("?"):
            found.update(place for place, word in enumerate(words) if sentence.start() <= word.start < sentence.end())
    return found


def intent_of_conversation(turns: Sequence[tuple[tuple[Intent, float], ...]]) -> Intent | None:
    """What several turns together are after: the first weighs most, since later ones are mostly further questions."""
    scores: dict[Intent, float] = {}
    for place, intents in enumerate(turns):
        for intent, score in intents:
            scores[intent] = scores.get(intent, 0.0) + score * (1.0 if place == 0 else 0.6)
    return max(scores, key=lambda intent: (scores[intent], -INTENTS.index(intent)), default=None)
