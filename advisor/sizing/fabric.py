"""Switches, cables and transceivers of the network between nodes: one switch, leaves and spines, or a fat tree of three tiers.

Counted for equal ports throughout. switch_radix is the number of ports at the speed of the links: a switch of 64 ports of
800 Gbit/s is one of 128 at 400 Gbit/s. planes: independent copies of the fabric that split every adapter's rate (two of
400 Gbit/s for one adapter of 800); a cable carries one link of every plane. oversubscription: downlinks over uplinks of a leaf.
"""

from math import ceil as whole_up

from advisor.sizing.formula import cite, formula
from advisor.units import BytesPerSecond, Count, Ratio, Watts, by_element, ceil, floor, maximum, where

_FAT_TREE = cite("al-fares-2008-fat-tree", "k-ary fat tree, section 2")
_B200 = cite("nvidia-superpod-b200", "larger SuperPOD component counts")
_B300 = cite("nvidia-superpod-b300-architecture", "table 3")
_XDR = cite("nvidia-superpod-b300-xdr", "table 3")
_H100 = cite("nvidia-superpod-h100", "table 7: 127 nodes")


@formula(sources=[_B200])
def fabric_ports(nodes: Count, rails: Count, management_ports: Count) -> Count:
    """Ports the nodes take in each plane, one for every rail (adapter) of every node, and those of fabric managers."""
    return nodes * rails + management_ports


@formula(sources=[_B200])
def leaf_downlinks(switch_radix: Count, oversubscription: Ratio) -> Count:
    """Ports of a leaf that lead to nodes; half of them where nothing is oversubscribed."""
    return floor(switch_radix * oversubscription / (1 + oversubscription))


@formula(sources=[_B200])
def leaf_uplinks(switch_radix: Count, leaf_downlinks: Count) -> Count:
    """Ports of a leaf that lead to spines."""
    return switch_radix - leaf_downlinks


@formula(sources=[_B200, _XDR])
def plane_leaves(fabric_ports: Count, rails: Count, leaf_downlinks: Count, switch_radix: Count, rail_optimised: Count) -> Count:
    """Leaves of one plane.

    Rail-optimised leaves serve whole rails: a rail on as many leaves as it needs, or several small rails on one. Counts are then
    the same as for leaves packed full whenever the nodes fill whole units.
    """
    return where(
        fabric_ports <= switch_radix,
        1,
        where(
            rail_optimised > 0,
            where(
                fabric_ports / rails > leaf_downlinks,
                rails * ceil(fabric_ports / rails / leaf_downlinks),
                ceil(rails / maximum(1, floor(leaf_downlinks * rails / fabric_ports))),
            ),
            ceil(fabric_ports / leaf_downlinks),
        ),
    )


@formula(sources=[_FAT_TREE])
def fabric_tiers(fabric_ports: Count, switch_radix: Count, plane_leaves: Count) -> Count:
    """Tiers of switches: one holds all ports, two as long as a spine has a port for every leaf, three beyond."""
    return where(fabric_ports <= switch_radix, 1, where(plane_leaves <= switch_radix, 2, 3))


@formula(
    sources=[_B200, _B300, _XDR, _FAT_TREE],
    method="The fewest spines whose ports take all uplinks and over which the uplinks of each leaf spread evenly; in three tiers "
    "spines have half their ports down and their number follows from the uplinks alone.",
)
def plane_spines(fabric_tiers: Count, plane_leaves: Count, leaf_uplinks: Count, switch_radix: Count) -> Count:
    """Spines of one plane. A leaf whose uplinks do not divide by the spines would have unequal paths, which congest."""
    return by_element(_spines, fabric_tiers, plane_leaves, leaf_uplinks, switch_radix)


