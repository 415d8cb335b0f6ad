"""Processors and memory of the servers, and the servers without accelerators beside them."""

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import SubjectReport
from advisor.plan.quantity import Quantity
from advisor.units import number, show_base

_OF_RUNS = ("node_cores", "node_host_memory", "training_host_memory", "loader_cores")


def host_report(g: Gathered, s: Setting) -> SubjectReport:
    """Host of one server by what runs on it, held against the server of the catalogue."""
    g.give("accelerators_per_node", float(s.per_node), "of the server as it is sold")
    memory = s.part.memory or s.part.reported_memory or 0.0
    g.give("accelerator_memory", memory, f"accelerator {s.part.id}", label=Label.catalogue)
    g.constants("host_memory_floor_ratio", "system_cores", "core_utilisation", "tokenised_tokens_per_core", "system_memory")
    notes: list[str] = []
    if s.runs:
        figures = {name: s.chosen.estimates[name] for name in _OF_RUNS if name in s.chosen.estimates}
        figures |= g.show("host_memory_floor")
        cores = figures["node_cores"].value if "node_cores" in figures else 0.0
        needed = figures["node_host_memory"].value if "node_host_memory" in figures else 0.0
        needed = max(needed, figures["host_memory_floor"].value)
        if s.chosen.accelerators_per_node != s.per_node:
            notes.append(f"Cores and memory are those of a node of {s.chosen.accelerators_per_node}, as the run uses it.")
    else:
        _serving(g, s)
        figures = g.show("serving_host_cores", "host_memory_needed", "host_memory_planned")
        cores, needed = figures["serving_host_cores"].value, figures["host_memory_planned"].value
    if not s.beside:
        figures |= _services(g, s)
    notes += _against_server(s, cores, needed)
    notes.append("Fill all memory channels of every socket alike; an empty channel costs bandwidth.")
    return SubjectReport(figures=figures, things={"server": s.server_name}, notes=tuple(notes))


def _serving(g: Gathered, s: Setting) -> None:
    per_replica = max(1, s.chosen.accelerators // max(1, s.chosen.replicas))
    engines = max(1, min(s.provisioned, s.per_node // per_replica))
    g.give("engines_per_node", float(engines), "replicas that stand on one server")
    rate = s.calls * (s.input_tokens + s.output_tokens) / s.nodes
    g.give("node_token_rate", rate, "prompts and answers of the peak, spread over the servers")
    if s.text:
        g.give("processing_cores", 0.0, "reading documents and guarding requests are not in it", label=Label.assumed)
    else:
        g.constants("samples_per_core")
        g.give("node_samples_per_second", s.calls / s.nodes, "items of the peak, spread over the servers")
        g.compute("loader_core_load")
        g.give("processing_cores", g.number("loader_core_load"), "decoding and preparing the items, at the rate of one core")
    weights = model_bytes(s)
    g.give("page_cache", weights * engines, "the weights, so that an engine starts again from memory")
    g.give("loading_memory", 0.0, "engines map the weights and need no second copy")
    g.give("loader_memory", 0.0, "no data loaders")
    g.give("offload_memory", 0.0, "nothing is offloaded")
    g.give("host_cache_memory", 0.0, "no cache of prompts is kept in host memory")


def _services(g: Gathered, s: Setting) -> dict[str, Quantity]:
    """Servers for the gateway, monitoring and, for retrieval, the vector index."""
    from advisor.plan.environment.retrieval import index_memory

    if s.deployment in ("workstation", "edge"):
        g.give("service_nodes", 0.0, "everything stands on the one machine")
        return g.show("service_nodes")
    g.constants("service_cores", "service_node_cores", "service_node_memory")
    index = index_memory(g, s)
    if index:
        g.constants("service_memory")
        both = g.number("service_memory") + index
        del g.values["service_memory"]
        g.give(
            "service_memory", both, f"gateway and monitoring, and the vector index with its build ({show_base(index, 'byte')})"
        )
    g.constants("service_memory")
    standing = 2.0 if s.plan.environment == "production" else 1.0
    g.give("standing_service_nodes", standing, "two in production, so that one may fail; else one")
    return g.show("service_nodes")


def _against_server(s: Setting, cores: float, needed: float) -> list[str]:
    server, said = s.server, []
    if server is None:
        return [f"The catalogue has no server with {s.per_node} × {s.part.name}; ask for one with these cores and this memory."]
    if server.cpu_cores is not None and cores > server.cpu_cores:
        said.append(f"{server.name} as listed has {server.cpu_cores} cores, fewer than the {number(cores)} it takes.")
    installed = server.host_memory or server.host_memory_max
    if installed is not None and needed > installed:
        said.append(
            f"{server.name} as listed has {show_base(installed, 'byte')}, less than the {show_base(needed, 'byte')} it takes."
        )
    return said


def model_bytes(s: Setting) -> float:
    """Bytes of the files that serving loads, or that a run starts from."""
    for name in ("model_file_bytes", "weights", "item_weights", "exported_weights_size"):
        value = s.traced(name)
        if value is not None:
            return value
    return 2.0 * s.plan.model.parameters
