"""What quantities are called in a report, and how their values are written."""

from advisor.plan.plan import Rent
from advisor.plan.quantity import Quantity
from advisor.plan.wording import NAMES
from advisor.sizing.trace import TraceValue
from advisor.units import number, show, show_base

_SHARES = {
    "memory_margin",
    "stage_share",
    "memory_fraction",
    "active_share",
    "availability_target",
    "peak_utilisation",
    "target_utilisation",
    "scale_out_utilisation",
    "model_flops_utilization",
    "pipeline_bubble",
    "exposed_communication_share",
    "goodput",
    "prefix_hit_share",
    "utilisation",
    "break_even_rented_share",
    "saved_share",
    "inference_share",
    "residual_value",
    "discount_rate",
    "maintenance_share",
    "hidden_hardware_share",
    "load_factor",
    "fabric_price_share",
}
_AVAILABILITIES = {"replica_availability", "redundant_availability", "service_availability", "common_availability"}
_ACCELERATOR_TIMES = {"accelerator_time", "campaign_accelerator_time"}
_UNBOUNDED = 1e9


def called(name: str) -> str:
    """A quantity's name in words."""
    return NAMES.get(name, name.replace("_", " "))


def written(name: str, value: TraceValue | bool, unit: str) -> str:
    """A quantity's value as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return ", ".join(written(name, each, unit) for each in value)
    if name in _SHARES:
        return f"{number(100 * value)} %"
    if name in _AVAILABILITIES:
        return f"{number(100 * value, 5)} %"
    if name in _ACCELERATOR_TIMES:
        return f"{number(value / 3600)} accelerator hours"
    if value >= _UNBOUNDED and unit in ("request", "token/request"):
        return "no limit from memory"
    if unit in ("token", "token/request", "request") and value == round(value):
        return f"{value:,.0f} {unit.split('/')[0]}{'s' if value != 1 else ''}"
    if unit == "byte" and abs(value) >= 2**30:
        return f"{value / 2**30:,.1f} GiB"
    return show_base(value, unit)


def interval(name: str, quantity: Quantity) -> str:
    """The 80 % interval, or "exact"."""
    if quantity.low is None or quantity.high is None:
        return "exact"
    return f"{written(name, quantity.low, quantity.unit)} – {written(name, quantity.high, quantity.unit)}"


def rent_text(rent: Rent) -> str:
    """A rent with its price list and day."""
    month = show(rent.total, "USD/month", digits=4)
    each = show(rent.per_instance, "USD/h")
    idle = f", {rent.accelerators} accelerators" if rent.accelerators != rent.instances else ""
    return f"{month} ({rent.instances} × {rent.provider} {rent.instance} at {each}{idle}, list of {rent.as_of})"
