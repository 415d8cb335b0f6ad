"""Facts of a quote's hosts: processors, memory, power supplies and racks."""

import re
from collections.abc import MutableMapping

from advisor.facts import FactValue
from advisor.quote.figures import figure, part_figure, put
from advisor.quote.tally import HOLDS_ACCELERATORS, Counted, Tally

_LARGEST_MODULE = 257e9


def host_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """Processors, their lanes and memory channels, and the memory of a node."""
    cpus = counted.of("cpu")
    if cpus:
        sockets = counted.node_sum(cpus, lambda each: 1.0)
        put(found, "quoted_sockets", sockets)
        put(found, "quoted_cores", counted.node_sum(cpus, lambda each: figure(each, "cores")))
        put(
            found,
            "quoted_cpu_power",
            counted.node_sum(cpus, lambda each: figure(each, "power") or part_figure(counted, each, "power")),
        )
        put(found, "quoted_memory_channels", counted.node_sum(cpus, lambda each: part_figure(counted, each, "memory_channels")))
        put(found, "quoted_pcie_lanes", counted.node_sum(cpus, lambda each: part_figure(counted, each, "pcie_lanes")))
        generations = [float(card.pcie) for each in cpus if (card := counted.card(each)) is not None and card.pcie]
        if generations:
            found["quoted_host_pcie"] = min(generations)
        platforms = {card.platform for each in cpus if (card := counted.card(each)) is not None}
        found["consumer_platform"] = "consumer" in platforms
        found["workstation_platform"] = "workstation" in platforms
        if sockets == 2 and found.get("quoted_pcie_lanes") == 256.0:
            # Two EPYC spend 96 to 128 of their 256 lanes on the links between the sockets.
            found["quoted_pcie_lanes"] = 160.0
        most = [card.most_sockets for each in cpus if (card := counted.card(each)) is not None and card.most_sockets is not None]
        singles = [each for each in cpus if re.search(r"EPYC\s*\d{4}P\b", each.part.text)]
        if singles or most:
            found["most_sockets"] = 1.0 if singles else float(min(most))
    for each in counted.of("motherboard"):
        channels = figure(each, "memory_channels") or part_figure(counted, each, "memory_channels")
        if channels is not None and "quoted_memory_channels" not in found:
            found["quoted_memory_channels"] = channels * float(found.get("quoted_sockets", 1.0))
        positions = part_figure(counted, each, "positions")
        put(found, "quoted_positions", positions)
    _memory(counted, found)


def _memory(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    sizes: list[float] = []
    modules: list[float] = []
    for each in counted.of("ram"):
        per_node = each.per_node
        total = figure(each, "total_memory")
        module = figure(each, "module_size")
        whole = figure(each, "memory")
        nodes = counted.nodes or 1.0
        if total is not None:
            sizes.append(total if each.line.basis == "node" or nodes == 1 else total / nodes)
            if module is not None and module < _LARGEST_MODULE:
                modules.append(total / module)
        elif whole is not None and per_node is not None:
            sizes.append(whole * per_node)
            modules.append((figure(each, "modules") or 0.0) * per_node)
        elif module is not None and per_node is not None:
            sizes.append(module * per_node)
            if module < _LARGEST_MODULE:
                modules.append(per_node)
    if not sizes:
        stated = counted.quote.stated("totals_host_ram_per_node")
        if stated is not None and isinstance(stated.value, float):
            sizes.append(stated.value)
    if sizes:
        found["quoted_host_memory"] = sum(sizes)
    # A capacity with one "module" of all of it says nothing of the modules.
    if sum(modules) > 1:
        found["quoted_dimms"] = float(round(sum(modules)))


def supply_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """Power supplies of a node, and what is left with the largest lost."""
    supplies = [(each, _supplies_of(each)) for each in counted.of("psu") if each.per_node]
    powers = [(number, power) for each, number in supplies if (power := figure(each, "power")) is not None]
    if supplies:
        found["quoted_supplies"] = sum(number for _, number in supplies)
    if powers and len(powers) == len(supplies):
        installed = sum(number * power for number, power in powers)
        found["quoted_supply_power"] = installed
        found["quoted_supply_power_after_loss"] = installed - max(power for _, power in powers)
    spares = [spare for each, number in supplies if number > 1 and (spare := figure(each, "spare_supplies")) is not None]
    if spares:
        found["quoted_spare_supplies"] = max(spares)


def _supplies_of(each: Counted) -> float:
    """Supplies of a line: "1+1" on a single line is a set of two."""
    number = each.per_node or 0.0
    return (figure(each, "supplies_of_set") or number) if number == 1 else number


def rack_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """Racks, the units that servers take, and what a node draws by its maker."""
    racks = [each for each in counted.of("rack")]
    if racks and all(each.total is not None for each in racks):
        found["quoted_racks"] = sum(each.total or 0.0 for each in racks)
    widths = [width for each in (*racks, *counted.parts) if (width := figure(each, "width_mm")) is not None]
    if widths:
        found["rack_width"] = min(widths)
        found["rack_is_narrow"] = min(widths) <= 600
    units = [
        each.total * height
        for each in counted.of(*HOLDS_ACCELERATORS)
        if each.total is not None and (height := figure(each, "units") or _server_units(counted, each)) is not None
    ]
    if units:
        found["quoted_rack_units_needed"] = sum(units)
    powers = [
        server.power
        for each in counted.of(*HOLDS_ACCELERATORS)
        if (server := counted.known.servers.get(each.part.id or "")) is not None
        and server.power
        and server.power_scope == "system"
    ]
    stated = [power for each in counted.of(*HOLDS_ACCELERATORS) if (power := figure(each, "power")) is not None]
    if powers or stated:
        found["quoted_node_power"] = max([*powers, *stated])


def _server_units(counted: Tally, each: Counted) -> float | None:
    server = counted.known.servers.get(each.part.id or "")
    return float(server.rack_units) if server is not None and server.rack_units else None
