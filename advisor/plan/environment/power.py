"""Power, racks, circuits, cooling, energy and carbon, and what of the site binds."""

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.environment_records import SiteLimit, SubjectReport
from advisor.plan.quantity import Quantity
from advisor.sizing.efficiencies import applied_level
from advisor.units import show_base
from advisor.workload.site import Site

_STATED = {"system": "the maker's figure for the whole system", "module": "the compute module's figure"}
_SITE = (
    "it_power",
    "facility_power",
    "heat_output",
    "energy_per_year",
    "carbon_per_year",
)


def power_report(g: Gathered, s: Setting) -> tuple[SubjectReport, tuple[SiteLimit, ...]]:
    """Power from the server up to the site; empty where the accelerator's design power is not known."""
    site = s.document.site or Site()
    server = s.server
    if server is not None and server.power is not None and server.power_scope in _STATED:
        sources = tuple(str(source) for source in server.sources)
        because = f"{server.name}, {_STATED[server.power_scope]}"
        g.give("server_power", server.power, because, label=Label.catalogue, sources=sources)
    elif s.part.power is not None:
        g.give("power_per_accelerator", s.part.power, f"accelerator {s.part.id}", label=Label.catalogue)
        g.constants("whole_system_power_ratio")
    else:
        return SubjectReport(notes=(f"The catalogue has no design power of {s.part.name}; nothing of power is computed.",)), ()
    notes: list[str] = []
    figures = g.show("server_power")
    figures |= _racks(g, s, site, notes)
    if "service_nodes" not in g.values:
        g.give("service_nodes", 0.0, "those of the main model serve this one as well")
    g.constants("service_node_power", "load_factor", "grid_carbon_intensity")
    if not g.state("power_usage_effectiveness", site.pue, "site.pue"):
        g.constants("power_usage_effectiveness")
    figures |= g.show(*_SITE)
    if not s.bought:
        notes.append("Rented: power, racks and cooling are the provider's; here they are those of an own hall, to compare.")
    notes.append(
        "Carbon is that of the world's mean electricity where the grid is not known, without that of making the hardware."
    )
    limits = tuple(_limits(g, s, site, figures))
    return SubjectReport(figures=figures, things={"server": s.server_name}, notes=tuple(notes)), limits


def _racks(g: Gathered, s: Setting, site: Site, notes: list[str]) -> dict[str, Quantity]:
    if s.deployment in ("workstation", "edge"):
        if s.part.power is not None and s.deployment == "workstation":
            g.give("power_per_accelerator", s.part.power, f"accelerator {s.part.id}", label=Label.catalogue)
            g.constants("transient_factor", "rest_of_system_power")
            return g.show("power_supply_needed")
        return {}
    server = s.server
    if server is not None and server.form == "rack":
        g.give("servers_per_rack", 1.0, f"{server.name} is a rack")
    else:
        if site.rack_power is not None:
            g.give("rack_power", site.rack_power, "site.rack_power", label=Label.answered)
        else:
            g.constants("rack_power")
        g.give("continuous_share", 1.0, "the power of a rack is taken as what it may draw for hours")
        if not g.state("rack_units", site.rack_units, "site.rack_units"):
            g.constants("rack_units")
        if server is not None and server.rack_units is not None:
            g.give("server_rack_units", float(server.rack_units), server.name, label=Label.catalogue)
        else:
            g.constants("server_rack_units")
    g.constants("air_cooling_limit")
    figures = g.show("servers_per_rack", "racks")
    if s.nodes >= g.number("servers_per_rack"):
        figures |= g.show("rack_load", "needs_liquid_cooling")
    circuit = site.circuit
    if circuit is not None and circuit.voltage is not None and circuit.current is not None:
        g.give("circuit_voltage", circuit.voltage, "site.circuit", label=Label.answered)
        share = circuit.continuous_share
        if share is None:
            share = applied_level(s.library.get(Efficiency, "continuous_share"), {}, 0).typical
        because = f"{show_base(circuit.current, 'ampere')} of site.circuit, of which {100 * share:g} % may be drawn for hours"
        g.give("circuit_current", circuit.current * share, because)
        g.give("continuous_share", 1.0, "already taken off the current")
        g.give("circuit_phases", float(circuit.phases or 1), "site.circuit, or one phase", label=Label.answered)
        two = bool(site.redundant_feeds)
        g.give("feeds", 2.0 if two else 1.0, "two feeds, each of which carries the whole rack" if two else "one feed")
        figures |= g.show("circuit_power", "circuits_per_rack")
    else:
        notes.append("Circuits are not counted: state site.circuit as {voltage: 400 V, current: 32 A, phases: 3}.")
    return figures


def _limits(g: Gathered, s: Setting, site: Site, figures: dict[str, Quantity]) -> list[SiteLimit]:
    found = []

    def limit(name: str, needed: float, there: float, unit: str, relax: str) -> None:
        found.append(SiteLimit(name=name, needed=needed, there=there, unit=unit, holds=needed <= there, relax=relax))

    if site.power is not None:
        help_ = "a lower power limit for the accelerators, fewer of them, or more power"
        limit("power of the site", figures["facility_power"].value, site.power, "watt", help_)
    rack = "servers_per_rack" in g.values
    if site.rack_power is not None and rack:
        help_ = f"smaller servers, or racks of at least {show_base(g.number('server_power'), 'watt')}"
        limit("power of a rack", g.number("server_power"), site.rack_power, "watt", help_)
    if site.racks is not None and rack:
        needed = g.number("racks")
        if np.isfinite(needed):
            limit("racks", needed, float(site.racks), "1", "more servers in a rack, or more racks")
    if site.cooling == "air" and rack:
        server = s.server
        liquid = server is not None and server.cooling is not None and "liquid" in server.cooling and "air" not in server.cooling
        load = g.number("server_power") * max(1.0, min(float(s.nodes), g.number("servers_per_rack")))
        limit(
            "heat of a rack that air carries",
            load,
            g.number("air_cooling_limit"),
            "watt",
            "fewer servers in a rack, or liquid cooling",
        )
        if liquid:
            limit("liquid cooling", 1.0, 0.0, "1", "a server that is cooled by air, or liquid cooling at the site")
    if site.circuit is not None and "circuit_power" in g.values:
        limit(
            "one circuit",
            g.number("server_power"),
            g.number("circuit_power"),
            "watt",
            "more circuits to a server, or larger ones",
        )
    return found
