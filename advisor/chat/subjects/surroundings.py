"""What stands around the accelerators: vector indexes, checkpoints, host memory for loading, circuits, availability."""

import re

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.server import Server
from advisor.chat.records import Part, Verdict
from advisor.chat.situation import Situation
from advisor.chat.telling import Telling
from advisor.chat.working import constant
from advisor.sizing.efficiencies import efficiency_columns

_LINKS = 16.0
_RANKS = re.compile(r"(\d+)\s?(?:ranks|processes|workers|procs)")
_INDEX = ("graph_link_bytes", "vector_overhead_bytes", "index_overhead")


def vector_index(situation: Situation) -> Part | None:
    """Memory of a vector index: the vectors alone, and with the graph and what an engine adds."""
    vectors, width = situation.number("chunks"), situation.number("vector_width")
    if width is None and situation.model is not None and situation.model.embedding_width:
        width = float(situation.model.embedding_width)
    vectors = vectors or situation.number("documents")
    if not vectors or not width or situation.number("duration"):
        return None
    telling = Telling(situation)
    telling.words.update(vectors=f"{vectors:,.0f}", width=f"{width:,.0f}")
    shape = {"vectors": vectors, "dimensions": width, "component_bits": 32.0}
    telling.work("raw", "raw_vector_memory", "vectors alone in 32 bit", shape)
    telling.work("raw8", "raw_vector_memory", "vectors alone in 8 bit", {**shape, "component_bits": 8.0})
    facts = {"vector_engine": "hnswlib", "index_kind": "graph"}
    entries = [situation.library.get(Efficiency, id) for id in _INDEX]
    index = telling.work(
        "index",
        "vector_index_memory",
        "graph index in memory",
        {**facts, **efficiency_columns(entries, facts), **shape, "graph_links": _LINKS},
    )
    there = situation.number("host_memory")
    verdict: Verdict | None = None
    if there is not None:
        telling.words["there"] = f"{there / 1e9:,.4g} GB"
        telling.facts["index_exceeds"] = index.value > there
        verdict = "does-not-fit" if index.value > there else "fits"
    return telling.told("vector-index", verdict=verdict)


def checkpoints(situation: Situation) -> Part | None:
    """Size of a checkpoint, and the time to write it at the rate that was said."""
    if "checkpoint" not in situation.text or "checkpointing" in situation.text or not situation.parameters:
        return None
    telling = Telling(situation)
    facts = {"trains_adapters": 1.0 if situation.adapters else 0.0}
    column = efficiency_columns([situation.library.get(Efficiency, "checkpoint_bytes_per_parameter")], facts)
    size = telling.work(
        "size",
        "checkpoint_size",
        "checkpoint with optimizer state",
        {**facts, **column, "parameters": situation.parameters, "trained_share": 0.01 if situation.adapters else 1.0},
    )
    rate = situation.number("storage_throughput")
    if rate:
        telling.words["rate"] = f"{rate / 1e9:.3g} GB/s"
        rates = {"checkpoint_size": size.value, "checkpoint_storage_bandwidth": rate}
        telling.work("time", "checkpoint_write_time", "time to write a checkpoint", rates)
    return telling.told("checkpoints")


def host_loading(situation: Situation) -> Part | None:
    """Host memory where several processes each load the whole model."""
    if situation.trains or not situation.parameters or "load" not in situation.text:
        return None
    said = _RANKS.search(situation.text)
    ranks = float(said[1]) if said else situation.accelerators
    there = situation.number("host_memory")
    if not ranks or ranks < 2 or (there is None and not situation.has("killed")):
        return None
    telling = Telling(situation)
    telling.words["ranks"] = f"{ranks:g}"
    facts = {"parameters": situation.parameters, "loading_element_size": 2.0}
    one = telling.work("one", "loading_memory", "one copy in host memory", {**facts, "loading_ranks": 1.0})
    naive = telling.work("naive", "loading_memory", "a copy in each process", {**facts, "loading_ranks": ranks})
    telling.facts["one_exceeds"] = there is not None and one.value > there
    verdict: Verdict = "does-not-fit" if situation.has("killed") or (there is not None and naive.value > there) else "ok"
    return telling.told("host-loading", verdict=verdict)


