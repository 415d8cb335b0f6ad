"""What is known of parts that quotes name beside accelerators and servers: processors, boards, cards, adapters, switches."""

import re
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, field_validator

from advisor.catalogue.record import Bandwidth, Entry, Memory, Power


class Part(Entry):
    """A part, or a family of parts that agree in these figures.

    patterns: how its name is written, as regular expressions that are matched within words. cores: by the model that a name of
    the family holds. Figures of a processor are of one socket. slot_width: slots that a card takes. positions: slots that a board
    or case has room for. formats: number formats a card computes in, where it is not in the catalogue. dropped: the software
    that no longer supports it. plug_in: what software must be added for it to be used at all.
    """

    name: str
    kind: Literal["cpu", "motherboard", "gpu", "nic", "switch", "storage_server", "psu", "connector"]
    patterns: tuple[str, ...] = Field(min_length=1)
    cores: dict[str, int] = Field(default_factory=dict)
    most_sockets: int | None = Field(default=None, ge=1)
    socket: str | None = None
    memory_channels: int | None = Field(default=None, ge=1)
    memory_type: str | None = None
    pcie_lanes: int | None = Field(default=None, ge=1)
    pcie: str | None = None
    platform: Literal["server", "workstation", "consumer"] | None = None
    power: Power | None = None
    positions: int | None = Field(default=None, ge=1)
    memory: Memory | None = None
    memory_bandwidth: Bandwidth | None = None
    formats: tuple[str, ...] = ()
    link: Literal["nvlink", "nvlink-bridge", "xgmi", "pcie", "none"] | None = None
    consumer: bool = False
    passive: bool = False
    slot_width: float | None = Field(default=None, gt=0)
    ports: int | None = Field(default=None, ge=1)
    port_speed: Bandwidth | None = None
    dropped: str | None = None
    plug_in: str | None = None

    @field_validator("cores", mode="before")
    @classmethod
    def _numbers_are_names(cls, given: Any) -> Any:
        return {str(name): count for name, count in given.items()} if isinstance(given, dict) else given

    @field_validator("patterns")
    @classmethod
    def _compile(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in given:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f'the pattern "{pattern}" cannot be read: {error}') from None
        return given

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Its patterns as one, not inside a longer word."""
        return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(self.patterns)})(?![A-Za-z0-9])", re.IGNORECASE)
