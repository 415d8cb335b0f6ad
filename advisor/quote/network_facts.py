"""Facts of a quote's network and storage: adapters, switches, drives and shares."""

import re
from collections.abc import MutableMapping

from advisor.facts import FactValue
from advisor.quote.figures import figure, put
from advisor.quote.tally import Counted, Tally, is_shared_storage

_MANAGEMENT_SPEED = 1.3e9  # ten gigabits and less carry management


def network_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """Bandwidth of a node, and of all switches."""
    fabric = counted.fabric()
    found["has_adapter"] = counted.has("nic", "dpu") or any("EFA" in each.text for each in counted.quote.lines)
    switches = [
        each
        for each in counted.of("switch")
        if not re.search(r"out[- ]of[- ]band|management|\boob\b", each.line.text, re.IGNORECASE)
    ]
    switches = [each for each in switches if (figure(each, "port_speed") or 1e12) > _MANAGEMENT_SPEED]
    found["has_pcie_switch"] = any(re.search(r"PCI", each.line.text, re.IGNORECASE) for each in switches)
    switches = [each for each in switches if not re.search(r"PCI", each.line.text, re.IGNORECASE)]
    found["has_fabric_switch"] = bool(switches)
    if switches and all(each.total is not None for each in switches):
        found["quoted_switches"] = sum(each.total or 0.0 for each in switches)
    found["has_cables"] = counted.has("cable") or bool(
        re.search(r"\bincl\w*\.?\s*(?:cables?|kabel|optic)|inkl\. Kabel", all_text(counted), re.IGNORECASE)
    )
    found["hpc_network"] = any(
        re.search(r"InfiniBand|\bNDR|\bHDR|RoCE|Omni-?Path", each.line.text, re.IGNORECASE) for each in (*fabric, *switches)
    )
    bandwidth = counted.node_sum(fabric, lambda each: _speed(each))
    ports = counted.node_sum(fabric, lambda each: figure(each, "ports") or 1.0)
    speeds = [speed for each in fabric if (speed := figure(each, "port_speed")) is not None]
    told = counted.quote.stated("network_speed")
    if not counted.of("nic", "dpu") and told is not None and isinstance(told.value, float):
        bandwidth = told.value
        found["has_adapter"] = True
    each_gpu = counted.quote.stated("ports_per_gpu")
    if each_gpu is not None and isinstance(each_gpu.value, float) and "quoted_gpus_per_node" in found:
        ports = each_gpu.value * float(found["quoted_gpus_per_node"])
        bandwidth = ports * speeds[0] if speeds else None
    put(found, "quoted_fabric_bandwidth", bandwidth)
    put(found, "quoted_fabric_ports", ports)
    if speeds:
        found["quoted_fabric_port_speed"] = max(speeds)
    plug_ins = [card.plug_in for each in counted.parts if (card := counted.card(each)) is not None and card.plug_in]
    if plug_ins:
        found["plug_in"] = plug_ins[0]
    known = [
        (each.total, ports, speed)
        for each in switches
        if (ports := figure(each, "ports")) and (speed := figure(each, "port_speed"))
    ]
    if known and len(known) == len(switches):
        fastest = max(speed for _, _, speed in known)
        known = [each for each in known if each[2] > fastest / 4]
        found["quoted_switch_bandwidth"] = sum((number or 0.0) * ports * speed for number, ports, speed in known)
        found["quoted_switch_ports"] = max(ports for _, ports, _ in known)
    elif known:
        fastest = max(speed for _, _, speed in known)
        found["quoted_switch_bandwidth"] = sum(
            (number or 0.0) * ports * speed for number, ports, speed in known if speed > fastest / 4
        )
    hbas = counted.of("hba")
    if hbas:
        put(found, "quoted_storage_link", figure(hbas[0], "port_speed"))
        found["fibre_channel_only"] = not fabric
    storage_speeds = [speed for each in counted.of("storage_server") if (speed := figure(each, "port_speed")) is not None]
    node_speeds = [figure(each, "port_speed") for each in counted.of("nic")]
    if (
        storage_speeds
        and node_speeds
        and not any(
            "front" in each.line.text.casefold() or "storage" in each.line.text.casefold() for each in counted.of("nic", "dpu")
        )
    ):
        found["storage_port_missing"] = all(speed is not None and speed != storage_speeds[0] for speed in node_speeds)


def _speed(each: Counted) -> float | None:
    speed = figure(each, "port_speed")
    return None if speed is None else speed * (figure(each, "ports") or 1.0)


def storage_facts(counted: Tally, found: MutableMapping[str, FactValue]) -> None:
    """Drives of a node, and storage that all share."""
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
        number * size
        for each in shared
        if (number := each.total) is not None and (size := figure(each, "capacity") or figure(each, "raw_capacity"))
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
    total = figure(each, "total_capacity")
    if total is not None:
        return total if each.line.basis == "node" or not counted.nodes else total / counted.nodes
    size = figure(each, "capacity")
    return None if size is None or each.per_node is None else size * each.per_node


def all_text(counted: Tally) -> str:
    """Title and lines in one text."""
    return " ".join((counted.quote.title, *(line.text for line in counted.quote.lines)))
