"""Feeding a run: data-loader cores, host memory, reading and staging the data, and how long accelerators wait for a slow layer.

Layers are compared by their sufficiency, what they give over what the run takes: below one, accelerators idle for the rest.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    BytesPerToken,
    Count,
    CountPerSecond,
    Ratio,
    Seconds,
    Tokens,
    TokensPerSecond,
    ceil,
    maximum,
    minimum,
)

_BOOK = cite("distributed-training-book", "ch. 3a, reading training data")
_CORES = cite("stas-2026-ml-engineering", "compute/cpu, cores per accelerator")
_MEMORY = cite("stas-2026-ml-engineering", "compute/cpu-memory")
_STORAGE = cite("stas-2026-ml-engineering", "storage, usable capacity")
_MLPERF = cite("mlperf-storage", "DLIO workloads, accelerator utilisation")

# Layers that feed a run, by the quantity that says whether they keep up.
LAYERS = {
    "storage_sufficiency": "storage",
    "loader_sufficiency": "data-loader cores",
    "storage_link_sufficiency": "network to storage",
}


@formula(sources=[_BOOK])
def dataset_read_bandwidth(
    training_tokens_per_second: TokensPerSecond, stored_bytes_per_token: BytesPerToken, read_amplification: Ratio
) -> BytesPerSecond:
    """Rate at which the whole run reads its data; amplification is what shuffling reads again."""
    return training_tokens_per_second * stored_bytes_per_token * read_amplification


@formula(of="dataset_read_bandwidth", when="counts_items == 1", sources=[_BOOK, _MLPERF])
def dataset_read_bandwidth_of_items(
    training_items_per_second: CountPerSecond, stored_bytes_per_item: Bytes, read_amplification: Ratio
) -> BytesPerSecond:
    """Rate at which the whole run reads images, audio or latents."""
    return training_items_per_second * stored_bytes_per_item * read_amplification


@formula(sources=[_BOOK])
def dataset_bytes(dataset_tokens: Tokens, stored_bytes_per_token: BytesPerToken) -> Bytes:
    """Space of the data set once."""
    return dataset_tokens * stored_bytes_per_token


@formula(of="dataset_bytes", when="counts_items == 1", sources=[_BOOK])
def dataset_bytes_of_items(dataset_items: Count, stored_bytes_per_item: Bytes) -> Bytes:
    """Space of a data set of items once."""
    return dataset_items * stored_bytes_per_item


@formula(sources=[_BOOK])
def dataset_staging_time(dataset_bytes: Bytes, staging_bandwidth: BytesPerSecond) -> Seconds:
    """Time to bring the data set near the accelerators before the run."""
    return dataset_bytes / staging_bandwidth


@formula(sources=[_CORES])
def loader_cores(training_tokens_per_second: TokensPerSecond, tokens_per_core: TokensPerSecond, core_load: Ratio) -> Count:
    """Processor cores that prepare text for the whole run, at the load cores are planned for."""
    return ceil(training_tokens_per_second / tokens_per_core / core_load)


@formula(of="loader_cores", when="counts_items == 1", sources=[_CORES])
def loader_cores_of_items(training_items_per_second: CountPerSecond, items_per_core: CountPerSecond, core_load: Ratio) -> Count:
    """Processor cores that decode and augment items for the whole run."""
    return ceil(training_items_per_second / items_per_core / core_load)


@formula(sources=[_CORES])
def process_cores(accelerators_per_node: Count, loader_workers: Count) -> Count:
    """Cores of a node by its processes: one for each accelerator's own, its loader workers, and four for the system."""
    return accelerators_per_node * (loader_workers + 1) + 4


@formula(sources=[_CORES])
def node_cores(process_cores: Count, loader_cores: Count, training_nodes: Count) -> Count:
    """Cores a node needs: for its processes, and no fewer than its share of the decoding."""
    return maximum(process_cores, ceil(loader_cores / training_nodes))


@formula(sources=[_MEMORY])
def node_host_memory(
    accelerators_per_node: Count, reported_memory: Bytes, loader_workers: Count, loader_worker_memory: Bytes
) -> Bytes:
    """Host memory of a node: as much as its accelerators have, so that a checkpoint can be held, and its loader workers'."""
    return accelerators_per_node * (reported_memory + loader_workers * loader_worker_memory)


@formula(sources=[_BOOK])
def storage_sufficiency(dataset_storage_bandwidth: BytesPerSecond, dataset_read_bandwidth: BytesPerSecond) -> Ratio:
    """What storage reads over what the run takes."""
    return dataset_storage_bandwidth / dataset_read_bandwidth


@formula(sources=[_CORES])
def loader_sufficiency(loader_cores_available: Count, loader_cores: Count) -> Ratio:
    """Cores there are for loading over those it takes."""
    return loader_cores_available / loader_cores


@formula(sources=[_BOOK])
def storage_link_sufficiency(
    training_nodes: Count, storage_link_per_node: BytesPerSecond, dataset_read_bandwidth: BytesPerSecond
) -> Ratio:
    """What the nodes' links to storage carry over what the run takes."""
    return training_nodes * storage_link_per_node / dataset_read_bandwidth


@formula(sources=[_MLPERF])
def accelerator_idle_share(storage_sufficiency: Ratio, loader_sufficiency: Ratio, storage_link_sufficiency: Ratio) -> Ratio:
    """Share of time that accelerators wait for data: what the slowest layer lacks."""
    return 1 - minimum(1, storage_sufficiency, loader_sufficiency, storage_link_sufficiency)


@formula(sources=[_STORAGE])
def storage_to_buy(space_needed: Bytes, usable_storage_share: Ratio) -> Bytes:
    """Capacity to buy so that as much as needed may be used."""
    return space_needed / usable_storage_share


@formula(sources=[_BOOK])
def training_space(dataset_bytes: Bytes, dataset_copies: Count, checkpoint_space: Bytes, usable_storage_share: Ratio) -> Bytes:
    """Storage of a run: its data, its checkpoints, and the share that a file system keeps free."""
    return (dataset_bytes * dataset_copies + checkpoint_space) / usable_storage_share


def slowest_layer(values: Mapping[str, Any]) -> NDArray[np.str_]:
    """The layer that accelerators wait for on each row, an empty word where none keeps them waiting.

    values: evaluated quantities, those of LAYERS among them.
    """
    names = tuple(LAYERS)
    table = np.array(np.broadcast_arrays(*(np.atleast_1d(np.asarray(values[name], dtype=float)) for name in names)))
    words = np.array([LAYERS[name] for name in names])[np.argmin(table, axis=0)]
    return np.where(table.min(axis=0) < 1, words, "")
