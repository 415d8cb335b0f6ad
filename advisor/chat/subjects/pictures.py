"""Memory of diffusion pipelines: the denoiser with the text encoders and the picture decoder that it needs beside it."""

from typing import Any

import numpy as np

from advisor.catalogue.model import GENERATING, Model
from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant, figure

_SIXTEEN = 16.0
# Cards are sold with these sizes of memory, in GB.
_SIZES = (8, 12, 16, 24, 32, 40, 48, 80, 96, 141)
_WORK = 1.2


def pictures(situation: Situation) -> Part | None:
    """What picture and video models need; None where none is spoken of."""
    models = [each for each in situation.models if each.side_parameters or each.task.startswith("text-to-")]
    models = [each for each in models if each.task not in GENERATING]
    if not models:
        return None
    telling = Telling(situation)
    bits = situation.format.bits if situation.format is not None else _SIXTEEN
    first = models[0]
    telling.words["model"] = first.name.split("/")[-1]
    telling.words["bits"] = f"{bits:g}"
    need = telling.keep("pipeline", _pipeline(situation, first, bits)).value
    telling.words["size"] = f"{next((size for size in _SIZES if size * 1e9 >= _WORK * need), _SIZES[-1])} GB"
    telling.keep("pipeline_half", _pipeline(situation, first, bits / 2))
    others = [f"{each.name.split('/')[-1]} ({_pipeline(situation, each, bits).shown})" for each in models[1:]]
    setup = situation.setup
    memory = (setup.memory if setup else None) or situation.number("accelerator_memory")
    verdict: Verdict | None = None
    if memory is not None:
        telling.words["card_memory"] = f"{memory / 1e9:.3g} GB"
        telling.facts["exceeds"] = need > memory * constant(situation.library, "engine_memory_share")
        verdict = "does-not-fit" if telling.facts["exceeds"] else "fits"
        if others:
            telling.words["others"] = ", ".join(others)
    return telling.told("pictures", verdict=verdict)


def _pipeline(situation: Situation, model: Model, bits: float) -> Any:
    side = np.array(list(model.side_parameters.values()) or [0.0])[:, None]
    facts = {
        "parameters": model.parameters.total,
        "item_weight_bits": bits,
        "group_side_parameters": side,
        "group_side_bits": np.full_like(side, bits),
    }
    name = model.name.split("/")[-1]
    return figure(situation.library, "item_weights", f"{name} with text encoders and decoder at {bits:g} bit", facts)
