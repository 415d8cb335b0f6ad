"""Facts that come from holding a quote's parts against one another: what is missing, does not fit, or is claimed."""

import re
from collections.abc import Iterator, Mapping

from advisor.facts import FactValue
from advisor.quote.part import Part
from advisor.quote.tally import Counted, Tally

# What a machine built from parts needs, as buyers call it.
_NEEDED = {
    "cpu": "processor",
    "motherboard": "motherboard",
    "ram": "host memory",
    "storage": "storage",
    "psu": "power supply",
    "case": "case",
    "cooler": "CPU cooler",
}
# A claimed figure this far above the known one is another figure: with 2:4 sparsity twice the dense one.
_CLAIM = 1.5
_MEMORY_TOLERANCE = 0.12
_PCIE_OF_CARD = re.compile(r"([345])\.0")


def missing_parts(counted: Tally, found: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """Names of parts that a list of parts does not hold and the machine needs."""
    if not counted.quote.lines:
        return {}
    if found.get("cards_only"):
        return {"missing_parts": "host, power supply and cooling"}
    if found.get("has_server") or found.get("is_reference") or not counted.has("cpu", "motherboard", "gpu"):
        return {}
    missing = [
        name for kind, name in _NEEDED.items() if not counted.has(kind, *(("storage_server",) if kind == "storage" else ()))
    ]
    cooled = bool(
        re.search(r"\bcooler\b|\bAIO\b|Kühler|heat ?sink", " ".join(line.text for line in counted.quote.lines), re.IGNORECASE)
    )
    if cooled and "CPU cooler" in missing:
        missing.remove("CPU cooler")
    return {"missing_parts": ", ".join(missing)} if missing else {}


def misfits(counted: Tally, found: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """Parts that do not go together, and the connectors that cannot carry the speed they are listed with."""
    facts: dict[str, FactValue] = {}
    for each in counted.parts:
        connector, speed = each.part.attributes.get("connector"), each.part.attributes.get("port_speed")
        known = counted.known.parts.get(f"connector-{connector}")
        if known is not None and known.port_speed is not None and isinstance(speed, float) and speed > known.port_speed * 1.05:
            facts["wrong_connector"] = known.name
            facts["connector_speed"] = f"{speed * 8 / 1e9:.0f} Gbit/s"
    pairs = list(_pairs(counted, found))
    if pairs:
        facts["incompatible_part"] = "; ".join(pairs)
    return facts


def _pairs(counted: Tally, found: Mapping[str, FactValue]) -> Iterator[str]:
    processors = [(each, card) for each in counted.of("cpu") if (card := counted.card(each)) is not None]
    boards = [(each, card) for each in counted.of("motherboard") if (card := counted.card(each)) is not None]
    for each, processor in processors:
        for board, known in boards:
            if processor.socket and known.socket and processor.socket != known.socket:
                yield f"{each.part.text} (socket {processor.socket}) on {board.part.text} (socket {known.socket})"
        for memory in counted.of("ram"):
            kind = memory.part.attributes.get("memory_type")
            if processor.memory_type and kind and kind != processor.memory_type:
                yield f"{str(kind).upper()} memory with {each.part.text}, which takes {processor.memory_type.upper()}"
            module = memory.part.attributes.get("module")
            if processor.platform == "consumer" and module in ("rdimm", "lrdimm"):
                yield f"registered memory with {each.part.text}, which takes unbuffered"
            if processor.platform == "server" and module == "udimm":
                yield f"unbuffered memory with {each.part.text}, which takes registered"
    sockets, most = found.get("quoted_sockets"), found.get("most_sockets")
    if isinstance(sockets, float) and isinstance(most, float) and sockets > most and processors:
        yield f"{sockets:g} × {processors[0][0].part.text}, made for at most {most:g} in one machine"
    if found.get("sxm_without_board"):
        yield "SXM modules, which need their own baseboard, in a machine built from a motherboard and a case"
    for line in counted.quote.lines:
        if re.search(r"NVLink[- ]bridge", line.text, re.IGNORECASE) and found.get("quoted_link") in ("none", "pcie"):
            yield f"an NVLink bridge for {found.get('card')}, which has no connector for one"


def claims(counted: Tally, found: Mapping[str, FactValue]) -> dict[str, FactValue]:
    """A figure of a line that is not what the part has."""
    false = list(_false(counted))
    if found.get("says_unlocked_claim") and any(re.search(r"EPYC\s*\d{4}P\b", each.part.text) for each in counted.of("cpu")):
        false.append("the P of an EPYC's name means single socket, not unlocked")
    return {"false_claim": "; ".join(false)} if false else {}


def _false(counted: Tally) -> Iterator[str]:
    for each in counted.of("gpu"):
        entry, card = counted.accelerator(each), counted.card(each)
        if entry is not None:
            claimed = each.part.attributes.get("compute")
            form = str(each.part.attributes.get("compute_format", "bf16"))
            known = entry.compute.get(form) or entry.compute.get("bf16")
            if isinstance(claimed, float) and known is not None and claimed > _CLAIM * known:
                yield f"{claimed / 1e12:,.0f} TFLOP/s for {entry.name}: dense {form.upper()} is {known / 1e12:,.0f}"
            memory = each.part.attributes.get("memory")
            if isinstance(memory, float) and entry.memory and not each.part.others:
                if abs(memory - entry.memory) > _MEMORY_TOLERANCE * entry.memory:
                    yield f"{memory / 1e9:.0f} GB for {entry.name}, which has {entry.memory / 1e9:.0f} GB"
        generation = each.part.attributes.get("pcie")
        own = _generation(entry.pcie if entry is not None else card.pcie if card is not None else None)
        if own is not None and isinstance(generation, str) and float(generation) > own:
            yield f"PCIe {generation} for {each.part.text}, which has {own:.1f}"
        if re.search(r"\bNVLink\b(?!.{0,20}(?:no|without))", each.line.text, re.IGNORECASE) and _has_no_link(counted, each):
            if not re.search(r"\b(?:no|without) NVLink", each.line.text, re.IGNORECASE):
                yield f"NVLink for {each.part.text}, which has none"


def _generation(text: str | None) -> float | None:
    match = _PCIE_OF_CARD.search(text or "")
    return float(match[1]) if match else None


def _has_no_link(counted: Tally, each: Counted) -> bool:
    entry = counted.accelerator(each)
    card: Part | None = counted.card(each)
    if entry is not None:
        return entry.scale_up is None or entry.scale_up.kind in ("none", "pcie")
    return card is not None and card.link in ("none", "pcie")
