"""Every fact that follows from a quote without a formula: counts and sums of its lines, its words, and which parts are there."""

import re
from collections.abc import Mapping

from advisor.facts import FactValue
from advisor.quote.accelerator_facts import accelerator_facts
from advisor.quote.figures import figure
from advisor.quote.host_facts import host_facts, rack_facts, supply_facts
from advisor.quote.judging import claims, misfits, missing_parts
from advisor.quote.network_facts import all_text, network_facts, storage_facts
from advisor.quote.quote import Quote
from advisor.quote.saying import said
from advisor.quote.tally import HOLDS_ACCELERATORS, Known, Tally, tally
from advisor.quote.using import wanted_facts

Found = dict[str, FactValue]
_LARGEST_MODULE = 257e9


def observe(quote: Quote, known: Known) -> Mapping[str, FactValue]:
    """All facts of a quote that need no formula; what it leaves open is left out."""
    counted = tally(quote, known)
    found: Found = {"quoted_lines": float(len(quote.lines)), "quote_kind": quote.kind or "unknown"}
    accelerator_facts(counted, found)
    host_facts(counted, found)
    supply_facts(counted, found)
    network_facts(counted, found)
    storage_facts(counted, found)
    rack_facts(counted, found)
    _prices(quote, found)
    _price_of_cards(counted, found)
    _mismatches(counted, found)
    _presence(counted, found)
    found.update(said(quote))
    found.update(wanted_facts(quote, found))
    found.update(missing_parts(counted, found))
    found.update(misfits(counted, found))
    found.update(claims(counted, found))
    return found


def _mismatches(counted: Tally, found: Found) -> None:
    """Sums that a line states beside its own count and size, and the stated memory of a node's accelerators."""
    for each in counted.of("ram"):
        total, module = figure(each, "total_memory"), figure(each, "module_size")
        number = each.line.quantity * each.part.count
        if total is not None and module is not None and module < _LARGEST_MODULE and number > 1:
            found["memory_sum_off"] = abs(total - number * module) > 0.05 * total
    stated = counted.quote.stated("totals_gpu_memory_per_node")
    own = found.get("quoted_gpu_memory")
    if stated is not None and isinstance(stated.value, float) and isinstance(own, float) and counted.nodes is not None:
        found["accelerator_memory_off"] = abs(stated.value - own) > 0.05 * stated.value


def _price_of_cards(counted: Tally, found: Found) -> None:
    """The dearest accelerator's price over the upper end of what it usually costs."""
    over = [
        each.line.unit_price / entry.price.high
        for each in counted.gpus()
        if each.line.unit_price
        and len(each.line.parts) == 1
        and counted.quote.currency == "USD"
        and (entry := counted.accelerator(each)) is not None
        and entry.price is not None
        and entry.price.high > 0
    ]
    if over:
        found["price_over_usual"] = max(over)


def _prices(quote: Quote, found: Found) -> None:
    total = quote.lines_total
    priced = [line for line in quote.lines if line.amount is not None]
    found["has_prices"] = bool(priced)
    found["unpriced"] = bool(quote.lines) and not priced and any(line.price_note == "on-request" for line in quote.lines)
    if quote.lines:
        found["priced_share"] = len(priced) / len(quote.lines)
    if total is not None and total > 0:
        found["quoted_lines_total"] = total
    stated = quote.total_of("subtotal", "total")
    if stated is not None:
        found["quoted_stated_total"] = stated.amount
    found["priced_in_dollars"] = quote.currency == "USD"


def _presence(counted: Tally, found: Found) -> None:
    quote = counted.quote
    kind = quote.kind.casefold()
    found["is_request"] = kind in ("tender", "request", "rfp", "rfq") or bool(found["unpriced"])
    found["is_reference"] = kind in ("reference-design", "published-cluster", "cloud-shape")
    found["is_offer"] = not found["is_request"] and not found["is_reference"]
    found["has_server"] = counted.has(*HOLDS_ACCELERATORS)
    found["has_case"] = counted.has("case", *HOLDS_ACCELERATORS)
    if any("units" in each.part.attributes for each in counted.of("case")):
        found["says_forced_air"] = True  # a chassis for a rack blows air from front to back
    found["has_risers"] = counted.has("riser")
    found["has_hosting"] = counted.has("hosting")
    found["has_support"] = counted.has("service") or any(each.name == "support_term" for each in quote.statements)
    found["rents_compute"] = counted.has("compute")
    found["integrated_system"] = any(
        (server := counted.known.servers.get(each.part.id or "")) is not None and server.vendor == "NVIDIA"
        for each in counted.of(*HOLDS_ACCELERATORS)
    ) or bool(re.search(r"\bDGX\b", all_text(counted)))
    board = counted.has("motherboard")
    found["itemised"] = not found["has_server"] and (
        (counted.has("psu") and (board or counted.has("case")))
        or (board and float(found["priced_share"]) > 0.6 if quote.lines else False)
    )
    found["cards_only"] = bool(quote.lines) and all(line.main is not None and line.main.kind == "gpu" for line in quote.lines)
    options = counted.options()
    if len(options) > 1:
        memories = [
            sum((each.per_node or each.line.quantity) * (counted.gpu_figure(each, "memory") or 0.0) for each in lines)
            for lines in options.values()
        ]
        found["quoted_options"] = float(len(options))
        if min(memories) > 0:
            found["quoted_least_option_memory"], found["quoted_most_option_memory"] = min(memories), max(memories)
