"""Host of a quoted node: cores, memory channels, lanes, slots, and the space it takes."""

from advisor.sizing.formula import cite, formula
from advisor.units import Count, Ratio, minimum

_LOADERS = cite("stas-2026-ml-engineering", "compute/cpu: loader workers, one process an accelerator")


@formula(sources=[_LOADERS])
def quoted_cores_needed(quoted_gpus_per_node: Count, quoted_loader_workers: Count, quoted_host_cores: Count) -> Count:
    """Cores for one process and its loader workers an accelerator, and some for the system."""
    return quoted_gpus_per_node * (quoted_loader_workers + 1) + quoted_host_cores


@formula(sources=[_LOADERS])
def quoted_cores_share(quoted_cores: Count, quoted_cores_needed: Count) -> Ratio:
    """Cores that are there, as a share of those needed."""
    return quoted_cores / quoted_cores_needed


@formula(sources=[cite("rtx6kpro-hardware", "10 modules over 24 channels: 42 % of the bandwidth")])
def quoted_channels_filled(quoted_dimms: Count, quoted_memory_channels: Count) -> Ratio:
    """Share of the memory channels that have a module, and so of the memory bandwidth."""
    return minimum(1, quoted_dimms / quoted_memory_channels)


@formula(sources=[cite("rtx6kpro-hardware", "lanes of boards")])
def quoted_lanes_needed(quoted_gpus_per_node: Count, quoted_lanes_per_card: Count) -> Count:
    """Lanes for every accelerator at full width."""
    return quoted_gpus_per_node * quoted_lanes_per_card


@formula(sources=[cite("rtx6kpro-hardware", "lanes of boards")])
def quoted_lanes_share(quoted_pcie_lanes: Count, quoted_lanes_needed: Count) -> Ratio:
    """Lanes of the processors, as a share of those needed."""
    return quoted_pcie_lanes / quoted_lanes_needed


@formula(sources=[cite("on-premise-llm-server", "cards hang from risers: they are too wide for the board")])
def quoted_slots_share(quoted_slots_needed: Count, quoted_positions: Count) -> Ratio:
    """Slot positions the cards cover, as a share of the board's."""
    return quoted_slots_needed / quoted_positions


@formula(sources=[cite("nvidia-superpod-h100", "rack layout")])
def quoted_rack_units_use(quoted_rack_units_needed: Count, quoted_racks: Count, quoted_units_per_rack: Count) -> Ratio:
    """Rack units of the servers, as a share of those in all racks."""
    return quoted_rack_units_needed / (quoted_racks * quoted_units_per_rack)