def _spines(tiers: float, leaves: float, uplinks: float, radix: float) -> float:
    if tiers == 1:
        return 0.0
    if tiers == 3:
        return float(whole_up(leaves * uplinks / (radix // 2)))
    fewest = whole_up(leaves * uplinks / radix)
    return float(next((count for count in range(fewest, int(uplinks)) if uplinks % count == 0), max(fewest, int(uplinks))))


@formula(sources=[_B200, _B300, _XDR])
def leaf_switches(planes: Count, plane_leaves: Count) -> Count:
    """Leaf switches of all planes."""
    return planes * plane_leaves


@formula(sources=[_B200, _B300, _XDR])
def spine_switches(planes: Count, plane_spines: Count) -> Count:
    """Spine switches of all planes; in three tiers the middle one."""
    return planes * plane_spines


@formula(sources=[_B200, _FAT_TREE])
def core_switches(planes: Count, fabric_tiers: Count, plane_spines: Count, switch_radix: Count) -> Count:
    """Core switches above the spines, where there are three tiers."""
    return where(fabric_tiers == 3, planes * ceil(plane_spines * floor(switch_radix / 2) / switch_radix), 0)


@formula(sources=[_B200, _B300])
def node_cables(fabric_ports: Count) -> Count:
    """Cables from nodes and managers to leaves; each carries the links of all planes."""
    return fabric_ports


@formula(sources=[_B200, _B300])
def spine_cables(fabric_tiers: Count, plane_leaves: Count, leaf_uplinks: Count) -> Count:
    """Cables from leaves to spines, with every uplink connected; each carries one link of every plane."""
    return where(fabric_tiers > 1, plane_leaves * leaf_uplinks, 0)


@formula(sources=[_B200])
def core_cables(fabric_tiers: Count, plane_spines: Count, switch_radix: Count) -> Count:
    """Cables from spines to cores."""
    return where(fabric_tiers == 3, plane_spines * floor(switch_radix / 2), 0)


@formula()
def transceivers(
    node_cables: Count, spine_cables: Count, core_cables: Count, copper_share: Ratio, cables_per_transceiver: Count
) -> Count:
    """Optical transceivers at both ends of all cables but the copper ones between nodes and leaves.

    cables_per_transceiver: two where a twin-port module holds two cables, else one.
    """
    return ceil(2 * (node_cables * (1 - copper_share) + spine_cables + core_cables) / cables_per_transceiver)


@formula(sources=[cite("kshirol-ai-infrastructure", "power of a scalable unit with switches")])
def fabric_power(leaf_switches: Count, spine_switches: Count, core_switches: Count, power_per_switch: Watts) -> Watts:
    """Power of all switches of the fabric, transceivers included in that of a switch."""
    return (leaf_switches + spine_switches + core_switches) * power_per_switch


@formula(sources=[_FAT_TREE])
def bisection_bandwidth(fabric_ports: Count, planes: Count, link_rate: BytesPerSecond, oversubscription: Ratio) -> BytesPerSecond:
    """Rate at which one half of the nodes can send to the other half, in one direction; link_rate is that of one plane's link."""
    return fabric_ports * planes * link_rate / 2 / oversubscription


@formula(sources=[_H100])
def nodes_on_fabric(leaf_switches: Count, leaf_downlinks: Count, management_ports: Count, rails: Count) -> Count:
    """Whole nodes that the leaves of one plane can take beside the fabric's managers, which are connected like nodes."""
    return floor((leaf_switches * leaf_downlinks - management_ports) / rails)


@formula(sources=[_FAT_TREE])
def two_tier_ports(switch_radix: Count) -> Count:
    """Most ports of leaves and spines without oversubscription."""
    return switch_radix**2 / 2


@formula(sources=[_FAT_TREE])
def fat_tree_ports(switch_radix: Count) -> Count:
    """Most ports of a fat tree of three tiers."""
    return switch_radix**3 / 4


@formula(sources=[_FAT_TREE])
def fat_tree_switches(switch_radix: Count) -> Count:
    """Switches of a full fat tree of three tiers: half of radix squared at the edge, as many above, a quarter in the core."""
    return 5 * switch_radix**2 / 4
