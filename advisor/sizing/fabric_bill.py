"""The bill of one fabric: its switches, cables and transceivers, for those who ask about one size instead of a table of them."""

from dataclasses import dataclass

from advisor.errors import InputError
from advisor.sizing.fabric import (
    core_cables,
    core_switches,
    fabric_tiers,
    fat_tree_ports,
    leaf_downlinks,
    leaf_switches,
    leaf_uplinks,
    node_cables,
    plane_leaves,
    plane_spines,
    spine_cables,
    spine_switches,
    transceivers,
)


@dataclass(frozen=True)
class FabricBill:
    """What one fabric is built of. tiers: 1 to 3; cables by where they run; transceivers at both ends of the optical ones."""

    ports: int
    tiers: int
    leaves: int
    spines: int
    cores: int
    node_cables: int
    spine_cables: int
    core_cables: int
    transceivers: int

    @property
    def switches(self) -> int:
        """All switches."""
        return self.leaves + self.spines + self.cores


def fabric_bill(
    nodes: int,
    rails: int,
    radix: int,
    *,
    planes: int = 1,
    oversubscription: float = 1.0,
    rail_optimised: bool = True,
    management_ports: int = 0,
    copper_share: float = 0.0,
    cables_per_transceiver: int = 1,
) -> FabricBill:
    """The bill of one fabric, by the formulas of fabric.py. Raises InputError for no nodes or too many ports."""
    for name, value in (("nodes", nodes), ("rails", rails), ("planes", planes)):
        if value < 1:
            raise InputError(f"{name} is {value}; a fabric has at least one", where=f"fabric.{name}")
    ports = nodes * rails + management_ports
    if radix < 2 or ports > fat_tree_ports(radix):
        raise InputError(
            f"{ports} ports do not fit three tiers of switches with {radix} ports, which end at {radix**3 // 4}",
            where="fabric.radix",
            hint="use switches with more ports, or fewer rails",
        )
    downlinks = leaf_downlinks(radix, oversubscription)
    uplinks = leaf_uplinks(radix, downlinks)
    leaves = plane_leaves(ports, rails, downlinks, radix, float(rail_optimised))
    tiers = fabric_tiers(ports, radix, leaves)
    spines = plane_spines(tiers, leaves, uplinks, radix)
    up, over = spine_cables(tiers, leaves, uplinks), core_cables(tiers, spines, radix)
    return FabricBill(
        ports=ports,
        tiers=int(tiers),
        leaves=int(leaf_switches(planes, leaves)),
        spines=int(spine_switches(planes, spines)),
        cores=int(core_switches(planes, tiers, spines, radix)),
        node_cables=int(node_cables(ports)),
        spine_cables=int(up),
        core_cables=int(over),
        transceivers=int(transceivers(ports, up, over, copper_share, cables_per_transceiver)),
    )
