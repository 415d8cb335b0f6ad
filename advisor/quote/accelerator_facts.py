"""Facts of a quote's accelerators: how many, their memory, power and link, and which number formats they lack."""

import re
from collections.abc import MutableMapping

from advisor.facts import FactValue
from advisor.quote.figures import put
from advisor.quote.tally import Counted, Tally

_LINKS = ("nvlink", "nvlink-bridge", "xgmi", "ici", "neuronlink", "roce", "xe-link", "pcie", "none")
# Generations that the current major version of the vendor's toolkit leaves out.
_OLD = ("Volta", "Pascal", "Maxwell", "Kepler")
_ORDER = ("none", "pcie", "nvlink-bridge", "roce", "xe-link", "xgmi", "neuronlink", "ici", "nvlink", "unified", "unknown")


def accelerator_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """What a node holds of accelerators, and what all of them come to."""
    gpus = counted.gpus()
    found["has_gpus"] = bool(gpus)
    if counted.nodes is not None:
        found["quoted_nodes"] = counted.nodes
        found["multi_node"] = counted.nodes > 1
    if not gpus:
        return
    per_node = counted.node_sum(gpus, lambda each: 1.0)
    totals = [each.total for each in gpus]
    total = sum(each for each in totals if each is not None) if any(each is not None for each in totals) else None
    stated = counted.quote.stated("totals_gpus")
    if total is None and stated is not None and isinstance(stated.value, float):
        total = stated.value
    put(found, "quoted_gpus_per_node", per_node)
    put(found, "quoted_gpus", total)
    models = {each.part.id or each.part.text.casefold() for each in gpus}
    found["quoted_gpu_models"] = float(len(models))
    memories = [memory for each in gpus if (memory := counted.gpu_figure(each, "memory")) is not None]
    found["gpu_known"] = all(each.part.id is not None for each in gpus) or len(memories) == len(gpus)
    if memories:
        found["quoted_smallest_gpu_memory"], found["quoted_largest_gpu_memory"] = min(memories), max(memories)
    if len(memories) == len(gpus):
        put(found, "quoted_gpu_memory", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "memory")))
        if total is not None and per_node:
            found["quoted_gpu_memory_total"] = float(found.get("quoted_gpu_memory", 0.0)) * total / per_node
        elif total is not None:
            found["quoted_gpu_memory_total"] = memories[0] * total
    put(found, "quoted_gpu_power", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "power")))
    put(found, "quoted_gpu_bandwidth", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "bandwidth")))
    powers = [power for each in gpus if (power := counted.gpu_figure(each, "power")) is not None]
    if powers:
        found["quoted_card_power"] = max(powers)
    limits = [limit for each in gpus if isinstance(limit := each.part.attributes.get("power_limit"), float)]
    if limits:
        found["quoted_card_power_limit"] = max(limits)
    put(found, "quoted_gpu_compute", counted.node_sum(gpus, lambda each: _compute(counted, each)))
    found["quoted_link"] = _link(counted, gpus)
    found["card"] = _called(counted, gpus[0])
    if len(models) > 1:
        found["other_card"] = next(
            _called(counted, each) for each in gpus if _called(counted, each) != found["card"] or each is gpus[-1]
        )
    _formats(counted, gpus, found)
    found["consumer_cards"] = any(_is_consumer(counted, each) for each in gpus)
    found["passive_cards"] = any(_is_passive(counted, each) for each in gpus)
    found["unified_memory"] = any(each.part.kind == "system" or _is_desktop(counted, each) for each in gpus)
    entries = [entry for each in gpus if (entry := counted.accelerator(each)) is not None]
    found["old_architecture"] = any(entry.architecture in _OLD for entry in entries)
    found["liquid_cooled"] = any("liquid" in (entry.cooling or "") and "air" not in (entry.cooling or "") for entry in entries)
    found["other_vendor"] = any(entry.vendor != "NVIDIA" for entry in entries)
    dropped = [card.dropped for each in gpus if (card := counted.card(each)) is not None and card.dropped]
    if dropped:
        found["dropped_by"] = dropped[0]
    widths = [
        str(width) for each in (*gpus, *counted.of("riser")) if (width := each.part.attributes.get("width")) in ("x1", "x2", "x4")
    ]
    if widths:
        found["narrow_width"] = widths[0]
    slots = counted.node_sum(gpus, lambda each: _width(counted, each))
    put(found, "quoted_slots_needed", slots)
    found["sxm_without_board"] = (
        _boards(counted, gpus) and counted.has("motherboard", "case") and not counted.has("server", "system")
    )


