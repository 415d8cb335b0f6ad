"""What is there already, and who pays for what: shared by all workloads of a document."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from advisor.catalogue.record import Record
from advisor.workload.quantities import Count, Power, Share, Size
from advisor.workload.words import AcceleratorName, Name, Note, none_or_many, one_or_many


class OwnedServer(Record):
    """`count` like servers: a catalogue id, or what is in them (accelerators of one kind, host memory, cores, local storage)."""

    id: Name | None = None
    name: Name | None = None
    count: Count = Field(description="how many there are, such as count: 2")
    accelerator: AcceleratorName | None = None
    accelerators: Count | None = None
    memory: Size | None = None
    cores: Count | None = None
    storage: Size | None = None
    power: Power | None = None
    note: Note | None = None


class Project(Record):
    """One that shares the estate: the workloads that are its own, or its share of the whole."""

    name: Name = Field(description="what it is called, such as name: helpdesk")
    workloads: Annotated[tuple[Name, ...], BeforeValidator(one_or_many)] = ()
    share: Share | None = None
    owner: Name | None = None


class Estate(Record):
    """Servers that are there already, and the projects that the cost is split by."""

    servers: Annotated[tuple[OwnedServer, ...], BeforeValidator(none_or_many)] = ()
    projects: Annotated[tuple[Project, ...], BeforeValidator(none_or_many)] = ()
