"""What a plan says of a service while it runs."""

from advisor.plan.quantity import Quantity
from advisor.plan.record import PlanRecord


class RunningReport(PlanRecord):
    """Room at the peak, spares, and scaling of a served workload.

    figures: by quantity, each with its steps in the plan's trace. spares: replicas beyond those the load needs, for the
    availability target; none where no number of them reaches it on one site. accelerators_with_spares: of all replicas then.
    """

    figures: dict[str, Quantity]
    spares: int | None = None
    accelerators_with_spares: int | None = None
    notes: tuple[str, ...] = ()
