"""A second opinion on one configuration: a peer's time to first and per output token beside ours, or why there is none."""

import math
from typing import Final

from advisor.catalogue.model import Model
from advisor.errors import MissingExtraError
from advisor.evidence.peers import PEER, PeerEstimate, PeerQuestion, peer_estimate
from advisor.facts import Facts
from advisor.library import Library
from advisor.plan.beside import SecondFigure, SecondOpinion
from advisor.plan.plan import Configuration

COMPARED: Final = ("time_to_first_token", "time_per_output_token")


def second_opinion(configuration: Configuration, facts: Facts, library: Library, model: str) -> SecondOpinion:
    """Ask the peer about one replica of a configuration at its share of the load. Never raises for what the peer cannot do.

    facts: those of the workload (input_tokens, output_tokens, concurrent_requests). model: the id of the model in the
    catalogue, or its name on the hub.
    """
    name = library.get(Model, model).name if library.has(Model, model) else model
    try:
        answer = peer_estimate(
            PeerQuestion(
                model=name,
                accelerator=configuration.accelerator,
                engine=configuration.engine,
                engine_version=configuration.engine_version,
                tensor_parallel=configuration.tensor_parallel,
                pipeline_parallel=configuration.pipeline_parallel,
                precision=configuration.precision,
                kv_precision=configuration.kv_precision,
                input_tokens=_whole(facts, "input_tokens"),
                output_tokens=_whole(facts, "output_tokens"),
                concurrent_requests=_number(facts, "concurrent_requests") / configuration.replicas,
            )
        )
    except MissingExtraError as missing:
        return SecondOpinion(tool=PEER, refused=f"{missing.message}; {missing.hint}")
    if not isinstance(answer, PeerEstimate):
        return SecondOpinion(tool=PEER, version=answer.version, refused=answer.reason)
    return SecondOpinion(
        tool=PEER,
        version=answer.version,
        database=answer.database,
        caution=answer.caution,
        figures={quantity: _figure(configuration, quantity, getattr(answer, quantity)) for quantity in COMPARED},
    )


def _figure(configuration: Configuration, quantity: str, peers: float) -> SecondFigure:
    estimate = configuration.estimates.get(quantity)
    ours = estimate.value if estimate is not None and math.isfinite(estimate.value) else None
    return SecondFigure(ours=ours, peers=peers, unit="second", difference=(peers - ours) / ours if ours else None)


def _number(facts: Facts, name: str) -> float:
    value = facts[name].value
    assert not isinstance(value, str)
    return float(value)


def _whole(facts: Facts, name: str) -> int:
    return max(1, round(_number(facts, name)))
