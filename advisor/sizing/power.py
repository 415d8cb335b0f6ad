"""Power, power supplies, circuits, racks, cooling, energy and carbon of servers and what stands around them."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Amperes,
    Count,
    Grams,
    GramsPerJoule,
    Joules,
    Ratio,
    Volts,
    Watts,
    ceil,
    floor,
    maximum,
    minimum,
    where,
)

_DGX = cite("nvidia-dgx-b200-guide", "power supplies")
_LOAD = cite("supercluster-blog", "DGX H100 in use")
_SUPPLIES = cite("tensorflow-issue-8858", "power supplies for one and two cards")
_BANDS = cite("flashgenius-study-guide", "cooling by density of a rack")


@formula(sources=[_DGX, cite("unanswered-dgx-power", "10.2 kW for 5.6 kW of accelerators")])
def server_power(accelerators_per_node: Count, power_per_accelerator: Watts, whole_system_power_ratio: Ratio) -> Watts:
    """Most power a server draws, where its maker's figure is not known: what circuits and racks are planned for.

    The accelerators alone are little more than half of it; taking their sum for the server is a common slip.
    """
    return accelerators_per_node * power_per_accelerator * whole_system_power_ratio


@formula(sources=[_LOAD])
def server_typical_power(
    accelerators_per_node: Count,
    power_per_accelerator: Watts,
    cpu_sockets: Count,
    power_per_cpu: Watts,
    server_overhead_share: Ratio,
) -> Watts:
    """Power of a server under full load from its parts; the share covers fans, adapters, switches inside and losses."""
    return (accelerators_per_node * power_per_accelerator + cpu_sockets * power_per_cpu) * (1 + server_overhead_share)


@formula(sources=[_DGX])
def power_supplies(server_power: Watts, power_supply_rating: Watts, redundant_power_supplies: Count) -> Count:
    """Power supplies of a server: as many as carry it, and those that may fail."""
    return ceil(server_power / power_supply_rating) + redundant_power_supplies


@formula(sources=[_SUPPLIES])
def power_supply_needed(
    accelerators_per_node: Count, power_per_accelerator: Watts, transient_factor: Ratio, rest_of_system_power: Watts
) -> Watts:
    """Rating of the supply of a workstation: cards draw more than their design power for tens of milliseconds.

    Supplies that trip on such peaks switch the machine off; servers are built for them.
    """
    return accelerators_per_node * power_per_accelerator * transient_factor + rest_of_system_power


@formula(sources=[cite("nfpa-70", "210.20(A)")])
def circuit_power(circuit_phases: Count, circuit_voltage: Volts, circuit_current: Amperes, continuous_share: Ratio) -> Watts:
    """Power one circuit may carry for hours; the voltage of three phases is that between two of them.

    North American code allows 80 % of the breaker's rating for continuous load; elsewhere the full rating is usual.
    """
    return where(circuit_phases == 3, 3**0.5, 1) * circuit_voltage * circuit_current * continuous_share


@formula()
def servers_per_circuit(circuit_power: Watts, server_power: Watts) -> Count:
    """Servers that one circuit carries alone; of two redundant feeds each must carry all."""
    return floor(circuit_power / server_power)


@formula()
def servers_per_rack(
    rack_power: Watts, continuous_share: Ratio, server_power: Watts, rack_units: Count, server_rack_units: Count
) -> Count:
    """Servers that fit one rack by power and by height; zero where not even one may draw its power.

    continuous_share is one where the rack's limit is what it may draw for hours, and that of the breaker where it is a rating.
    """
    return floor(minimum(rack_power * continuous_share / server_power, rack_units / server_rack_units))


@formula()
def racks(nodes: Count, servers_per_rack: Count) -> Count:
    """Racks for the servers; infinite where a rack cannot carry one. Switches, storage and management take room of their own."""
    return ceil(nodes / maximum(servers_per_rack, 0))


@formula()
def rack_load(servers_per_rack: Count, server_power: Watts) -> Watts:
    """Power of a rack filled with servers."""
    return servers_per_rack * server_power


@formula()
def circuits_per_rack(rack_load: Watts, circuit_power: Watts, feeds: Count) -> Count:
    """Circuits to a rack; with two feeds each side carries the whole rack, so that one may fail."""
    return feeds * ceil(rack_load / circuit_power)


@formula()
def other_it_power(service_nodes: Count, service_node_power: Watts) -> Watts:
    """Most power of the servers without accelerators; storage systems and management switches are not in it."""
    return service_nodes * service_node_power


@formula(sources=[cite("nvidia-superpod-h100", "32 systems"), cite("kshirol-ai-infrastructure", "about 330 kW")])
def it_power(nodes: Count, server_power: Watts, fabric_power: Watts, other_it_power: Watts) -> Watts:
    """Most power of all computers: servers, switches, and what else stands there (storage, management, CPU servers)."""
    return nodes * server_power + fabric_power + other_it_power


@formula(sources=[cite("upsite-pue", "PUE is facility power over that of its computers")])
def facility_power(it_power: Watts, power_usage_effectiveness: Ratio) -> Watts:
    """Power the site must supply: computers, cooling and losses."""
    return it_power * power_usage_effectiveness


@formula(sources=[cite("upsite-pue", "PUE is facility power over that of its computers")])
def servers_in_facility(site_power: Watts, server_power: Watts, power_usage_effectiveness: Ratio) -> Count:
    """Servers that a site's power carries, cooling and losses included."""
    return floor(site_power / (server_power * power_usage_effectiveness))


@formula()
def servers_at_site(servers_in_facility: Count, free_racks: Count, servers_per_rack: Count) -> Count:
    """Servers that a site takes: as many as its power carries and its racks hold."""
    return minimum(servers_in_facility, free_racks * servers_per_rack)


@formula()
def heat_output(it_power: Watts) -> Watts:
    """Heat to be carried away: every watt a computer draws becomes heat."""
    return it_power


@formula(sources=[_BANDS])
def needs_liquid_cooling(rack_load: Watts, air_cooling_limit: Watts) -> Count:
    """One where a rack gives off more heat than air carries away, else zero."""
    return where(rack_load > air_cooling_limit, 1, 0)


@formula(sources=[_LOAD])
def average_it_power(it_power: Watts, load_factor: Ratio) -> Watts:
    """Power drawn on the mean over a year."""
    return it_power * load_factor


@formula(sources=[cite("upsite-pue", "PUE is facility power over that of its computers"), cite("hn-47709351", "a 500 W card")])
def energy_per_year(average_it_power: Watts, power_usage_effectiveness: Ratio) -> Joules:
    """Energy a site uses in a year of 31536000 s (365 days), cooling and losses included."""
    return average_it_power * power_usage_effectiveness * 31536000


@formula()
def carbon_per_year(energy_per_year: Joules, grid_carbon_intensity: GramsPerJoule) -> Grams:
    """Carbon dioxide equivalent of a year's electricity, as the grid makes it on the mean; not that of making the hardware."""
    return energy_per_year * grid_carbon_intensity
