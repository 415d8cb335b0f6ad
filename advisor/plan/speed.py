"""How fast a configuration is, and how sure that is: targets of a workload, and calibrated bands around estimates."""

import numpy as np

from advisor.catalogue.efficiency import Efficiency
from advisor.catalogue.model import GENERATING, Model
from advisor.library import Library
from advisor.plan.configuration import Banded, Row
from advisor.plan.quantity import Quantity
from advisor.questionnaire.question import Question
from advisor.sizing.efficiencies import key_of
from advisor.sizing.serving.constants import SERVING_CONSTANTS, UNSEEN_WIDENING
from advisor.sizing.serving.targets import Target
from advisor.workload.document import Workload
from advisor.workload.targets import Targets

# What is estimated with which band; a rate is as uncertain as the time it is made of, the other way round.
_BANDS = {
    "time_to_first_token": ("time_to_first_token_band", False),
    "time_per_output_token": ("time_per_output_token_band", False),
    "decode_step_time": ("time_per_output_token_band", False),
    "prefill_time": ("time_to_first_token_band", False),
    "request_latency": ("request_latency_band", False),
    "request_rate": ("request_latency_band", True),
    "output_token_rate": ("request_latency_band", True),
    "offline_token_rate": ("offline_token_rate_band", False),
    "offline_finish_time": ("offline_token_rate_band", True),
}
_WAITED_FOR = ("realtime-inference", "rag", "agent")
FACT_OF_TARGET = {"ttft_mean": "first_token_target", "tpot_mean": "token_target"}
_QUANTITIES = {"ttft": "time_to_first_token", "tpot": "time_per_output_token", "latency": "request_latency"}
# A target on the 90th percentile is held at the 95th, which no calibration of its own stands behind.
_STATISTICS = {"mean": "", "p50": "_p50", "p90": "_p95", "p95": "_p95", "p99": "_p99"}
_TIMES = {
    f"{time}_{statistic}": f"{quantity}{ending}"
    for time, quantity in _QUANTITIES.items()
    for statistic, ending in _STATISTICS.items()
}


def generates(model: Model) -> bool:
    """Whether a model answers token by token, which the speed formulas are about."""
    return model.task in GENERATING and bool(model.hidden and model.layers)


def targets_of(targets: Targets | None) -> tuple[Target, ...]:
    """The limits on speed that a workload sets."""
    if targets is None:
        return ()
    found = [
        Target(name, quantity, value, "second")
        for name, quantity in _TIMES.items()
        if (value := getattr(targets, name)) is not None
    ]
    if (rate := targets.output_tokens_per_second) is not None:
        found.append(Target("output_tokens_per_second", "output_token_rate", rate, "token/second", at_least=True))
    if targets.requests_per_second is not None:
        found.append(Target("requests_per_second", "request_rate", targets.requests_per_second, "request/second", at_least=True))
    return tuple(found)


def proposed_targets(library: Library, workload: Workload) -> tuple[Target, ...]:
    """Targets for people who wait and named none; they yield where nothing meets them.

    They are what the preset says, else what the questions take for "I don't know".
    """
    if workload.kind not in _WAITED_FOR:
        return ()
    defaults = {question.fact: question for question in library.all(Question)}
    found = []
    for name, fact in FACT_OF_TARGET.items():
        stated = workload.targets is not None and any(
            getattr(workload.targets, f"{name.split('_')[0]}_{form}") is not None for form in ("mean", "p50", "p90", "p95", "p99")
        )
        question = defaults.get(fact)
        if not stated and question is not None and question.unsure is not None:
            found.append(Target(name, _TIMES[name], float(question.unsure.use), "second"))
    return tuple(found)


def bands(library: Library) -> Banded:
    """What gives quantities of one workload's rows their bands; which constants a row has unseen is looked up once."""
    found: dict[tuple[int, int], float] = {}

    def banded(row: Row, name: str, quantity: Quantity) -> Quantity:
        key = (id(row.table), row.row)
        if key not in found:
            found[key] = UNSEEN_WIDENING if unseen(library, row) else 1.0
        return with_band(library, found[key], name, quantity)

    return banded


def with_band(library: Library, widening: float, name: str, quantity: Quantity) -> Quantity:
    """A quantity of speed with its 80 % interval, that of the calibration to the power of `widening`."""
    mean, _, percentile = name.rpartition("_p")
    if percentile.isdigit() and mean in _BANDS:
        name = mean
    if name not in _BANDS or not np.isfinite(quantity.value):
        return quantity
    id, inverse = _BANDS[name]
    level = library.get(Efficiency, id).cases[0]
    low, high = level.low**widening, level.high**widening
    if inverse:
        low, high = 1 / high, 1 / low
    # A percentile has the band of its tail already, and is as uncertain as its mean beside that.
    lowest, highest = (quantity.low, quantity.high) if percentile.isdigit() else (quantity.value, quantity.value)
    return quantity.model_copy(update={"low": (lowest or quantity.value) * low, "high": (highest or quantity.value) * high})


def unseen(library: Library, row: Row) -> tuple[str, ...]:
    """Constants of the row's speed that no measurement of its kind of accelerator, format or engine stands behind."""
    missing: list[str] = []
    for id in SERVING_CONSTANTS:
        efficiency = library.get(Efficiency, id)
        if efficiency.by and key_of(efficiency, row.table.values, row.row) not in efficiency.values:
            missing.append(id)
    return tuple(missing)
