"""Hard limits as named masks over the candidates: which one refuses a row, and by how much it would have to give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from advisor.conditions import one_of

Columns = Mapping[str, Any]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Limit:
    """One hard limit. `holds` tells for every row whether it is kept; `short_by` by how much a refused row misses it.

    needs: quantities that must have been evaluated. cheap ones look at the layout only and come first.
    unit: base unit of short_by.
    """

    name: str
    says: str
    relax: str
    needs: tuple[str, ...]
    holds: Callable[[Columns], Any]
    short_by: Callable[[Columns], Any] | None = None
    unit: str = "1"
    cheap: bool = True


def _divides(columns: Columns) -> Any:
    heads, kv_heads, tensor = columns["heads"], columns["kv_heads"], columns["tensor_parallel"]
    sharded = tensor == 1
    if heads:
        spread = np.maximum(kv_heads, 1)
        sharded = sharded | ((heads % tensor == 0) & ((spread % tensor == 0) | (tensor % spread == 0)))
    return sharded


def _pipeline_is_called_for(columns: Columns) -> Any:
    """Pipeline stages inside a node are for links too slow for tensor parallelism, or counts that do not divide the heads."""
    tensor, pipeline = columns["tensor_parallel"], columns["pipeline_parallel"]
    slow = one_of(columns["scale_up_kind"], ("pcie", "none", "nvlink-bridge"))
    together = tensor * pipeline
    alternative = dict(columns) | {"tensor_parallel": together}
    tensor_could = _divides(alternative) & (together <= _tensor_domain(columns))
    return (pipeline == 1) | slow | ~tensor_could


def _tensor_domain(columns: Columns) -> Any:
    return np.maximum(columns["scale_up_domain"], columns["accelerators_per_node"])


def _whole_nodes(columns: Columns) -> Any:
    """Over several nodes each stage group fills its node evenly."""
    together, node = columns["accelerators_per_replica"], columns["accelerators_per_node"]
    return (together <= node) | (together % node == 0) | (node % columns["tensor_parallel"] == 0)


CONTEXT_LIMIT = Limit(
    "model's context",
    "the longest sequence is longer than the model was made for",
    "shorter requests, or a model with a longer context",
    (),
    lambda columns: np.asarray(columns["max_model_len"]) <= columns["model_context"],
    lambda columns: np.maximum(0, np.asarray(columns["max_model_len"]) - columns["model_context"]),
    "token/request",
)
# Limits that a person's own layout sets aside: they say what is sensible, not what is possible.
SENSIBLE = ("pipeline called for", "whole nodes")
LAYOUT_LIMITS: tuple[Limit, ...] = (
    CONTEXT_LIMIT,
    Limit(
        "heads divide",
        "the model's attention heads do not divide by this tensor parallelism",
        "use a tensor parallelism that divides the heads",
        (),
        _divides,
    ),
    Limit(
        "one link domain",
        "tensor parallelism would leave the node or its link domain",
        "keep tensor parallelism inside a node and add pipeline stages",
        (),
        lambda columns: columns["tensor_parallel"] <= _tensor_domain(columns),
    ),
    Limit(
        "stages within layers",
        "there are more pipeline stages than layers",
        "use fewer stages",
        (),
        lambda columns: columns["pipeline_parallel"] <= columns["layers"],
    ),
    Limit(
        "pipeline called for",
        "pipeline stages inside a fast node, where tensor parallelism would do",
        "use tensor parallelism",
        (),
        _pipeline_is_called_for,
    ),
    Limit("whole nodes", "the replica would fill its nodes unevenly", "fill whole nodes", (), _whole_nodes),
)

MEMORY_LIMITS: tuple[Limit, ...] = (
    Limit(
        "weights fit",
        "weights and what the engine sets aside exceed the memory",
        "more accelerators a replica, or a smaller weight format",
        ("kv_room",),
        lambda columns: columns["kv_room"] > 0,
        lambda columns: np.maximum(0, -np.asarray(columns["kv_room"])),
        "byte",
        cheap=False,
    ),
    Limit(
        "longest sequence starts",
        "the cache does not hold one sequence of the longest length, so the engine refuses to start",
        "more accelerators a replica, a shorter longest sequence, or a smaller cache format",
        ("kv_room", "start_request"),
        lambda columns: columns["kv_room"] >= columns["start_request"],
        lambda columns: np.maximum(0, np.asarray(columns["start_request"]) - columns["kv_room"]),
        "byte",
        cheap=False,
    ),
    Limit(
        "one request fits",
        "the cache does not hold a single request of this length",
        "more accelerators a replica, shorter requests, or a smaller cache format",
        ("concurrency_capacity",),
        lambda columns: columns["concurrency_capacity"] >= 1,
        cheap=False,
    ),
)


def within(name: str, says: str, relax: str, quantity: str, most: float, unit: str = "1") -> Limit:
    """A limit that a quantity may not exceed, such as the most accelerators or the most power."""
    return Limit(
        name,
        says,
        relax,
        (quantity,),
        lambda columns: np.asarray(columns[quantity]) <= most,
        lambda columns: np.maximum(0, np.asarray(columns[quantity]) - most),
        unit,
        cheap=False,
    )
