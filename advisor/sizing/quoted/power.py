"""Power of a quoted machine against its supplies, its circuit, its rack and its cooling."""

from typing import Annotated

from advisor.sizing.formula import cite, formula
from advisor.units import Count, Quantity, Ratio, Unit, Watts, maximum, minimum

Volts = Annotated[Quantity, Unit("volt")]
Amperes = Annotated[Quantity, Unit("ampere")]

_PUGET = cite("puget-four-3090", "1,717 W at the wall for four cards limited to 300 W")
_CODE = cite("nfpa-70", "210.20(A)")
_REBOOT = cite("tensorflow-issue-8858", "850 W trips with two 250 W cards, 1,300 W does not")
_NODE = cite("nvidia-superpod-h100", "10.2 kW a system, two feeds a rack")


@formula(sources=[_PUGET])
def quoted_component_power(quoted_gpu_power: Watts, quoted_cpu_power: Watts, quoted_host_overhead_share: Ratio) -> Watts:
    """Design power of a node's accelerators and processors, with a share on top for memory, drives, fans and board."""
    return (quoted_gpu_power + quoted_cpu_power) * (1 + quoted_host_overhead_share)


@formula(sources=[_PUGET])
def quoted_node_load(quoted_component_power: Watts, quoted_stated_load: Watts) -> Watts:
    """What a node draws from its supplies under load: what the quote states or was measured, else the sum of its components."""
    return quoted_stated_load + (quoted_stated_load == 0) * quoted_component_power


@formula(sources=[_REBOOT])
def quoted_node_spike(
    quoted_gpu_power: Watts, quoted_cpu_power: Watts, quoted_host_overhead_share: Ratio, quoted_card_spike_factor: Ratio
) -> Watts:
    """Draw for the milliseconds in which all cards spike together, as over-current protection sees it."""
    return (quoted_gpu_power * quoted_card_spike_factor + quoted_cpu_power) * (1 + quoted_host_overhead_share)


@formula(sources=[_REBOOT])
def quoted_load_of_supplies(quoted_node_load: Watts, quoted_supply_power: Watts) -> Ratio:
    """Share of all its power supplies that a node's load takes."""
    return quoted_node_load / quoted_supply_power


@formula(sources=[_PUGET])
def quoted_components_of_supplies(quoted_component_power: Watts, quoted_supply_power: Watts) -> Ratio:
    """Share of all its power supplies that a node's components take at their design power."""
    return quoted_component_power / quoted_supply_power


@formula(sources=[_REBOOT])
def quoted_load_after_loss(quoted_node_load: Watts, quoted_supply_power_after_loss: Watts) -> Ratio:
    """Share that a node's load takes of the power supplies left when the largest is lost; beyond all measure where none is."""
    return quoted_node_load / maximum(quoted_supply_power_after_loss, 1)


@formula(sources=[_REBOOT])
def quoted_spike_of_supplies(quoted_node_spike: Watts, quoted_supply_power: Watts) -> Ratio:
    """Share of all its power supplies that a node's spikes take."""
    return quoted_node_spike / quoted_supply_power


@formula(sources=[_NODE])
def quoted_system_of_supplies(quoted_node_power: Watts, quoted_supply_power: Watts) -> Ratio:
    """Share of its power supplies that the maker's figure for the whole system takes."""
    return quoted_node_power / quoted_supply_power


@formula(sources=[_PUGET])
def quoted_wall_power(quoted_node_load: Watts, quoted_power_supply_efficiency: Ratio, quoted_measured_wall_power: Watts) -> Watts:
    """What a node draws from the wall: measured where it was, else its load through the supplies' efficiency."""
    return quoted_measured_wall_power + (quoted_measured_wall_power == 0) * quoted_node_load / quoted_power_supply_efficiency


@formula(sources=[_CODE])
def quoted_circuit_rating(quoted_circuit_voltage: Volts, quoted_circuit_current: Amperes, quoted_circuit_phases: Count) -> Watts:
    """What a circuit's breaker is rated for."""
    return quoted_circuit_voltage * quoted_circuit_current * quoted_circuit_phases


@formula(sources=[_CODE])
def quoted_circuit_continuous(
    quoted_circuit_rating: Watts, quoted_circuit_feeds: Count, quoted_continuous_load_share: Ratio
) -> Watts:
    """What all circuits may carry for hours: four fifths of their breakers' rating."""
    return quoted_circuit_rating * quoted_circuit_feeds * quoted_continuous_load_share


@formula(sources=[_CODE])
def quoted_circuit_use(quoted_wall_power: Watts, quoted_circuit_continuous: Watts) -> Ratio:
    """Share of a circuit's continuous limit that a node takes."""
    return quoted_wall_power / quoted_circuit_continuous


@formula(sources=[_CODE])
def quoted_breaker_use(quoted_wall_power: Watts, quoted_circuit_rating: Watts, quoted_circuit_feeds: Count) -> Ratio:
    """Share of all circuits' breaker rating that a node takes."""
    return quoted_wall_power / (quoted_circuit_rating * quoted_circuit_feeds)


