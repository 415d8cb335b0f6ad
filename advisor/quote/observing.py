"""Facts that follow from a quote's lines by counting: hardware of one node, network, storage, prices, and which parts are there."""

import re
from collections.abc import Mapping

from advisor.facts import FactValue
from advisor.quote.judging import claims, misfits, missing_parts
from advisor.quote.quote import Quote
from advisor.quote.saying import said
from advisor.quote.tally import HOLDS_ACCELERATORS, Counted, Known, Tally, is_shared_storage, tally
from advisor.quote.using import wanted_facts

Found = dict[str, FactValue]
_LINKS = ("nvlink", "nvlink-bridge", "xgmi", "ici", "neuronlink", "roce", "xe-link", "pcie", "none")
_LARGEST_MODULE = 257e9
# Generations that the current major version of the vendor's toolkit leaves out.
_OLD = ("Volta", "Pascal", "Maxwell", "Kepler")
_MANAGEMENT_SPEED = 1.3e9  # ten gigabits and less carry management


def observe(quote: Quote, known: Known) -> Mapping[str, FactValue]:
    """All facts of a quote that need no formula; what it leaves open is left out."""
    counted = tally(quote, known)
    found: Found = {"quoted_lines": float(len(quote.lines)), "quote_kind": quote.kind or "unknown"}
    _accelerators(counted, found)
    _host(counted, found)
    _supplies(counted, found)
    _network(counted, found)
    _storage(counted, found)
    _racks(counted, found)
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


def _accelerators(counted: Tally, found: Found) -> None:
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
    _set(found, "quoted_gpus_per_node", per_node)
    _set(found, "quoted_gpus", total)
    models = {each.part.id or each.part.text.casefold() for each in gpus}
    found["quoted_gpu_models"] = float(len(models))
    memories = [memory for each in gpus if (memory := counted.gpu_figure(each, "memory")) is not None]
    found["gpu_known"] = all(each.part.id is not None for each in gpus) or len(memories) == len(gpus)
    if memories:
        found["quoted_smallest_gpu_memory"], found["quoted_largest_gpu_memory"] = min(memories), max(memories)
    if len(memories) == len(gpus):
        _set(found, "quoted_gpu_memory", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "memory")))
        if total is not None and per_node:
            found["quoted_gpu_memory_total"] = float(found.get("quoted_gpu_memory", 0.0)) * total / per_node
        elif total is not None:
            found["quoted_gpu_memory_total"] = memories[0] * total
    _set(found, "quoted_gpu_power", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "power")))
    _set(found, "quoted_gpu_bandwidth", counted.node_sum(gpus, lambda each: counted.gpu_figure(each, "bandwidth")))
    powers = [power for each in gpus if (power := counted.gpu_figure(each, "power")) is not None]
    if powers:
        found["quoted_card_power"] = max(powers)
    limits = [limit for each in gpus if isinstance(limit := each.part.attributes.get("power_limit"), float)]
    if limits:
        found["quoted_card_power_limit"] = max(limits)
    _set(found, "quoted_gpu_compute", counted.node_sum(gpus, lambda each: _compute(counted, each)))
    found["quoted_link"] = _link(counted, gpus)
    found["card"] = _called(counted, gpus[0])
    if len(models) > 1:
        found["other_card"] = next(_called(counted, each) for each in gpus if _called(counted, each) != found["card"] or each is gpus[-1])
    _formats(counted, gpus, found)
    found["consumer_cards"] = any(_is_consumer(counted, each) for each in gpus)
    found["passive_cards"] = any(_is_passive(counted, each) for each in gpus)
    found["unified_memory"] = any(each.part.kind == "system" or _is_desktop(counted, each) for each in gpus)
    entries = [entry for each in gpus if (entry := counted.accelerator(each)) is not None]
    found["old_architecture"] = any(entry.architecture in _OLD for entry in entries)
    found["other_vendor"] = any(entry.vendor != "NVIDIA" for entry in entries)
    dropped = [card.dropped for each in gpus if (card := counted.card(each)) is not None and card.dropped]
    if dropped:
        found["dropped_by"] = dropped[0]
    widths = [str(width) for each in (*gpus, *counted.of("riser")) if (width := each.part.attributes.get("width")) in ("x1", "x2", "x4")]
    if widths:
        found["narrow_width"] = widths[0]
    slots = counted.node_sum(gpus, lambda each: _width(counted, each))
    _set(found, "quoted_slots_needed", slots)
    found["sxm_without_board"] = _boards(counted, gpus) and counted.has("motherboard", "case") and not counted.has("server", "system")


