"""Terms, catalogue entries and rules, explained from their own entries."""

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.chat.index import declines, search
from advisor.chat.lookup import accelerator_card, model_card, terms_in
from advisor.chat.records import Part, Sentence
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling

_MOST = 4
_NEAREST = 3
# Kinds whose passages say something by themselves; the others are only places to look.
_TOLD = frozenset({"terms", "statements", "guidance", "rules"})


def terms(situation: Situation) -> Part | None:
    """The terms that were used, each with its meaning and what is told with it."""
    found = terms_in(situation.library, situation.text)[:_MOST]
    if not found:
        return None
    sentences = [Sentence(text=each.meaning, evidence=(f"terms/{each.id}",)) for each in found]
    topics = dict.fromkeys(topic for each in found for topic in each.also)
    with_them = Telling(situation).told(*topics)
    return Part(sentences=(*sentences, *with_them.sentences), verdict="not-applicable")


def entries(situation: Situation) -> Part | None:
    """What the catalogue holds of the models and accelerators named."""
    sentences = []
    for each in situation.got.facts:
        for id in each.among[:1]:
            if each.fact == "model" and situation.library.has(Model, id):
                said = model_card(situation.library.get(Model, id))
                sentences.append(Sentence(text=said, evidence=(f"models/{id}",)))
            if each.fact == "accelerator" and situation.library.has(Accelerator, id):
                said = accelerator_card(situation.library.get(Accelerator, id))
                sentences.append(Sentence(text=said, evidence=(f"accelerators/{id}",)))
    return Part(sentences=tuple(sentences), verdict="not-applicable") if sentences else None


def passages_near(situation: Situation) -> Part | None:
    """Passages of the library near to what was asked, where no term and no entry explains it."""
    if terms_in(situation.library, situation.text):
        return None
    asked = situation.turns[-1].text
    if declines(situation.library, asked):
        return None
    found = [each for each in search(situation.library, asked, _NEAREST) if each.kind in _TOLD and "{" not in each.text]
    if not found:
        return None
    sentences = tuple(Sentence(text=each.text, evidence=(f"{each.kind}/{each.id}",)) for each in found)
    return Part(sentences=sentences, verdict="not-applicable")
