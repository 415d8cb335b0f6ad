"""An accelerator as a host for candidates: the memory its driver reports, and how many stand in a server."""

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.efficiency import Efficiency
from advisor.library import Library
from advisor.sizing.candidates import Host
from advisor.sizing.efficiencies import applied_level
from advisor.units import parse

_USUAL_SERVER = 8
_LARGEST_DOMAIN = 72
# A card's box says GB where its chips hold GiB.
BOX_GIGABYTE = parse("1 GiB", "byte") / parse("1 GB", "byte")


def host_of(library: Library, part: Accelerator, per_node: int | None = None) -> Host:
    """An accelerator with its server's size and the memory its driver reports."""
    return Host(part, per_node or usual_node(part), reported_memory(library, part))


def reported_memory(library: Library, part: Accelerator) -> float:
    """Memory the driver reports to a process, in bytes; 0 where the part's memory is not known.

    As start-up logs show it; else the management tool's figure less what drivers keep; else a share of the number on the box,
    which counts GiB whatever it prints.
    """
    facts = {"vendor": part.vendor, "accelerator_kind": part.kind, "data_centre": part.data_centre}
    if part.reported_memory is not None:
        return part.reported_memory
    if part.usable_memory is not None:
        return part.usable_memory - applied_level(library.get(Efficiency, "driver_reserve"), facts, 0).typical
    if part.nominal_memory is not None:
        return part.nominal_memory * applied_level(library.get(Efficiency, "reported_share"), facts, 0).typical
    if part.memory is not None:
        return part.memory * BOX_GIGABYTE * applied_level(library.get(Efficiency, "reported_share"), facts, 0).typical
    return 0.0


def usual_node(part: Accelerator) -> int:
    """A part that no server of the catalogue holds: alone where it is a computer of its own, else eight to a server."""
    alone = part.kind in ("edge", "cpu") or part.data_centre in ("edge", "desktop") or part.vendor == "Apple"
    domain = part.scale_up.domain if part.scale_up else 1
    return domain if alone else max(_USUAL_SERVER, min(domain, _LARGEST_DOMAIN))