def _compute(counted: Tally, each: Counted) -> float | None:
    entry = counted.accelerator(each)
    if entry is None:
        return None
    return entry.compute.get("bf16") or entry.compute.get("fp16") or entry.compute.get("fp32")


def _formats(counted: Tally, gpus: tuple[Counted, ...], found: Found) -> None:
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
    wanted = next((name for name in ("bf16", "fp8", "fp4") if name in precision.replace("nvfp4", "fp4").replace("mxfp4", "fp4")), None)
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


_ORDER = ("none", "pcie", "nvlink-bridge", "roce", "xe-link", "xgmi", "neuronlink", "ici", "nvlink", "unified", "unknown")


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


def _host(counted: Tally, found: Found) -> None:
    cpus = counted.of("cpu")
    if cpus:
        sockets = counted.node_sum(cpus, lambda each: 1.0)
        _set(found, "quoted_sockets", sockets)
        _set(found, "quoted_cores", counted.node_sum(cpus, lambda each: _figure(each, "cores")))
        _set(found, "quoted_cpu_power", counted.node_sum(cpus, lambda each: _figure(each, "power") or _part_figure(counted, each, "power")))
        for name, attribute in (("quoted_memory_channels", "memory_channels"), ("quoted_pcie_lanes", "pcie_lanes")):
            _set(found, name, counted.node_sum(cpus, lambda each, key=attribute: _part_figure(counted, each, key)))
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
        channels = _figure(each, "memory_channels") or _part_figure(counted, each, "memory_channels")
        if channels is not None and "quoted_memory_channels" not in found:
            found["quoted_memory_channels"] = channels * float(found.get("quoted_sockets", 1.0))
        positions = _part_figure(counted, each, "positions")
        _set(found, "quoted_positions", positions)
    _memory(counted, found)


def _memory(counted: Tally, found: Found) -> None:
    sizes: list[float] = []
    modules: list[float] = []
    for each in counted.of("ram"):
        per_node = each.per_node
        total = _figure(each, "total_memory")
        module = _figure(each, "module_size")
        whole = _figure(each, "memory")
        nodes = counted.nodes or 1.0
        if total is not None:
            sizes.append(total if each.line.basis == "node" or nodes == 1 else total / nodes)
            if module is not None and module < _LARGEST_MODULE:
                modules.append(total / module)
        elif whole is not None and per_node is not None:
            sizes.append(whole * per_node)
            modules.append((_figure(each, "modules") or 0.0) * per_node)
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


def _supplies(counted: Tally, found: Found) -> None:
    supplies = [each for each in counted.of("psu") if each.per_node]
    powers = [(each.per_node or 0.0, power) for each in supplies if (power := _figure(each, "power")) is not None]
    if supplies:
        found["quoted_supplies"] = sum(each.per_node or 0.0 for each in supplies)
    if powers and len(powers) == len(supplies):
        installed = sum(number * power for number, power in powers)
        found["quoted_supply_power"] = installed
        found["quoted_supply_power_after_loss"] = installed - max(power for _, power in powers)
    spares = [spare for each in supplies if (spare := _figure(each, "spare_supplies")) is not None]
    if spares:
        found["quoted_spare_supplies"] = max(spares)