@formula(sources=[cite("jbarrow-workstation", "four cards limited so that one outlet carries them")])
def quoted_least_card_power(
    quoted_circuit_continuous: Watts,
    quoted_power_supply_efficiency: Ratio,
    quoted_node_load: Watts,
    quoted_gpu_power: Watts,
    quoted_gpus_per_node: Count,
) -> Watts:
    """The limit on each card at which the circuit would carry the node."""
    return (
        maximum(0, quoted_circuit_continuous * quoted_power_supply_efficiency - maximum(0, quoted_node_load - quoted_gpu_power))
        / quoted_gpus_per_node
    )


@formula(sources=[cite("jbarrow-workstation", "four cards limited so that one outlet carries them")])
def quoted_least_card_share(quoted_least_card_power: Watts, quoted_card_power: Watts) -> Ratio:
    """The same as a share of a card's design power."""
    return quoted_least_card_power / quoted_card_power


@formula(sources=[_NODE])
def quoted_rack_power_needed(quoted_nodes_per_rack: Count, quoted_node_power: Watts) -> Watts:
    """What the accelerator nodes of one rack draw."""
    return quoted_nodes_per_rack * quoted_node_power


@formula(sources=[_NODE])
def quoted_nodes_power_total(quoted_nodes: Count, quoted_node_power: Watts) -> Watts:
    """What all accelerator nodes draw."""
    return quoted_nodes * quoted_node_power


@formula(sources=[_CODE])
def quoted_rack_feed_power(quoted_circuit_rating: Watts, quoted_circuit_feeds: Count) -> Watts:
    """What all feeds of a rack can deliver."""
    return quoted_circuit_rating * quoted_circuit_feeds


@formula(sources=[_CODE])
def quoted_feed_use(quoted_rack_power_needed: Watts, quoted_rack_feed_power: Watts) -> Ratio:
    """Share of all its feeds that a rack takes."""
    return quoted_rack_power_needed / quoted_rack_feed_power


@formula(sources=[_CODE])
def quoted_feed_use_after_loss(
    quoted_rack_power_needed: Watts, quoted_circuit_rating: Watts, quoted_circuit_feeds: Count
) -> Ratio:
    """Share that a rack takes of the feeds left when one is lost."""
    return quoted_rack_power_needed / (quoted_circuit_rating * maximum(1, quoted_circuit_feeds - 1))


@formula(sources=[_NODE])
def quoted_nodes_on_one_feed(quoted_circuit_rating: Watts, quoted_node_power: Watts) -> Ratio:
    """Nodes that one feed carries."""
    return quoted_circuit_rating / quoted_node_power


@formula(sources=[_NODE])
def quoted_rack_limit_use(quoted_rack_power_needed: Watts, quoted_rack_power_limit: Watts) -> Ratio:
    """Share of the rack's power limit that its nodes take."""
    return quoted_rack_power_needed / quoted_rack_power_limit


@formula(sources=[_NODE])
def quoted_cooling_use(quoted_rack_power_needed: Watts, quoted_rack_cooling: Watts) -> Ratio:
    """Share of a rack's cooling that the heat of its nodes takes: every watt becomes heat."""
    return quoted_rack_power_needed / quoted_rack_cooling


@formula(sources=[_NODE])
def quoted_feeds_of_cooling(quoted_circuit_rating: Watts, quoted_circuit_feeds: Count, quoted_rack_cooling: Watts) -> Ratio:
    """What the feeds can deliver, as a share of what the rack's cooling removes."""
    return quoted_circuit_rating * quoted_circuit_feeds / quoted_rack_cooling


@formula(sources=[_PUGET])
def quoted_limited_load(
    quoted_gpu_power: Watts, quoted_card_power: Watts, quoted_card_power_limit: Watts, quoted_component_power: Watts
) -> Watts:
    """Load of a node whose cards are limited."""
    return quoted_component_power - quoted_gpu_power * (1 - minimum(1, quoted_card_power_limit / quoted_card_power))


@formula(sources=[_NODE])
def quoted_system_power(quoted_gpu_power: Watts, quoted_cpu_power: Watts, quoted_system_overhead_factor: Ratio) -> Watts:
    """What a node with eight accelerators on a baseboard draws: switches, adapters and fans take more than half as much again."""
    return (quoted_gpu_power + quoted_cpu_power) * quoted_system_overhead_factor


@formula(sources=[_CODE])
def quoted_wall_of_common_circuit(quoted_wall_power: Watts, quoted_common_circuit: Watts) -> Ratio:
    """Share that a node takes of the largest single circuit usual outside a data centre, 240 V and 20 A."""
    return quoted_wall_power / quoted_common_circuit


@formula(sources=[_CODE])
def quoted_wall_of_household_circuit(quoted_wall_power: Watts, quoted_household_circuit: Watts) -> Ratio:
    """Share that a node takes of the largest single circuit at 120 V, 20 A."""
    return quoted_wall_power / quoted_household_circuit


@formula(sources=[_NODE])
def quoted_site_use(quoted_nodes_power_total: Watts, quoted_site_power: Watts) -> Ratio:
    """Share of the site's power that all nodes take."""
    return quoted_nodes_power_total / quoted_site_power


@formula(sources=[_NODE])
def quoted_room_cooling_use(quoted_nodes_power_total: Watts, quoted_room_cooling: Watts) -> Ratio:
    """Share of the room's cooling that the heat of all nodes takes."""
    return quoted_nodes_power_total / quoted_room_cooling
