"""How much a service is used: by people, by requests in flight, or by requests per second."""

from typing import Annotated

from pydantic import model_validator

from advisor.catalogue.record import Record
from advisor.units import number
from advisor.workload.quantities import People, Quantity, Requests, RequestsPerSecond, Share
from advisor.workload.refusal import refusal
from advisor.workload.words import Words

PerHour = Annotated[
    float, Quantity("1", 1e-3, 36_000, "nobody, and hardly any program, sends more than ten requests a second", "6", bare=True)
]
PeakToMean = Annotated[
    float, Quantity("1", 1, 1000, "above a thousandfold the mean says nothing", "3", "a peak is at least the mean")
]
Growth = Annotated[float, Quantity("1", -0.95, 100, "load rarely grows a hundredfold in a year", "20 %")]


class Traffic(Record):
    """The load at its peak, said in one of three ways; the others are derived from it.

    people, active_share, requests_per_active_person_per_hour: who could use it, which part of them does in a busy hour, and how
    often each of those asks. concurrent_requests: requests in flight at once. requests_per_second: arrivals. peak_to_mean: busy
    hour over the average hour. growth_per_year: 20 % means a fifth more each year. trace: file with arrivals and lengths.

    People (and their active share) may stand beside either of the other two, since they fix no rate by themselves. Arrivals said
    twice must agree within a hundredth; arrivals and concurrency together are refused, since one follows from the other and
    from how fast the plan turns out to answer.
    """

    people: People | None = None
    active_share: Share | None = None
    requests_per_active_person_per_hour: PerHour | None = None
    concurrent_requests: Requests | None = None
    requests_per_second: RequestsPerSecond | None = None
    peak_to_mean: PeakToMean | None = None
    growth_per_year: Growth | None = None
    trace: Annotated[str, Words(500, "arrivals.csv")] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> "Traffic":
        hourly = self.requests_per_active_person_per_hour
        if self.active_share == 0:
            raise refusal("nobody would be active", hint="write for example 10 %", field="active_share")
        if self.concurrent_requests is not None:
            for name in ("requests_per_second", "requests_per_active_person_per_hour"):
                if getattr(self, name) is not None:
                    raise refusal(
                        f"{name} and concurrent_requests are both given, and each fixes the load by itself",
                        hint="keep the one you know; the other follows from how long the plan takes to answer",
                        field=name,
                    )
        if self.requests_per_second and self.people and self.active_share and hourly:
            derived = self.people * self.active_share * hourly / 3600
            if abs(derived - self.requests_per_second) > 0.01 * self.requests_per_second:
                raise refusal(
                    f"{number(self.requests_per_second)} requests/s are given, but {number(self.people, 15)} people, "
                    f"{number(self.active_share * 100)} % of them active, {number(hourly)} requests an hour each "
                    f"make {number(derived)} requests/s",
                    hint="keep one of the two ways, or correct a figure",
                    field="requests_per_second",
                )
        return self
