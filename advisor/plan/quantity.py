"""A number of a plan as a reader needs it."""

from advisor.facts import Label
from advisor.plan.record import PlanRecord


class Quantity(PlanRecord):
    """A number as a reader needs it: value in base unit `unit`, its 80 % interval if it is uncertain, and how it is known."""

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    label: Label
