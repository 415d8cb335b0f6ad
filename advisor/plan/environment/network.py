"""Links inside a server, the fabric between servers where the plan spans several, and the line to the users."""

from advisor.catalogue.accelerator import Accelerator
from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import SiteLimit, SubjectReport
from advisor.plan.quantity import Quantity
from advisor.sizing.network import port_for
from advisor.units import parse, show

_PORTS = tuple(parse(text, "byte/second") for text in ("1 Gbit/s", "10 Gbit/s", "25 Gbit/s", "100 Gbit/s", "400 Gbit/s"))
_USUAL_PORT = parse("400 Gbit/s", "byte/second")
_FABRIC = (
    "leaf_switches",
    "spine_switches",
    "core_switches",
    "node_cables",
    "spine_cables",
    "transceivers",
    "fabric_power",
    "network_bandwidth_per_accelerator",
)


def network_report(g: Gathered, s: Setting) -> tuple[SubjectReport, tuple[SiteLimit, ...]]:
    """The network by place, and the site's lines as limits."""
    things = {"inside a server": _link(s.part)}
    notes: list[str] = []
    figures: dict[str, Quantity] = {}
    one_way = _one_way(s.part)
    if one_way is not None:
        g.give("one_way_bandwidth", one_way, f"accelerator {s.part.id}, one direction", label=Label.catalogue)
        figures |= g.show("one_way_bandwidth")
    g.give("nodes", float(s.nodes), "servers for the load and its spares, as they are sold")
    if _spans(s):
        figures |= _fabric(g, s, notes)
        things["between servers"] = "a fabric of its own, one port for every accelerator"
    else:
        g.give("fabric_power", 0.0, "no fabric between servers")
        things["between servers"] = "usual Ethernet: nothing of the work crosses servers"
    limits = list(_between(s, g))
    if s.calls and not s.text and not s.beside:
        notes.append("What items take on the line to the users is not counted: it depends on their files.")
    if s.calls and s.text and not s.beside:
        figures |= _users(g, s)
        port = port_for(figures["user_network_rate"].value, _PORTS)
        things["to the users"] = show(port, "Gbit/s") if port is not None else "several ports of 400 Gbit/s"
        there = s.document.site.internet if s.document.site else None
        if there is not None:
            needed = figures["user_network_rate"].value
            limits.append(
                SiteLimit(
                    name="line to the users",
                    needed=needed,
                    there=there,
                    unit="byte/second",
                    holds=needed <= there,
                    relax="a faster line, or smaller attachments",
                )
            )
    notes.append("Storage takes ports of its own, as fast as the shared tier is to be read.")
    return SubjectReport(figures=figures, things=things, notes=tuple(notes)), tuple(limits)


def _link(part: Accelerator) -> str:
    if part.scale_up is None or part.scale_up.kind in ("none", "pcie"):
        return f"PCIe, {part.pcie}" if part.pcie else "PCIe"
    return f"{part.scale_up.kind}, {part.scale_up.domain} accelerators in one domain"


def _one_way(part: Accelerator) -> float | None:
    link = part.scale_up
    if link is None:
        return None
    return link.per_direction or (link.bandwidth / 2 if link.bandwidth else None)


def _spans(s: Setting) -> bool:
    """Whether servers exchange data of the work itself: a run on several, or a replica that one does not hold."""
    per_replica = s.chosen.accelerators if s.runs else max(1, s.chosen.accelerators // max(1, s.chosen.replicas))
    return s.nodes > 1 and per_replica > s.per_node


def _fabric(g: Gathered, s: Setting, notes: list[str]) -> dict[str, Quantity]:
    g.give("rails", float(s.per_node), "one port for every accelerator")
    g.give("management_ports", 0.0, "managed by the switches themselves")
    g.give("oversubscription", 1.0, "every server may send at full rate")
    g.give("rail_optimised", 1.0, "a leaf for each rail")
    g.give("planes", 1.0, "one plane")
    g.give("copper_share", 0.0, "all cables optical", label=Label.assumed)
    g.give("cables_per_transceiver", 1.0, "one cable each", label=Label.assumed)
    g.give("network_adapters", float(s.per_node), "one for every accelerator")
    stated = s.document.site.network if s.document.site else None
    run = s.traced("inter_node_bandwidth")
    if stated is not None:
        g.give("port_rate", float(stated), "site.network", label=Label.answered)
    elif run:
        g.give("port_rate", run, "the rate between servers that the run was sized with")
    else:
        g.give("port_rate", _USUAL_PORT, "a usual port of such servers", label=Label.assumed)
    g.constants("switch_radix", "power_per_switch")
    figures = g.show(*_FABRIC)
    if "one_way_bandwidth" in g.values:
        figures |= g.show("bandwidth_drop_between_nodes")
    notes.append("Switches, cables and transceivers are counted without oversubscription, as a fat tree of equal ports.")
    return figures


def _between(s: Setting, g: Gathered) -> tuple[SiteLimit, ...]:
    there = s.document.site.network if s.document.site else None
    run = s.traced("inter_node_bandwidth")
    if there is None or not run or not _spans(s) or there >= run:
        return ()
    return (
        SiteLimit(
            name="network between servers",
            needed=run,
            there=there,
            unit="byte/second",
            holds=False,
            relax="faster adapters and switches, or a run that stays in one server",
        ),
    )


def _users(g: Gathered, s: Setting) -> dict[str, Quantity]:
    g.constants("streamed_bytes_per_token", "text_bytes_per_token", "achieved_line_share")
    g.give("output_token_rate", s.calls * s.output_tokens, "answers of the peak, token by token")
    g.give("requests_per_second", s.requests, "at the peak")
    g.give("input_tokens", s.input_tokens, "of one request")
    g.give("attached_bytes", 0.0, "no images, sound or documents are counted with the requests", label=Label.assumed)
    g.give("media_rate", 0.0, "no streams of sound or video are counted", label=Label.assumed)
    return g.show("text_egress_rate", "request_ingress_rate", "user_network_rate")
