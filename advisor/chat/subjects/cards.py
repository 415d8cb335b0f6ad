"""Cards side by side: what each holds, and how fast its memory lets one stream be."""

from advisor.catalogue.model import GENERATING
from advisor.chat.records import Part, Sentence
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant


def cards_compared(situation: Situation) -> Part | None:
    """Each card named with whether it holds the model and the bound of one stream; None for fewer than two."""
    named = [each for each in situation.setups if each.part is not None]
    if len(named) < 2 or not situation.parameters or situation.trains:
        return None
    if situation.model is not None and situation.model.task not in GENERATING:
        return None
    bits = situation.format.bits if situation.format is not None else 16.0
    share = constant(situation.library, "engine_memory_share")
    parts: list[Part] = []
    for setup in named[:4]:
        part = setup.part
        assert part is not None
        memory = setup.memory or part.memory
        if memory is None or part.memory_bandwidth is None:
            continue
        telling = Telling(situation)
        facts = {"parameters": situation.parameters, "weight_bits": bits}
        weights = telling.work("weights", "plain_weights", f"weights at {bits:g} bit", facts)
        count = setup.count or 1.0
        telling.words.update(
            card=setup.shown, memory=f"{memory / 1e9:.3g} GB", bandwidth=f"{part.memory_bandwidth / 1e9:,.0f} GB/s"
        )
        telling.facts["holds"] = weights.value <= share * memory * count
        telling.work(
            "stream",
            "one_stream_bound",
            f"most tokens a second of one stream on {setup.name}",
            {"memory_bandwidth": part.memory_bandwidth * count, "plain_weights": weights.value},
        )
        parts.append(telling.told("cards-compared"))
    sentences: list[Sentence] = [sentence for each in parts for sentence in each.sentences]
    figures = tuple(figure for each in parts for figure in each.figures)
    return Part(sentences=tuple(sentences), figures=figures) if sentences else None
