"""Memory of training: states by sharding, adapters, quantised bases, activations by sequence length, and host memory."""

from advisor.catalogue.model import GENERATING, Model
from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant

_STATE = ("training_bytes_per_parameter",)
_PARTLY = ("training_bytes_per_parameter", "whole_weight_bytes")
# What is left of a card for states and activations: context and fragmentation take the rest.
_USABLE = "engine_memory_share"
# Models of pictures and vectors below this are bound by activations and loaders, not by their states.
_SMALL = 3e8
# States that leave this much of a card fit at any usual sequence length.
_ROOMY = 0.7
_QLORA_BITS = 4.25


def training_memory(situation: Situation) -> Part | None:
    """What training of the named size needs on each card and in the host; None where it is not about that."""
    if not situation.trains or not situation.parameters or _served_items(situation):
        return None
    telling = Telling(situation)
    telling.words["model"] = situation.model_name
    cards = situation.accelerators or 1.0
    telling.words["cards"] = f"{cards:g}"
    telling.facts["cards"] = cards
    verdict = _adapters(telling, cards) if situation.adapters else _full(telling, cards)
    _host(telling)
    return telling.told("training-full" if not situation.adapters else "training-adapters", "training-host", verdict=verdict)


def _served_items(situation: Situation) -> bool:
    model = situation.model
    return model is not None and model.task not in GENERATING and model.parameters.total < _SMALL


def _full(telling: Telling, cards: float) -> Verdict | None:
    situation, parameters = telling.situation, telling.situation.parameters
    assert parameters is not None
    telling.work("state", "training_state", "training state in all", {"parameters": parameters}, constants=_STATE)
    telling.keep(
        "bytes_each",
        telling.work("bytes_each", "training_state", "bytes per parameter", {"parameters": 1.0}, constants=_STATE).model_copy(
            update={"name": "training_bytes_per_parameter", "unit": "byte", "shown": "16 bytes", "filled": "4 * 4"}
        ),
    )
    _sharded(telling, cards, parameters)
    setup = situation.setup
    if setup is None or setup.memory is None:
        return "does-not-fit" if situation.has("out-of-memory") or situation.has("killed") else None
    telling.words["card_memory"] = f"{setup.memory / 1e9:.3g} GB"
    all_cards = telling.work(
        "all_cards",
        "node_accelerator_memory",
        "memory of all cards",
        {"accelerators_per_node": cards, "accelerator_memory": setup.memory},
    )
    kept = {"zero-2": "state_zero2", "zero-1": "state_zero1"}.get(situation.word("sharding") or "", "state_zero3")
    state = telling.figures[kept].value
    telling.facts["state_exceeds"] = telling.figures["state"].value > all_cards.value
    needed = state + _activations(telling, situation.model, parameters)
    room = setup.memory * constant(situation.library, _USABLE)
    offloaded = situation.word("offload") in ("all", "optimizer")
    if situation.has("out-of-memory") or situation.has("killed") or telling.facts["state_exceeds"] or needed > room:
        return "does-not-fit"
    if offloaded:
        return None
    known = situation.number("sequence_length") is not None
    return "fits" if known or needed < _ROOMY * room else None


def _sharded(telling: Telling, cards: float, parameters: float) -> None:
    facts = {"parameters": parameters, "shards": cards}
    names = {
        "state_zero1": "state_with_gradients_whole",
        "state_zero2": "state_with_weights_whole",
        "state_zero3": "state_sharded_whole",
    }
    for key, name in names.items():
        stage = key[-1]
        telling.work(key, name, f"model states per card under ZeRO-{stage} on {cards:g}", facts, constants=_PARTLY)
    for other in telling.situation.setups[1:]:
        if other.count and other.count != cards:
            telling.work(
                "state_other",
                "state_sharded_whole",
                f"model states per card under ZeRO-3 on {other.count:g}",
                {"parameters": parameters, "shards": other.count},
                constants=_STATE,
            )
            telling.words["other_setup"] = other.shown
            telling.words["other_memory"] = f"{other.memory / 1e9:.3g} GB" if other.memory else "its memory"
    # A second model or size that was asked about beside the first.
    sizes = [each.parameters.total for each in telling.situation.models[1:]]
    sizes += [size for size in telling.situation.all_numbers("parameters") if abs(size - parameters) > 0.2 * parameters]
    if sizes:
        telling.words["other_size"] = f"{sizes[0] / 1e9:.3g} billion parameters"
        telling.work(
            "state_other_size",
            "state_sharded_whole",
            "model states per card of the other size",
            {"parameters": sizes[0], "shards": cards},
            constants=_STATE,
        )


