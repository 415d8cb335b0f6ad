"""What a running service holds beside the library: settings, what is kept, who calls, limits and figures."""

import os
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from advisor.api.computing import Answers, Computing
from advisor.api.identity import Identity
from advisor.api.keeping import Keeping
from advisor.api.limits import Rate
from advisor.api.scopes import Caller
from advisor.api.settings import Settings

_TIMES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30)


class Figures:
    """The service's own figures, as Prometheus reads them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("advisor_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram("advisor_request_seconds", "Time to answer.", ("route",), buckets=_TIMES, registry=self.registry)
        self.answers = Counter("advisor_plan_answers", "Plans answered, by where from.", ("source",), registry=self.registry)
        self.under_way = Gauge(
            "advisor_calculations", "Calculations under way or waiting.", registry=self.registry, multiprocess_mode="livesum"
        )

    def text(self) -> bytes:
        """All of them; over all workers where there are several."""
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            registry = CollectorRegistry()
            collect: Any = multiprocess.MultiProcessCollector
            collect(registry)
            return generate_latest(registry)
        return generate_latest(self.registry)


class Running:
    """The parts of one worker."""

    def __init__(self, settings: Settings) -> None:
        """Raises InputError where the database or the keys of an issuer cannot be read."""
        self.settings = settings
        self.keeping = Keeping(settings.database)
        self.identity = Identity(settings, self.keeping)
        self.compute = Computing(computing=settings.computing, waiting=settings.waiting, seconds=settings.compute_seconds)
        self.answers = Answers(settings.answers_kept)
        self.calls = Rate(settings.requests_per_minute / settings.workers, settings.burst / settings.workers)
        self.failures = Rate(settings.failed_logins_per_minute / settings.workers, settings.failed_logins_per_minute)
        self.figures = Figures()
        self.figures.under_way.set_function(lambda: self.compute.under_way)

    def close(self) -> None:
        """End calculations, and write what waits."""
        self.compute.close()
        self.keeping.close()


@dataclass
class Handled:
    """What is known of a request while it is handled; the route tells which kept plan it concerns."""

    request: str
    caller: Caller
    plan: str | None = None


async def _running(request: Request) -> Running:
    running = request.app.state.running
    assert isinstance(running, Running)
    return running


async def _handled(request: Request) -> Handled:
    handled = request.scope["advisor.handled"]
    assert isinstance(handled, Handled)
    return handled


RunningGiven = Annotated[Running, Depends(_running)]
HandledGiven = Annotated[Handled, Depends(_handled)]