def _network(counted: Tally, found: Found) -> None:
    fabric = counted.fabric()
    found["has_adapter"] = counted.has("nic", "dpu") or any("EFA" in each.text for each in counted.quote.lines)
    switches = [each for each in counted.of("switch") if not re.search(r"out[- ]of[- ]band|management|\boob\b", each.line.text, re.IGNORECASE)]
    switches = [each for each in switches if (_figure(each, "port_speed") or 1e12) > _MANAGEMENT_SPEED]
    found["has_pcie_switch"] = any(re.search(r"PCI", each.line.text, re.IGNORECASE) for each in switches)
    switches = [each for each in switches if not re.search(r"PCI", each.line.text, re.IGNORECASE)]
    found["has_fabric_switch"] = bool(switches)
    found["has_cables"] = counted.has("cable") or bool(re.search(r"\bincl\w*\.?\s*(?:cables?|kabel|optic)|inkl\. Kabel", _all_text(counted), re.IGNORECASE))
    found["hpc_network"] = any(re.search(r"InfiniBand|\bNDR|\bHDR|RoCE|Omni-?Path", each.line.text, re.IGNORECASE) for each in (*fabric, *switches))
    bandwidth = counted.node_sum(fabric, lambda each: _speed(each))
    ports = counted.node_sum(fabric, lambda each: _figure(each, "ports") or 1.0)
    speeds = [speed for each in fabric if (speed := _figure(each, "port_speed")) is not None]
    told = counted.quote.stated("network_speed")
    if not counted.of("nic", "dpu") and told is not None and isinstance(told.value, float):
        bandwidth = told.value
        found["has_adapter"] = True
    each_gpu = counted.quote.stated("ports_per_gpu")
    if each_gpu is not None and isinstance(each_gpu.value, float) and "quoted_gpus_per_node" in found:
        ports = each_gpu.value * float(found["quoted_gpus_per_node"])
        bandwidth = ports * speeds[0] if speeds else None
    _set(found, "quoted_fabric_bandwidth", bandwidth)
    _set(found, "quoted_fabric_ports", ports)
    if speeds:
        found["quoted_fabric_port_speed"] = max(speeds)
    plug_ins = [card.plug_in for each in counted.parts if (card := counted.card(each)) is not None and card.plug_in]
    if plug_ins:
        found["plug_in"] = plug_ins[0]
    known = [(each.total, ports, speed) for each in switches if (ports := _figure(each, "ports")) and (speed := _figure(each, "port_speed"))]
    if known and len(known) == len(switches):
        fastest = max(speed for _, _, speed in known)
        known = [each for each in known if each[2] > fastest / 4]
        found["quoted_switch_bandwidth"] = sum((number or 0.0) * ports * speed for number, ports, speed in known)
        found["quoted_switch_ports"] = max(ports for _, ports, _ in known)
    elif known:
        fastest = max(speed for _, _, speed in known)
        found["quoted_switch_bandwidth"] = sum((number or 0.0) * ports * speed for number, ports, speed in known if speed > fastest / 4)
    hbas = counted.of("hba")
    if hbas:
        _set(found, "quoted_storage_link", _figure(hbas[0], "port_speed"))
        found["fibre_channel_only"] = not fabric
    storage_speeds = [speed for each in counted.of("storage_server") if (speed := _figure(each, "port_speed")) is not None]
    node_speeds = [_figure(each, "port_speed") for each in counted.of("nic")]
    if storage_speeds and node_speeds and not any("front" in each.line.text.casefold() or "storage" in each.line.text.casefold() for each in counted.of("nic", "dpu")):
        found["storage_port_missing"] = all(speed is not None and speed != storage_speeds[0] for speed in node_speeds)


def _speed(each: Counted) -> float | None:
    speed = _figure(each, "port_speed")
    return None if speed is None else speed * (_figure(each, "ports") or 1.0)


def _storage(counted: Tally, found: Found) -> None:
    drives = counted.of("storage", "storage_server")
    found["has_storage"] = bool(drives) or found.get("has_adapter") is None
    if not drives:
        return
    local = [each for each in drives if not is_shared_storage(each)]
    shared = [each for each in drives if is_shared_storage(each)]
    sizes = [size for each in local if (size := _drive_size(counted, each)) is not None]
    if sizes:
        found["quoted_local_storage"] = sum(sizes)
    shared_sizes = [
        number * size for each in shared if (number := each.total) is not None and (size := _figure(each, "capacity") or _figure(each, "raw_capacity"))
    ]
    if shared_sizes:
        found["quoted_shared_storage"] = sum(shared_sizes)
    if len(sizes) == len(local):
        nodes = counted.nodes or 1.0
        found["quoted_total_storage"] = sum(sizes) * nodes + sum(shared_sizes)
        if shared and not shared_sizes:
            del found["quoted_total_storage"]
    found["slow_disks"] = bool(drives) and all(each.part.attributes.get("medium") == "disk" for each in drives)


