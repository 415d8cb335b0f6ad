"""A server or rack as sold: what it holds, what it draws, how it is cooled, and what may be said of its price."""

from typing import Literal

from pydantic import Field

from advisor.catalogue.accelerator import StreetPrice
from advisor.catalogue.record import Entry, Memory, Power


class Server(Entry):
    """One configuration.

    accelerator: id of an accelerators entry; none where the chassis takes several (see accelerators). A server without
    accelerators has accelerator_count 0 and names its processor, which then computes itself.
    host_memory: installed where the source describes a configuration; host_memory_max: what the board takes.
    power: what power_scope says: system (the maker's whole-system figure), supplies (nameplates of all power supplies, more than
    it ever draws), accelerators (sum of their design powers only, a lower bound), module (the compute module), estimate (press).
    rack_units: height in a rack, none for a tower, a desktop or where the source does not say (see form).
    """

    name: str
    vendor: str
    accelerators: str | None = None
    accelerator: str | None = None
    accelerator_count: int = Field(ge=0)
    cpu: str | None = None
    cpu_sockets: int | None = Field(default=None, ge=1)
    cpu_cores: int | None = Field(default=None, ge=1)
    host_memory: Memory | None = None
    host_memory_max: Memory | None = None
    local_storage: Memory | None = None
    nics: str | None = None
    power: Power | None = None
    power_scope: Literal["system", "supplies", "accelerators", "module", "estimate"] | None = None
    power_basis: str | None = None
    rack_units: int | None = Field(default=None, ge=1)
    form: Literal["rack-server", "rack", "tower", "desktop"] = "rack-server"
    cooling: str | None = None
    price: StreetPrice | None = None
    aliases: tuple[str, ...] = ()
