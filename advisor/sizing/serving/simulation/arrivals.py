"""When requests come: at random, in bursts, as recorded, or from clients that wait for their answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from advisor.errors import QuantityError

Times = NDArray[np.float64]


@dataclass(frozen=True)
class OpenArrivals:
    """Requests that come whatever becomes of the others: seconds from the beginning, in order."""

    times: Times


@dataclass(frozen=True)
class ClosedLoop:
    """Clients that each wait for an answer, think, and ask again. They start evenly over `ramp` seconds."""

    clients: int
    think_time: float
    requests_per_client: int
    ramp: float


Arrivals = OpenArrivals | ClosedLoop


def poisson(rate: float, duration: float, seed: int) -> OpenArrivals:
    """Independent people: `rate` requests a second on the mean, for `duration` seconds."""
    _positive(rate=rate, duration=duration)
    generator = _generator(seed)
    return OpenArrivals(np.sort(generator.uniform(0, duration, generator.poisson(rate * duration))))


def bursty(rate: float, duration: float, coefficient_of_variation: float, seed: int) -> OpenArrivals:
    """Times between requests from a gamma distribution whose deviation is `coefficient_of_variation` times its mean.

    1 is Poisson, below 1 is more even, published traces of services reach 2 to 12.
    """
    _positive(rate=rate, duration=duration, coefficient_of_variation=coefficient_of_variation)
    generator = _generator(seed)
    shape = coefficient_of_variation**-2
    piece = int(rate * duration) + 64
    times = np.cumsum(generator.gamma(shape, 1 / (shape * rate), piece))
    while times[-1] < duration:
        times = np.concatenate([times, times[-1] + np.cumsum(generator.gamma(shape, 1 / (shape * rate), piece))])
    return OpenArrivals(times[times < duration])


def on_off(rate: float, duration: float, mean_on: float, mean_off: float, seed: int) -> OpenArrivals:
    """Poisson arrivals that stop and go: exponential spells of `mean_on` and `mean_off` seconds, `rate` over both together."""
    _positive(rate=rate, duration=duration, mean_on=mean_on, mean_off=mean_off)
    generator = _generator(seed)
    on, off = np.zeros(0), np.zeros(0)
    while on.sum() + off.sum() < duration:
        spells = int(duration / (mean_on + mean_off)) + 16
        on = np.concatenate([on, generator.exponential(mean_on, spells)])
        off = np.concatenate([off, generator.exponential(mean_off, spells)])
    # Arrivals are Poisson on a clock that stands still during the pauses; pauses passed by then give the time of day.
    rate_when_on = rate * (mean_on + mean_off) / mean_on
    on_clock = np.sort(generator.uniform(0, on.sum(), generator.poisson(rate_when_on * on.sum())))
    pauses = np.concatenate([[0.0], np.cumsum(off)])
    times = on_clock + pauses[np.searchsorted(np.cumsum(on), on_clock)]
    return OpenArrivals(times[times < duration])


def recorded(times: Sequence[float] | Times) -> OpenArrivals:
    """Arrivals as a trace has them, in seconds and in order. Raises QuantityError for the first that is out of order."""
    given = np.array(times, dtype=np.float64)
    if given.ndim != 1 or given.size == 0:
        raise QuantityError("a list of at least one arrival time was expected", where="arrivals")
    if not np.all(np.isfinite(given)) or given[0] < 0:
        raise QuantityError("arrival times must be numbers of seconds from 0 up", where="arrivals")
    back = np.flatnonzero(np.diff(given) < 0)
    if back.size:
        row = int(back[0]) + 1
        raise QuantityError(
            f"request {row + 1} comes at {given[row]:g} s, before the one in front of it at {given[row - 1]:g} s",
            where="arrivals",
            hint="sort the trace by time, lengths with it",
        )
    return OpenArrivals(given)


def closed_loop(clients: int, think_time: float = 0.0, *, requests_per_client: int = 10, ramp: float = 0.0) -> ClosedLoop:
    """As benchmark tools load a server: so many clients, ten requests each unless said otherwise, all at once or over a ramp."""
    _positive(clients=clients, requests_per_client=requests_per_client)
    for name, seconds in {"think_time": think_time, "ramp": ramp}.items():
        if not (np.isfinite(seconds) and seconds >= 0):
            raise QuantityError(f"{seconds:g} s was given; a time from 0 s up was expected", where=name)
    return ClosedLoop(int(clients), think_time, int(requests_per_client), ramp)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _positive(**given: float) -> None:
    for name, value in given.items():
        if not (np.isfinite(value) and value > 0):
            raise QuantityError(f"{value:g} was given; a number above 0 was expected", where=name)
