"""A model that is not yet chosen, and the models a workload has beside its main one."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from advisor.catalogue.record import Record
from advisor.workload.engine_settings import EngineSettings
from advisor.workload.length import Length
from advisor.workload.quantities import ContextTokens, Count, Quantity
from advisor.workload.refusal import refusal
from advisor.workload.words import Choice, EngineName, FormatName, Version, Words

ParameterCount = Annotated[
    float, Quantity("1", 1e5, 1e14, "the largest models have some million million", "13B", "no such model needs planning")
]
Shape = Annotated[int, Quantity("1", 1, 1e7, "no model is so wide or deep", "4096", whole=True)]
Modality = Literal["text", "vision-text", "vision", "speech", "embedding", "image", "video"]
Role = Literal[
    "generator",
    "embedder",
    "reranker",
    "draft",
    "guard",
    "router",
    "judge",
    "transcriber",
    "speaker",
    "vision",
    "policy",
    "reference",
    "reward",
    "critic",
    "teacher",
]


class UndecidedModel(Record):
    """A model of a given size that is not yet chosen; what is left out is taken from models of that size.

    parameters: all of them, such as 13B. active_parameters: those used for one token, in a mixture of experts. Then the shape,
    where it is known: layers, hidden size, query heads, key-value heads, head size, vocabulary, longest context in tokens.
    """

    parameters: ParameterCount = Field(description="how many parameters it has, such as parameters: 13B")
    active_parameters: ParameterCount | None = None
    modality: Annotated[Modality, Choice(get_args(Modality))] | None = None
    layers: Shape | None = None
    hidden: Shape | None = None
    heads: Shape | None = None
    kv_heads: Shape | None = None
    head_dim: Shape | None = None
    vocabulary: Shape | None = None
    experts: Shape | None = None
    experts_per_token: Shape | None = None
    context: ContextTokens | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> "UndecidedModel":
        pairs = (("active_parameters", "parameters"), ("kv_heads", "heads"), ("experts_per_token", "experts"))
        for part, whole in pairs:
            less, more = getattr(self, part), getattr(self, whole)
            if less is not None and more is not None and less > more:
                raise refusal(f"{part} ({less:,.0f}) is more than {whole} ({more:,.0f})", field=part)
        return self


def _form(given: Any) -> str:
    return "inline model" if isinstance(given, Mapping | UndecidedModel) else "model name"


ModelWish = Annotated[
    Annotated[str, Words(500, "meta-llama/Llama-3.1-8B-Instruct"), Tag("model name")]
    | Annotated[UndecidedModel, Tag("inline model")],
    Discriminator(_form),
]
"""Catalogue id, usual spelling, hub id or path of a config.json; or a mapping for a model not yet chosen."""


class Component(Record):
    """One of several models that work together: its role, and what differs for it from the workload."""

    role: Annotated[Role, Choice(get_args(Role))] = Field(description=f"one of: {', '.join(get_args(Role))}")
    model: ModelWish = Field(description="a catalogue id or hub id, or {parameters: 13B} for one not yet chosen")
    precision: FormatName | None = None
    kv_precision: FormatName | None = None
    engine: EngineName | None = None
    engine_version: Version | None = None
    engine_settings: EngineSettings | None = None
    input_tokens: Length | None = None
    output_tokens: Length | None = None
    calls_per_request: Annotated[float, Quantity("1", 1e-3, 1e5, "no request calls a model so often", "2")] | None = None
    shared_prefix_tokens: ContextTokens | None = None
    count: Count | None = None
