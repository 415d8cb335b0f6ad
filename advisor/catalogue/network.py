"""A link or fabric: its nominal rate, what collectives really reach over it, and its latency."""

from typing import Literal

from pydantic import model_validator

from advisor.catalogue.record import Bandwidth, Duration, Entry, Record, Share

Scope = Literal[
    "intra-node", "scale-up", "host", "processor", "intra-and-inter-node", "inter-node", "node-total", "tray-total", "any"
]


class AchievedShare(Record):
    """Share of the nominal rate that large transfers reach."""

    low: Share
    high: Share

    @model_validator(mode="after")
    def _ordered(self) -> "AchievedShare":
        if self.low > self.high:
            raise ValueError(f"low {self.low:g} is more than high {self.high:g}")
        return self


class Network(Entry):
    """One link type, or the network of one node type.

    scope: where it runs. scale-up joins accelerators of one domain beyond a node; node-total and tray-total are sums over the
    adapters of one node or tray; any is a rule of thumb.
    per_direction, bidirectional: payload rate of one `per` (port, slot, accelerator, node). A transfer sees per_direction;
    vendors of scale-up links print bidirectional. line_rate: as network ports are sold (400 Gbit/s).
    all_reduce: bus bandwidth measured with large messages, already corrected for the ring (nccl-tests); point_to_point: one
    copy. Both hold only under `conditions`. achieved_share: rule of thumb where nothing was measured.
    used_by: names as the source lists them.
    """

    name: str
    scope: Scope
    per: str | None = None
    per_direction: Bandwidth | None = None
    bidirectional: Bandwidth | None = None
    line_rate: Bandwidth | None = None
    links: str | None = None
    all_reduce: Bandwidth | None = None
    point_to_point: Bandwidth | None = None
    conditions: str | None = None
    achieved_share: AchievedShare | None = None
    latency: Duration | None = None
    used_by: tuple[str, ...] = ()
    status: Literal["shipping", "announced"] = "shipping"
    aliases: tuple[str, ...] = ()