def _drive_size(counted: Tally, each: Counted) -> float | None:
    total = _figure(each, "total_capacity")
    if total is not None:
        return total if each.line.basis == "node" or not counted.nodes else total / counted.nodes
    size = _figure(each, "capacity")
    return None if size is None or each.per_node is None else size * each.per_node


def _racks(counted: Tally, found: Found) -> None:
    racks = [each for each in counted.of("rack")]
    if racks and all(each.total is not None for each in racks):
        found["quoted_racks"] = sum(each.total or 0.0 for each in racks)
    widths = [width for each in (*racks, *counted.parts) if (width := _figure(each, "width_mm")) is not None]
    if widths:
        found["rack_width"] = min(widths)
        found["rack_is_narrow"] = min(widths) <= 600
    units = [
        each.total * height
        for each in counted.of(*HOLDS_ACCELERATORS)
        if each.total is not None and (height := _figure(each, "units") or _server_units(counted, each)) is not None
    ]
    if units:
        found["quoted_rack_units_needed"] = sum(units)
    powers = [
        server.power
        for each in counted.of(*HOLDS_ACCELERATORS)
        if (server := counted.known.servers.get(each.part.id or "")) is not None and server.power and server.power_scope == "system"
    ]
    stated = [power for each in counted.of(*HOLDS_ACCELERATORS) if (power := _figure(each, "power")) is not None]
    if powers or stated:
        found["quoted_node_power"] = max([*powers, *stated])


def _server_units(counted: Tally, each: Counted) -> float | None:
    server = counted.known.servers.get(each.part.id or "")
    return float(server.rack_units) if server is not None and server.rack_units else None


def _mismatches(counted: Tally, found: Found) -> None:
    """Sums that a line states beside its own count and size, and the stated memory of a node's accelerators."""
    for each in counted.of("ram"):
        total, module = _figure(each, "total_memory"), _figure(each, "module_size")
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
    found["has_risers"] = counted.has("riser")
    found["has_hosting"] = counted.has("hosting")
    found["has_support"] = counted.has("service") or any(each.name == "support_term" for each in quote.statements)
    found["rents_compute"] = counted.has("compute")
    found["integrated_system"] = any(
        (server := counted.known.servers.get(each.part.id or "")) is not None and server.vendor == "NVIDIA" for each in counted.of(*HOLDS_ACCELERATORS)
    ) or bool(re.search(r"\bDGX\b", _all_text(counted)))
    board = counted.has("motherboard")
    found["itemised"] = not found["has_server"] and (
        (counted.has("psu") and (board or counted.has("case"))) or (board and float(found["priced_share"]) > 0.6 if quote.lines else False)
    )
    found["cards_only"] = bool(quote.lines) and all(line.main is not None and line.main.kind == "gpu" for line in quote.lines)
    options = counted.options()
    if len(options) > 1:
        memories = [
            sum((each.per_node or each.line.quantity) * (counted.gpu_figure(each, "memory") or 0.0) for each in lines) for lines in options.values()
        ]
        found["quoted_options"] = float(len(options))
        if min(memories) > 0:
            found["quoted_least_option_memory"], found["quoted_most_option_memory"] = min(memories), max(memories)


def _figure(each: Counted, name: str) -> float | None:
    value = each.part.attributes.get(name)
    return value if isinstance(value, float) else None


def _part_figure(counted: Tally, each: Counted, name: str) -> float | None:
    card = counted.card(each)
    value = getattr(card, name, None) if card is not None else None
    return float(value) if isinstance(value, int | float) else None


def _all_text(counted: Tally) -> str:
    return " ".join((counted.quote.title, *(line.text for line in counted.quote.lines)))


def _set(found: Found, name: str, value: float | None) -> None:
    if value is not None:
        found[name] = value