def _activations(telling: Telling, model: Model | None, parameters: float) -> float:
    """Activations with checkpointing and the logits, of the longest sequence that was said."""
    lengths = telling.situation.all_numbers("sequence_length")
    if model is None or not model.layers or not model.hidden or not lengths:
        return 0.0
    micro = telling.situation.number("micro_batch") or telling.situation.number("batch") or 1.0
    needed = 0.0
    for place, length in enumerate(sorted(lengths, reverse=True)[:2]):
        tokens = length * min(micro, 64.0)
        shape = {"layers": float(model.layers), "hidden": float(model.hidden), "micro_batch_tokens_trained": tokens}
        key = "activations" if place == 0 else "activations_shorter"
        made = telling.work(
            key,
            "recomputed_activations",
            f"activations with checkpointing at {length:,.0f} tokens",
            shape,
            constants=("activation_bytes_per_element",),
        )
        logits = telling.work(
            f"{key}_logits",
            "trained_logits",
            f"logits at {length:,.0f} tokens",
            {"vocabulary": float(model.vocabulary or 0), "micro_batch_tokens_trained": tokens},
        )
        telling.words["tokens" if place == 0 else "tokens_shorter"] = f"{length:,.0f}"
        if place == 0:
            needed = made.value + logits.value
    return needed


def _adapters(telling: Telling, cards: float) -> Verdict | None:
    situation, parameters = telling.situation, telling.situation.parameters
    assert parameters is not None
    quantised = situation.method == "qlora"
    bits = 16.0
    if quantised:
        bits = situation.format.bits if situation.format and situation.format.bits < 9 else _QLORA_BITS
    weights = telling.work(
        "weights", "plain_weights", f"weights at {bits:g} bit", {"parameters": parameters, "weight_bits": bits}
    )
    telling.words["bits"] = f"{bits:g}"
    shard = telling.work(
        "weights_shard", "weights_of_shard", "weights per card when sharded", {"plain_weights": weights.value, "shards": cards}
    )
    setup = situation.setup
    model, length = situation.model, situation.number("sequence_length")
    if model is not None and model.layers and model.hidden and length:
        tokens = length * (situation.number("micro_batch") or 1.0)
        shape = {"layers": float(model.layers), "hidden": float(model.hidden), "micro_batch_tokens_trained": tokens}
        telling.words["tokens"] = f"{length:,.0f}"
        of_element = ("activation_bytes_per_element",)
        telling.work("stored", "stored_activations", "activations without checkpointing", shape, constants=of_element)
        telling.work("recomputed", "recomputed_activations", "activations with checkpointing", shape, constants=of_element)
    if situation.has("out-of-memory") or situation.has("killed"):
        verdict: Verdict | None = "does-not-fit"
    else:
        verdict = None
    memory = (setup.memory if setup else None) or situation.number("accelerator_memory")
    if memory is not None:
        telling.words["card_memory"] = f"{memory / 1e9:.3g} GB"
        telling.work(
            "all_cards",
            "node_accelerator_memory",
            "memory of all cards",
            {"accelerators_per_node": cards, "accelerator_memory": memory},
        )
        room = memory * constant(situation.library, _USABLE)
        recomputed = telling.figures["recomputed"].value if "recomputed" in telling.figures else 0.0
        if weights.value > room:
            telling.facts["copy_exceeds"] = True
        if verdict is None:
            alone = weights.value if quantised else shard.value
            verdict = "does-not-fit" if alone + recomputed > room else "fits"
    return verdict


def _host(telling: Telling) -> None:
    """Host memory for offloading, and for loading on several ranks."""
    situation, parameters = telling.situation, telling.situation.parameters
    assert parameters is not None
    if situation.word("offload") in ("all", "optimizer", "parameters") or situation.has("killed"):
        telling.work(
            "offload_memory",
            "offload_memory",
            "host memory while training and saving with offload",
            {"offloaded_parameters": parameters},
            constants=("offload_bytes_per_parameter",),
        )
        there = situation.number("host_memory")
        if there is not None:
            telling.words["host_memory"] = f"{there / 1e9:,.4g} GB"
            telling.facts["host_short"] = telling.figures["offload_memory"].value > there
    ranks = situation.setup.per_node if situation.setup else None
    if ranks and ranks > 1:
        telling.words["ranks"] = f"{ranks:g}"
        telling.work(
            "loading",
            "loading_memory",
            "host memory of a node where every rank loads the whole model",
            {"loading_ranks": ranks, "parameters": parameters, "loading_element_size": 2.0},
        )