def host_floor(situation: Situation) -> Part | None:
    """Host memory of a server against the memory of its accelerators, where nothing else is said of the work."""
    there, setup, cards = situation.number("host_memory"), situation.setup, situation.accelerators
    memory = (setup.memory or (setup.part.memory if setup.part else None)) if setup else None
    if there is None or not cards or memory is None or (setup and setup.part and setup.part.kind == "cpu"):
        return None
    telling = Telling(situation)
    total = telling.work(
        "total", "node_accelerator_memory", "memory of all cards", {"accelerators_per_node": cards, "accelerator_memory": memory}
    )
    floor = telling.work(
        "floor",
        "host_memory_floor",
        "least host memory",
        {"node_accelerator_memory": total.value},
        constants=("host_memory_floor_ratio",),
    )
    telling.words["there"] = f"{there / 1e9:,.4g} GB"
    telling.facts["floor_short"] = there < 0.95 * floor.value
    alone = situation.intent in ("fits", "check", "size") and not situation.parameters
    verdict: Verdict | None = ("works-badly" if telling.facts["floor_short"] else "ok") if alone else None
    return telling.told("host-floor", verdict=verdict)


def circuits(situation: Situation) -> Part | None:
    """What a circuit or a rack carries, against the servers or cards named."""
    telling = Telling(situation)
    voltage, current, rack = situation.number("voltage"), situation.number("current"), situation.number("rack_power")
    draw = _draw(situation, telling)
    if draw is None or not (rack or (voltage and current)):
        return None
    verdict: Verdict = "fits"
    share = ("continuous_share",)
    if rack:
        telling.words["rack"] = f"{rack / 1e3:,.4g} kW"
        telling.facts["rack_short"] = draw > rack
        verdict = "does-not-fit" if draw > rack else verdict
    if voltage and current:
        circuit = telling.work(
            "circuit",
            "circuit_power",
            "continuous load of one circuit",
            {"circuit_phases": 1.0, "circuit_voltage": voltage, "circuit_current": current},
            constants=share,
        )
        telling.facts["circuit_short"] = draw > circuit.value
        verdict = "does-not-fit" if draw > circuit.value else verdict
    return telling.told("circuits", verdict=verdict)


def _draw(situation: Situation, telling: Telling) -> float | None:
    """Power of all servers or cards named, each at its most."""
    named = situation.reading("server")
    if named is not None and named.among and situation.library.has(Server, named.among[0]):
        server = situation.library.get(Server, named.among[0])
        power = getattr(server, "power", None)
        count = situation.number("node_count") or 1.0
        if power:
            telling.words.update(what=f"{count:g} × {server.name}", each=f"{power / 1e3:,.4g} kW")
            telling.words["draw"] = f"{count * power / 1e3:,.4g} kW"
            return float(count * power)
    setup = situation.setup
    each = situation.number("accelerator_power") or (setup.part.power if setup and setup.part else None)
    if setup is None or each is None:
        return None
    cards = situation.accelerators or 1.0
    desk = situation.word("deployment") == "workstation" or not (setup.part and setup.part.data_centre == "yes")
    name, ratio = (
        ("power_supply_needed", ("transient_factor", "rest_of_system_power"))
        if desk
        else ("server_power", ("whole_system_power_ratio",))
    )
    facts = {"accelerators_per_node": cards, "power_per_accelerator": each}
    made = telling.work("machine", name, "most power of the machine", facts, constants=ratio)
    telling.words.update(what=f"A machine with {setup.shown}", draw=made.shown)
    return made.value


def downtime(situation: Situation) -> Part | None:
    """What an availability target allows, and that one copy cannot be taken for it."""
    target = situation.number("availability")
    if target is None:
        return None
    telling = Telling(situation)
    telling.words["target"] = f"{100 * target:.6g} %"
    telling.work("down", "downtime_per_year", "downtime allowed in a year", {"service_availability": target})
    one = situation.number("node_count") == 1 or "one server" in situation.text or "single server" in situation.text
    telling.facts["single"] = one
    telling.facts["target"] = target
    return telling.told(
        "downtime", verdict="does-not-fit" if one and target > constant(situation.library, "single_server_share") else None
    )


def agent_calls(situation: Situation) -> Part | None:
    """Model calls that agents make, where each task is several."""
    calls = situation.number("calls_per_request")
    if calls is None:
        return None
    telling = Telling(situation)
    telling.words["calls"] = f"{calls:g}"
    rate = situation.number("requests_per_second")
    if rate:
        telling.work("rate", "calls_in_a_second", "model calls a second", {"task_rate": rate, "calls_each": calls})
    return telling.told("agent-calls")
