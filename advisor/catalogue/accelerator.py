"""An accelerator as sold: memory, bandwidth, dense compute, links, power, and what may be said of its price."""

from typing import Literal

from pydantic import Field

from advisor.catalogue.record import Bandwidth, Compute, Entry, Memory, Money, Power, Record


class ScaleUp(Record):
    """The fast link among accelerators of one domain.

    kind: nvlink, nvlink-bridge, xgmi, ici, neuronlink, roce, xe-link, pcie or none.
    bandwidth: both directions together where the vendor says so, as vendors print it; per_direction is what one transfer sees.
    peer_bandwidth: per direction to one peer, where the fabric is a mesh and not a switch.
    domain: how many accelerators the link joins without leaving it.
    """

    kind: str
    bandwidth: Bandwidth | None = None
    per_direction: Bandwidth | None = None
    peer_bandwidth: Bandwidth | None = None
    domain: int = Field(default=1, ge=1)
    note: str | None = None


class StreetPrice(Record):
    """A purchase price range in USD, with what it rests on. Without a date it never enters a total unmarked."""

    low: Money
    high: Money
    basis: str


class Accelerator(Entry):
    """One part number.

    memory: as printed on the box. usable_memory: total by the management tool, where seen. reported_memory: what the driver
    reports to a process, as start-up logs show it; engines size by it. nominal_memory: the binary capacity on the vendor's
    architecture page, where neither was seen ("256 GB" that is 256 GiB).
    compute: dense rates by number format (fp32, tf32, fp16, bf16, fp8, int8, fp4), accumulating in fp32.
    data_centre: yes | no | cloud-only | edge | desktop, whether its terms and form let it stand in a data centre.
    partitioning: how one part can be split ("MIG"), "none" if it cannot, left out if unknown.
    frameworks: what runs on it, engine ids among them. vllm is its main repository on graphics processors; plug-ins and the build
    for processors have defaults and features of their own and are spelled apart (vllm-tpu, vllm-neuron, vllm-hpu, vllm-cpu).
    """

    name: str
    vendor: str
    kind: Literal["gpu", "asic", "tpu", "cpu", "edge"]
    status: Literal["shipping", "announced"]
    architecture: str
    memory: Memory | None = None
    usable_memory: Memory | None = None
    reported_memory: Memory | None = None
    nominal_memory: Memory | None = None
    memory_type: str | None = None
    memory_bandwidth: Bandwidth | None = None
    compute: dict[str, Compute] = Field(default_factory=dict)
    scale_up: ScaleUp | None = None
    pcie: str | None = None
    power: Power | None = None
    form_factor: str | None = None
    ecc: bool | None = None
    partitioning: str | None = None
    cooling: str | None = None
    data_centre: Literal["yes", "no", "cloud-only", "edge", "desktop"] = "yes"
    released: int | None = None
    price: StreetPrice | None = None
    frameworks: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
