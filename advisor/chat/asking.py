"""Questions back: which fact decides the answer, which of them to ask for first, and whether a text asks for one."""

import re
from collections.abc import Collection

from advisor.catalogue.saying import Inquiry
from advisor.chat.records import Ask
from advisor.chat.situation import Situation

_SMALL = {
    "the", "a", "an", "of", "in", "on", "is", "it", "at", "to", "and", "or", "for", "each", "what", "which", "how", "many",
    "much", "has", "have", "do", "does", "are", "be", "with", "per", "between", "shall", "where", "same",
}  # fmt: skip
# A description is taken to ask for the same fact when this share of its words stands in the question or its other words.
_ALIKE = 0.6


def open_inquiries(situation: Situation) -> tuple[Inquiry, ...]:
    """The questions worth asking now, the most telling first."""
    seen = situation.seen
    found = []
    for each in situation.library.all(Inquiry):
        known = {each.fact, *each.known_by} & (set(seen) | set(situation.notes))
        if each.fact == "model" and situation.model_open:
            known -= {"model"}
        if each.fact == "accelerator_memory" and seen.get("card_memory_open"):
            known -= {"accelerator_memory"}
        if known or each.fact in situation.unknown or not all(condition.holds(seen) for condition in each.when):
            continue
        found.append(each)
    return tuple(sorted(found, key=lambda each: -each.telling))


def next_ask(situation: Situation, asked: Collection[str]) -> Ask | None:
    """The most telling question that has not been asked yet; None where nothing open decides the answer."""
    return next((Ask(fact=each.fact, text=each.ask) for each in open_inquiries(situation) if each.fact not in asked), None)


def asks_for(ask: Ask, description: str, inquiries: Collection[Inquiry]) -> bool:
    """Whether a question back is about what a description in words says ("network between the nodes")."""
    wanted = _words(description)
    if not wanted:
        return False
    texts = [ask.text, ask.fact.replace("_", " ")]
    for each in inquiries:
        if each.ask == ask.text:
            texts += each.words
    return any(len(wanted & _words(text)) / len(wanted) >= _ALIKE for text in texts)


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _SMALL}
