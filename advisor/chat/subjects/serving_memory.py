"""Memory of serving: weights by format, the cache of what runs at once, how cards may be split, and what they hold."""

from advisor.catalogue.model import GENERATING
from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import cache_per_token, constant

_SIXTEEN = 16.0
_LOCAL_ENGINES = ("ollama", "llama.cpp")
# Sizes of tensor-parallel groups that engines are run with.
# Of the room an engine has, its activations and buffers take some: weights that fill more of it leave no cache to start with.
_STARTS = 0.95
_GROUPS = (1, 2, 4, 8, 16)


def serving_memory(situation: Situation) -> Part | None:
    """What serving the named size needs and what the cards named hold; None where it is not about that."""
    if "checkpoint" in situation.text and situation.setup is None:
        return None
    if situation.trains or situation.seen.get("on_cpu") or not situation.parameters:
        return None
    if situation.model is not None and situation.model.task not in GENERATING:
        return None
    telling = Telling(situation)
    _weights(telling)
    _cache(telling)
    verdict = _cards(telling)
    _links(telling)
    return telling.told("serving-memory", verdict=verdict)


def _weights(telling: Telling) -> None:
    situation, parameters = telling.situation, telling.situation.parameters
    assert parameters is not None
    form = situation.format
    bits = form.bits if form is not None else _SIXTEEN
    if form is not None and bits < 6 and situation.word("engine") in _LOCAL_ENGINES:
        bits = 4.5  # their four-bit files keep a scale for each block of 32
    telling.words["model"] = situation.model_name
    telling.words["bits"] = f"{bits:g}"
    telling.facts["weight_bits"] = bits
    telling.work("weights", "plain_weights", f"weights at {bits:g} bit", {"parameters": parameters, "weight_bits": bits})
    half = {"parameters": parameters, "weight_bits": _SIXTEEN / 2}
    if bits >= _SIXTEEN:
        telling.work("weights_fp8", "plain_weights", "weights at 8 bit", half)
    cards = situation.accelerators
    if cards and cards > 1 and bits < _SIXTEEN:
        telling.work(
            "weights_shard",
            "weights_of_shard",
            "weights per card",
            {"plain_weights": telling.figures["weights"].value, "shards": cards},
        )
        telling.words["cards"] = f"{cards:g}"


def _cache(telling: Telling) -> None:
    situation = telling.situation
    model = situation.model
    if model is None or not any(group.kind in ("attention", "latent") for group in model.layer_groups):
        return
    each = telling.keep("cache_token", cache_per_token(situation.library, model))
    together = situation.number("concurrent_requests")
    length = (situation.number("input_tokens") or 0) + (situation.number("output_tokens") or 0)
    length = length or situation.number("sequence_length") or 0
    if not together or not length:
        return
    tokens = together * length
    telling.words["together"] = f"{together:,.0f}"
    telling.words["length"] = f"{length:,.0f}"
    cache = telling.work(
        "cache", "prompts_cache", "KV cache of all prompts", {"kv_cache_per_token": each.value, "prompt_tokens": tokens}
    )
    telling.work(
        "need",
        "weights_and_cache",
        "weights and KV cache",
        {"plain_weights": telling.figures["weights"].value, "prompts_cache": cache.value},
    )


def _cards(telling: Telling) -> Verdict | None:
    situation = telling.situation
    setup = situation.setup
    memory = (setup.memory if setup else None) or situation.number("accelerator_memory")
    if memory is None:
        return None
    cards = situation.accelerators or 1.0
    telling.words["card_memory"] = f"{memory / 1e9:.3g} GB"
    telling.words["setup"] = setup.shown if setup and setup.name else f"{cards:g} × {memory / 1e9:.3g} GB"
    share = constant(situation.library, "engine_memory_share")
    room = telling.work(
        "room",
        "memory_engine_may_use",
        f"memory of {cards:g} at {share:g} utilisation",
        {"shards": cards, "accelerator_memory": memory, "memory_fraction": share},
    )
    weights = telling.figures["weights"].value
    need = telling.figures["need"].value if "need" in telling.figures else weights
    heads = situation.number("attention_heads") or (situation.model.heads if situation.model else None)
    telling.facts["uneven_heads"] = bool(heads and cards > 1 and heads % cards)
    telling.words["heads"] = f"{heads:g}" if heads else ""
    telling.words["cards"] = f"{cards:g}"
    telling.facts["one_holds"] = weights <= memory * share
    least = next((size for size in _GROUPS if size * memory * share > 1.1 * need), None)
    if least is not None:
        telling.words["least"] = f"{least:g}"
    fewer = max((size for size in _GROUPS if size < cards or (least and size < least)), default=0)
    if fewer > 1 and fewer != cards:
        telling.work(
            "room_fewer",
            "memory_engine_may_use",
            f"memory of {fewer:g} at {share:g} utilisation",
            {"shards": float(fewer), "accelerator_memory": memory, "memory_fraction": share},
        )
        telling.words["fewer"] = f"{fewer:g}"
        short = telling.figures["room_fewer"].value < 1.1 * need
        telling.facts["fewer_short"] = short and (telling.facts["uneven_heads"] or need > _STARTS * room.value)
    telling.facts["exceeds"] = need > _STARTS * room.value
    telling.facts["weights_exceed"] = weights > room.value
    if situation.intent == "size" and situation.accelerators is None:
        # How many is what is asked for, so one card is not what anybody described.
        telling.facts["count_open"] = True
        telling.facts["exceeds"] = telling.facts["fewer_short"] = False
        telling.facts["one_holds"] = False
        return None
    _other_cards(telling, need, share)
    if (
        need > _STARTS * room.value
        or _context(telling, room.value)
        or (telling.facts["uneven_heads"] and not telling.facts["one_holds"])
        or situation.has("out-of-memory")
    ):
        return "does-not-fit"
    return None if need == weights and situation.intent not in ("fits", "size", "what-if", "compare") else "fits"


def _context(telling: Telling, room: float) -> bool:
    """Whether one context of the length that was said is more than the room beside the weights."""
    if "cache_token" not in telling.figures:
        return False
    left = telling.work(
        "tokens_left",
        "tokens_of_room",
        "tokens of KV cache beside the weights",
        {
            "memory_engine_may_use": room,
            "plain_weights": telling.figures["weights"].value,
            "kv_cache_per_token": telling.figures["cache_token"].value,
        },
    )
    telling.keep("tokens_left", left.model_copy(update={"shown": f"{left.value:,.0f} tokens"}))
    length = telling.situation.number("sequence_length")
    if length is None:
        return False
    telling.words["context"] = f"{length:,.0f} tokens"
    telling.facts["context_exceeds"] = length > left.value
    return length > left.value


def _other_cards(telling: Telling, need: float, share: float) -> None:
    """Another card that was named, if it holds what the first does not."""
    for other in telling.situation.setups[1:]:
        count = other.count or 1.0
        if other.name and other.memory and other.memory * count * share >= need:
            telling.words["other"] = other.name
            telling.words["other_memory"] = f"{other.memory / 1e9:.3g} GB"
            return


def _links(telling: Telling) -> None:
    parts = {setup.part.id for setup in telling.situation.setups if setup.part is not None and setup.turn == 0}
    mixing = any(word in telling.situation.text for word in ("mix", "together", "combine", "different cards", "one box"))
    telling.facts["mixed_cards"] = len(parts) > 1 and mixing
    telling.facts["several"] = (telling.situation.accelerators or 1) > 1
