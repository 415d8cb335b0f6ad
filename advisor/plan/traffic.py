"""A service's load as four figures side by side, each derived from the one that was given, with the equation that gave it.

The load is the one at its peak. What people do (which share of them is active, how often each asks, how many model calls that
sets off) stands between the figures; where both sides of it are given, the behaviour itself is derived.
"""

from collections.abc import Mapping
from typing import Any

from advisor.errors import DocumentError, FormulaError
from advisor.facts import Fact, Label, assumed
from advisor.plan.plan import TrafficFigure, TrafficFigures
from advisor.sizing.formula import formulas
from advisor.sizing.trace import Trace
from advisor.units import number

LOADS = ("people", "active_people", "concurrent_requests", "requests_per_second")
_SHARE, _HOURLY = "active_share", "requests_per_active_person_per_hour"
_NO_CALLS = assumed("calls_per_request", 1.0, "1", because="one model call for each request")


def traffic_figures(
    given: Mapping[str, Fact], request_latency: float, behaviour: Mapping[str, Fact], *, where: str = "traffic"
) -> TrafficFigures:
    """All four figures from those given.

    given: facts named as LOADS; people or active people may stand beside one of the others, which then fixes the load.
    request_latency: seconds from sending a model call to its last token, at this load (see `settle`). behaviour: the facts
    active_share and requests_per_active_person_per_hour, and calls_per_request, peak_to_mean, growth_per_year and term where
    they are known; other names are not read. Derived behaviour replaces an assumed one, so that the figures always agree.

    Raises DocumentError where no load or both a rate and a concurrency are given, and where fewer people exist than would be
    active; FormulaError for a latency that is no duration.
    """
    loads = {name: fact for name in LOADS if (fact := given.get(name)) is not None}
    if not loads:
        raise DocumentError(
            "no load is given", where=where, hint="give people, concurrent_requests or requests_per_second; the rest follows"
        )
    if "concurrent_requests" in loads and "requests_per_second" in loads:
        raise DocumentError(
            "requests_per_second and concurrent_requests are both given, and each fixes the load by itself",
            where=where,
            hint="keep the one you know",
        )
    if not 0 < request_latency < float("inf"):
        raise FormulaError(f"{request_latency} is not the duration of a request; expected seconds above zero", where=where)
    sides = _sides(loads, behaviour)
    values = _values(loads, request_latency, behaviour, sides)
    return _figures(loads, behaviour, values, where)


def _sides(loads: Mapping[str, Fact], behaviour: Mapping[str, Fact]) -> dict[str, str]:
    """From which side active people and the rate are derived, as the formulas' conditions read it."""
    rate = "concurrent_requests" if "concurrent_requests" in loads else "active_people"
    fixed = "concurrent_requests" in loads or "requests_per_second" in loads
    # With people beside a rate one of the two habits is free: the one that nobody stated.
    share_is_free = fixed and _stated(behaviour, _HOURLY) and not _stated(behaviour, _SHARE)
    active = "people" if "people" in loads and not share_is_free else "requests"
    return {"active_people_from": active, "requests_per_second_from": rate}


def _stated(behaviour: Mapping[str, Fact], name: str) -> bool:
    return name in behaviour and behaviour[name].origin.label is Label.answered


def _values(
    loads: Mapping[str, Fact], request_latency: float, behaviour: Mapping[str, Fact], sides: Mapping[str, str]
) -> dict[str, Any]:
    known = {"calls_per_request": _NO_CALLS, **behaviour, **loads}
    facts: dict[str, Any] = {name: fact.value for name, fact in known.items()}
    wanted = [*LOADS, "model_calls_per_second", "implied_active_share", f"implied_{_HOURLY}"]
    if "peak_to_mean" in behaviour:
        wanted.append("mean_requests_per_second")
    if "growth_per_year" in behaviour and "term" in behaviour:
        wanted += ["grown_requests_per_second", "grown_concurrent_requests"]
    return formulas().evaluate(wanted, {**facts, **sides, "request_latency": request_latency})


def _figures(loads: Mapping[str, Fact], behaviour: Mapping[str, Fact], values: Mapping[str, Any], where: str) -> TrafficFigures:
    trace = Trace(formulas(), values, 0, {**behaviour, **loads})
    people, active = trace.value("people"), trace.value("active_people")
    if active > people * (1 + 1e-9):
        raise DocumentError(
            f"{number(people, 15)} people have access, but {number(active)} of them would be active to send "
            f"{number(trace.value('requests_per_second'))} requests/s",
            where=where,
            hint="correct one of them, or how often an active person asks",
        )
    shown: dict[str, TrafficFigure] = {}
    for name in TrafficFigures.model_fields:
        # A stated or assumed habit stays unless the figures around it were given and say otherwise.
        implied = f"implied_{name}"
        if implied in values and name in behaviour and abs(trace.value(implied) - trace.value(name)) > 0.01 * trace.value(name):
            shown[name] = _figure(trace, implied)
        elif name in values:
            shown[name] = _figure(trace, name)
    return TrafficFigures.model_validate(shown)


def _figure(trace: Trace, name: str) -> TrafficFigure:
    made = trace.estimate(name)
    return TrafficFigure(
        value=float(trace.value(name)),
        unit=made.unit,
        label=Label.derived if made.label is Label.estimated else made.label,
        equation=made.equation,
        filled=made.filled,
        because=made.because,
        inputs=made.inputs,
        sources=made.sources,
    )
