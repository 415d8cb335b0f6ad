"""What must be reached, in figures that a load test can verify."""

from itertools import pairwise
from typing import Annotated

from pydantic import model_validator

from advisor.catalogue.record import Record
from advisor.units import show_base
from advisor.workload.quantities import Money, Period, Quantity, RequestsPerSecond, TokensPerSecond
from advisor.workload.refusal import refusal

FirstToken = Annotated[
    float, Quantity("second", 1e-3, 3600, "nobody waits an hour for a first word", "2 s", "no prompt is read faster")
]
PerToken = Annotated[
    float, Quantity("second", 5e-5, 60, "a token a minute is of no use", "50 ms", "no accelerator writes tokens faster")
]
Latency = Annotated[
    float,
    Quantity(
        "second", 1e-3, 7 * 86400, "an answer after a week is a batch job: use finish_within", "10 s", "no answer comes faster"
    ),
]
Availability = Annotated[
    float, Quantity("1", 0.5, 0.9999999, "nothing is up all the time", "99.9 %", "half the time is no service")
]
TimeoutShare = Annotated[float, Quantity("1", 0, 0.5, "above a half most requests would fail", "0.1 %")]
_PERCENTILES = ("p50", "p90", "p95", "p99")


class Targets(Record):
    """Limits that the plan must meet; without a percentile they are means under closed-loop load.

    ttft: time to first token. tpot: mean time per output token after the first. latency: from request to last token. Of each,
    `mean` or a percentile of the requests. requests_per_second, output_tokens_per_second: what it must carry. timeout_share:
    requests that may run out of time. finish_within: a run's duration. recovery_time: from a failure to working again.
    """

    ttft_mean: FirstToken | None = None
    ttft_p50: FirstToken | None = None
    ttft_p90: FirstToken | None = None
    ttft_p95: FirstToken | None = None
    ttft_p99: FirstToken | None = None
    tpot_mean: PerToken | None = None
    tpot_p50: PerToken | None = None
    tpot_p90: PerToken | None = None
    tpot_p95: PerToken | None = None
    tpot_p99: PerToken | None = None
    latency_mean: Latency | None = None
    latency_p50: Latency | None = None
    latency_p90: Latency | None = None
    latency_p95: Latency | None = None
    latency_p99: Latency | None = None
    availability: Availability | None = None
    requests_per_second: RequestsPerSecond | None = None
    output_tokens_per_second: TokensPerSecond | None = None
    timeout_share: TimeoutShare | None = None
    finish_within: Period | None = None
    recovery_time: Period | None = None
    cost_per_million_tokens: Money | None = None
    cost_per_run: Money | None = None

    @model_validator(mode="after")
    def _percentiles_rise(self) -> "Targets":
        for measure in ("ttft", "tpot", "latency"):
            names = [f"{measure}_{percentile}" for percentile in _PERCENTILES]
            given = [(name, value) for name in names if (value := getattr(self, name)) is not None]
            for (lower, below), (upper, above) in pairwise(given):
                if above < below:
                    raise refusal(
                        f"{upper} ({show_base(above, 'second')}) is less than {lower} ({show_base(below, 'second')})",
                        hint=f"fewer requests exceed {upper}, so it is the larger one",
                        field=upper,
                    )
        return self
