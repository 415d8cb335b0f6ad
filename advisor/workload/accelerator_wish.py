"""Which accelerators a plan may use, and which are there already."""

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from advisor.catalogue.record import Record
from advisor.workload.quantities import Count
from advisor.workload.refusal import refusal
from advisor.workload.words import AcceleratorName, none_or_many, one_or_many

AcceleratorNames = Annotated[tuple[AcceleratorName, ...], BeforeValidator(one_or_many)]


class OwnedAccelerators(Record):
    """`count` accelerators of one kind that are there already, `per_node` in each server."""

    id: AcceleratorName = Field(description="the accelerator, such as id: h100-sxm")
    count: Count = Field(description="how many there are, such as count: 8")
    per_node: Count | None = None

    @model_validator(mode="after")
    def _nodes_are_filled(self) -> "OwnedAccelerators":
        if self.per_node is not None and self.per_node > self.count:
            raise refusal(
                f"{self.count} accelerators cannot stand {self.per_node} to a node",
                hint="count is all of them together, per_node those in one server",
                field="per_node",
            )
        return self


class AcceleratorWish(Record):
    """Limits on the choice: `only` these, none of `exclude`, at most `max_count` together, or those `owned`."""

    only: AcceleratorNames = ()
    exclude: AcceleratorNames = ()
    max_count: Count | None = None
    owned: Annotated[tuple[OwnedAccelerators, ...], BeforeValidator(none_or_many)] = ()

    @model_validator(mode="after")
    def _something_is_left(self) -> "AcceleratorWish":
        excluded = {_plain(name) for name in self.exclude}
        both = [name for name in self.only if _plain(name) in excluded]
        if both:
            raise refusal(
                f'"{both[0]}" is both in only and in exclude', hint="take it out of one of the two lists", field="exclude"
            )
        return self


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