def _compute(counted: Tally, each: Counted) -> float | None:
    entry = counted.accelerator(each)
    if entry is None:
        return None
    return entry.compute.get("bf16") or entry.compute.get("fp16") or entry.compute.get("fp32")


def _formats(counted: Tally, gpus: tuple[Counted, ...], found: MutableMapping[str, FactValue]) -> None:
    """The number formats that some card lacks, of those that work on it is likely to need."""
    lacking: set[str] = set()
    for each in gpus:
        entry, card = counted.accelerator(each), counted.card(each)
        formats = set(entry.compute) if entry is not None else set(card.formats) if card is not None else set()
        if formats & {"fp16", "bf16"} or (card is not None and formats):
            lacking |= {"bf16", "fp8", "fp4"} - formats
    found["lacks_bf16"] = "bf16" in lacking
    found["lacking_format"] = " and ".join(name.upper() for name in ("bf16", "fp8") if name in lacking) or "none"
    precision = (counted.quote.precision or "").casefold()
    wanted = next(
        (name for name in ("bf16", "fp8", "fp4") if name in precision.replace("nvfp4", "fp4").replace("mxfp4", "fp4")), None
    )
    if wanted is None and re.search(r"\bfp8\b", counted.quote.workload, re.IGNORECASE):
        wanted = "fp8"
    if wanted is not None:
        found["wanted_precision"] = wanted.upper()
        found["lacks_wanted_format"] = wanted in lacking


def _link(counted: Tally, gpus: tuple[Counted, ...]) -> str:
    kinds: list[str] = []
    for each in gpus:
        said_link = each.part.attributes.get("link")
        entry, card = counted.accelerator(each), counted.card(each)
        if said_link in _LINKS:
            kinds.append(str(said_link))
        elif entry is not None and entry.scale_up is not None:
            kinds.append(entry.scale_up.kind if entry.scale_up.kind in _LINKS else "unknown")
        elif card is not None and card.link is not None:
            kinds.append(card.link)
        else:
            kinds.append("unified" if each.part.kind == "system" else "unknown" if entry is None else "pcie")
    # The slowest link is what an exchange over all cards waits for.
    return min(kinds, key=lambda kind: _ORDER.index(kind) if kind in _ORDER else len(_ORDER))


def _called(counted: Tally, each: Counted) -> str:
    entry, card = counted.accelerator(each), counted.card(each)
    return entry.name if entry is not None else card.name if card is not None else each.part.text[:60]


def _is_consumer(counted: Tally, each: Counted) -> bool:
    entry, card = counted.accelerator(each), counted.card(each)
    return (card is not None and card.consumer) or (entry is not None and "geforce" in entry.name.casefold())


def _is_passive(counted: Tally, each: Counted) -> bool:
    entry, card = counted.accelerator(each), counted.card(each)
    if card is not None:
        return card.passive
    return entry is not None and "passive" in (entry.cooling or "") and "SXM" not in (entry.form_factor or "")


def _is_desktop(counted: Tally, each: Counted) -> bool:
    entry = counted.accelerator(each)
    return entry is not None and (entry.data_centre == "desktop" or entry.kind == "edge")


def _boards(counted: Tally, gpus: tuple[Counted, ...]) -> bool:
    return any((entry := counted.accelerator(each)) is not None and "SXM" in (entry.form_factor or "") for each in gpus)


def _width(counted: Tally, each: Counted) -> float:
    if re.search(r"triple|three|3x?[- ]?fan", each.line.text, re.IGNORECASE):
        return 3.5
    if re.search(r"single[- ]slot|1[- ]slot", each.line.text, re.IGNORECASE):
        return 1.0
    card = counted.card(each)
    if card is not None and card.slot_width is not None and not re.search("blower", each.line.text, re.IGNORECASE):
        return card.slot_width
    return 2.0
