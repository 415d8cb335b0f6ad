"""The four figures of a load follow from each other, whichever is given, and a rate settles where latency lets it."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import DocumentError, FormulaError
from advisor.facts import Fact, Label, answered, assumed
from advisor.plan.plan import TrafficFigures
from advisor.plan.settling import settle
from advisor.plan.traffic import LOADS, traffic_figures
from advisor.sizing.formula import formulas

UNITS = {
    "people": "person",
    "active_people": "person",
    "concurrent_requests": "request",
    "requests_per_second": "request/second",
    "term": "second",
}
YEAR = 365 * 86400.0
numbers = st.floats(min_value=1e-3, max_value=1e6)
shares = st.floats(min_value=1e-3, max_value=1)
durations = st.floats(min_value=0.05, max_value=600)
calls = st.floats(min_value=1, max_value=50)


def stated(**values: float) -> dict[str, Fact]:
    return {name: answered(name, value, UNITS.get(name, "1")) for name, value in values.items()}


def habits(share: float = 0.1, hourly: float = 12.0, **more: float) -> dict[str, Fact]:
    supposed = {"active_share": share, "requests_per_active_person_per_hour": hourly}
    return {name: assumed(name, value, "1", because="a test") for name, value in supposed.items()} | stated(**more)


def four(figures: TrafficFigures) -> list[float]:
    return [getattr(figures, name).value for name in LOADS]


def test_people_make_requests_and_requests_stay_a_while() -> None:
    figures = traffic_figures(stated(people=2000), 10, habits())
    assert four(figures) == pytest.approx([2000, 200, 20 / 3, 2 / 3])
    assert [getattr(figures, name).label for name in LOADS] == [Label.answered, Label.derived, Label.derived, Label.derived]
    assert figures.active_people.equation == "people * active_share"
    assert figures.active_people.filled == "(2,000 people) * 0.1"
    assert figures.active_people.inputs == ("people", "active_share")
    assert figures.concurrent_requests.equation == "model_calls_per_second * request_latency"
    assert figures.active_share.label is Label.assumed
    assert figures.active_share.because == "a test"


def test_a_concurrency_tells_how_many_people_it_serves() -> None:
    figures = traffic_figures(stated(concurrent_requests=50), 10, habits(calls_per_request=2))
    assert four(figures) == pytest.approx([7500, 750, 50, 2.5])
    assert figures.model_calls_per_second.value == pytest.approx(5)
    assert figures.requests_per_second.equation == "concurrent_requests / (calls_per_request * request_latency)"


def test_an_assumed_load_stays_assumed() -> None:
    supposed = {"concurrent_requests": assumed("concurrent_requests", 10.0, "request", because="a small team")}
    figures = traffic_figures(supposed, 5, habits())
    assert figures.concurrent_requests.label is Label.assumed
    assert figures.concurrent_requests.because == "a small team"


@given(numbers, shares, numbers, durations, calls)
def test_back_and_forth_gives_the_same(people: float, share: float, hourly: float, latency: float, each: float) -> None:
    behaviour = habits(share, hourly, calls_per_request=each)
    once = traffic_figures(stated(people=people), latency, behaviour)
    for name in LOADS:
        again = traffic_figures(stated(**{name: getattr(once, name).value}), latency, behaviour)
        assert four(again) == pytest.approx(four(once), rel=1e-9)
        assert getattr(again, name).label is Label.answered


@given(numbers, st.floats(min_value=1, max_value=10), durations)
def test_more_people_never_send_fewer_requests(people: float, more: float, latency: float) -> None:
    fewer = traffic_figures(stated(people=people), latency, habits())
    many = traffic_figures(stated(people=people * more), latency, habits())
    assert all(one <= other * (1 + 1e-12) for one, other in zip(four(fewer), four(many), strict=True))


@pytest.mark.parametrize("load", [{"requests_per_second": 5.0}, {"concurrent_requests": 50.0}])
def test_people_beside_a_load_tell_how_often_they_ask(load: dict[str, float]) -> None:
    figures = traffic_figures(stated(people=2000, **load), 10, habits())
    assert (figures.people.value, figures.active_people.value, figures.active_share.value) == (2000, 200, 0.1)
    hourly = figures.requests_per_active_person_per_hour
    assert hourly.value == pytest.approx(90)
    assert hourly.label is Label.derived
    assert hourly.equation == "requests_per_second * 3600 / active_people"


def test_people_beside_a_rate_and_a_stated_habit_tell_how_many_are_active() -> None:
    behaviour = habits() | stated(requests_per_active_person_per_hour=36)
    figures = traffic_figures(stated(people=2000, requests_per_second=5), 10, behaviour)
    assert figures.active_people.value == pytest.approx(500)
    assert figures.active_share.value == pytest.approx(0.25)
    assert figures.active_share.label is Label.derived
    assert figures.requests_per_active_person_per_hour.label is Label.answered


@given(numbers, numbers, shares, numbers, durations)
def test_figures_and_behaviour_always_agree(people: float, rate: float, share: float, hourly: float, latency: float) -> None:
    figures = traffic_figures(stated(people=people, requests_per_second=rate), latency, habits(share, hourly))
    active, asked = figures.active_people.value, figures.requests_per_active_person_per_hour.value
    assert people * figures.active_share.value == pytest.approx(active, rel=0.011)
    assert active * asked / 3600 == pytest.approx(rate, rel=0.011)


def test_fewer_people_than_would_be_active_is_a_contradiction() -> None:
    behaviour = habits() | stated(requests_per_active_person_per_hour=12)
    with pytest.raises(DocumentError, match="10 people have access, but 1,500 of them would be active") as caught:
        traffic_figures(stated(people=10, requests_per_second=5), 10, behaviour, where="workloads[0].traffic")
    assert caught.value.where == "workloads[0].traffic"


def test_no_load_two_loads_and_no_latency_are_refused() -> None:
    with pytest.raises(DocumentError, match="no load is given"):
        traffic_figures({}, 10, habits())
    with pytest.raises(DocumentError, match="each fixes the load by itself"):
        traffic_figures(stated(concurrent_requests=5, requests_per_second=1), 10, habits())
    for latency in (0, -1, math.inf, math.nan):
        with pytest.raises(FormulaError, match="is not the duration of a request"):
            traffic_figures(stated(people=5), latency, habits())


def test_a_stated_load_is_the_peak_and_the_mean_is_below_it() -> None:
    figures = traffic_figures(stated(requests_per_second=6), 10, habits(peak_to_mean=3))
    assert figures.mean_requests_per_second is not None
    assert figures.mean_requests_per_second.value == pytest.approx(2)
    assert figures.requests_per_second.value == 6
    assert traffic_figures(stated(requests_per_second=6), 10, habits()).mean_requests_per_second is None


def test_a_mean_gives_the_peak() -> None:
    values = formulas().evaluate(["peak_requests_per_second"], {"mean_requests_per_second": 86_400 / 86_400, "peak_to_mean": 4})
    assert values["peak_requests_per_second"] == 4


def test_growth_compounds_over_the_term() -> None:
    figures = traffic_figures(stated(requests_per_second=10), 2, habits(growth_per_year=0.2, term=3 * YEAR))
    assert figures.grown_requests_per_second is not None
    assert figures.grown_concurrent_requests is not None
    assert figures.grown_requests_per_second.value == pytest.approx(10 * 1.2**3)
    assert figures.grown_concurrent_requests.value == pytest.approx(20 * 1.2**3)
    shrunk = traffic_figures(stated(requests_per_second=10), 2, habits(growth_per_year=-0.5, term=YEAR))
    assert shrunk.grown_requests_per_second is not None
    assert shrunk.grown_requests_per_second.value == pytest.approx(5)


@settings(deadline=None)
@given(st.floats(min_value=1e-3, max_value=1e3), st.floats(min_value=0.01, max_value=100), st.floats(min_value=0, max_value=1))
def test_a_straight_latency_settles_where_algebra_says(rate: float, alone: float, slope: float) -> None:
    """W = a + b L and L = r W meet at L = r a / (1 - r b)."""
    settled = settle(rate, lambda concurrency: alone + slope * concurrency)
    room = 1 - rate * slope
    if rate * (alone + slope) <= 1:  # on the mean less than one in flight: a call runs alone
        assert settled.concurrency == pytest.approx(rate * (alone + slope))
    elif room > 1e-3:
        assert settled.concurrency == pytest.approx(rate * alone / room, rel=1e-5)
        assert not settled.overloaded
    elif room < -1e-3:  # between, the point lies beyond any number of requests or nowhere, which floats cannot tell apart
        assert settled.overloaded


def test_bending_latency_settles_at_the_first_of_two_points_and_overloads_past_the_last() -> None:
    def latency(concurrency: float) -> float:
        return 1 + (concurrency / 100) ** 2

    for rate in (10, 30, 49, 49.9):
        exact = 1e4 * (1 - math.sqrt(1 - 4 * rate**2 / 1e4)) / (2 * rate)
        assert settle(rate, latency).concurrency == pytest.approx(exact, rel=1e-3)
    assert settle(50.1, latency).overloaded


LATENCIES: list[Callable[[float], float]] = [
    lambda concurrency: 2 + 0.5 * math.ceil(concurrency / 32),
    lambda concurrency: 3 + concurrency / 50 if concurrency < 1000 else math.inf,
    lambda concurrency: 1 + math.sqrt(concurrency),
]


@pytest.mark.parametrize("latency", LATENCIES)
def test_what_settles_obeys_littles_law_and_keeps_up(latency: Callable[[float], float]) -> None:
    before = 0.0
    for rate in (0.01, 0.3, 1, 3, 10, 20, 30, 40, 60, 70, 500):
        settled = settle(rate, latency)
        assert settled == settle(rate, latency)
        assert settled.concurrency >= before * (1 - 1e-6)
        before = settled.concurrency
        if not settled.overloaded:
            assert settled.concurrency == pytest.approx(rate * settled.latency)
            assert rate * latency(max(settled.concurrency, 1)) <= settled.concurrency * (1 + 1e-6) or settled.concurrency < 1


def test_overload_is_said_and_stays_below_the_maximum() -> None:
    settled = settle(100, lambda concurrency: 2.0, most=150)
    assert (settled.concurrency, settled.overloaded) == (150, True)
    nothing = settle(1, lambda concurrency: math.inf)
    assert nothing.overloaded
    assert math.isinf(nothing.latency)


def test_latency_that_steps_down_settles_on_the_side_that_keeps_up() -> None:
    settled = settle(17, lambda concurrency: 3.0 if concurrency < 50 else 1.0)
    assert settled.concurrency == pytest.approx(50, rel=1e-6)
    assert settled.latency == pytest.approx(50 / 17, rel=1e-6)


def test_few_evaluations_are_needed() -> None:
    tried: list[float] = []

    def latency(concurrency: float) -> float:
        tried.append(concurrency)
        return 2 + 0.01 * concurrency + 1e-4 * math.pow(concurrency, 1.5)

    settle(40, latency)
    assert len(tried) < 25
