"""Storage: products with price or throughput, interface ceilings, published guidelines, and what workloads demand of it."""

from typing import Literal

from advisor.catalogue.record import Bandwidth, Duration, Entry, Memory, Share, StorageRate

Tier = Literal[
    "object", "block", "parallel-file-system", "network-file-system", "local-nvme", "checkpoint", "training-data", "any"
]
Unit = Literal["volume", "TiB provisioned", "cluster", "node", "accelerator", "drive", "scalable-unit", "four-scalable-units"]


class Storage(Entry):
    """One row of knowledge about storage.

    role: product (can be bought), ceiling (what the interface allows; drives deliver less), observation (measured on one
    installation), guideline (a vendor's target), demand (what a workload reads or writes), rule (of thumb).
    read, write: throughput of one `per`: a volume, each TiB provisioned, a whole cluster, a node, or an accelerator that is to be
    kept busy. read_unthrottled: the demand at 100 % accelerator utilisation, where read holds for less.
    capacity: size of what is stored, such as one checkpoint. latency: one operation, as latency_of says.
    price: list price of stored bytes; requests, retrieval and transfer cost extra.
    usable_share: what of the provisioned throughput or space can be planned with.
    """

    name: str
    role: Literal["product", "ceiling", "observation", "guideline", "demand", "rule"]
    tier: Tier
    read: Bandwidth | None = None
    write: Bandwidth | None = None
    read_unthrottled: Bandwidth | None = None
    per: Unit | None = None
    throughput_basis: str | None = None
    latency: Duration | None = None
    latency_of: str | None = None
    capacity: Memory | None = None
    price: StorageRate | None = None
    region: str | None = None
    usable_share: Share | None = None
    aliases: tuple[str, ...] = ()
