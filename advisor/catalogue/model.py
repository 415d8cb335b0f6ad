"""A model's shape: what sizing needs to know, whether it came from the catalogue or from a config.json.

Layers stand in groups because real models differ by layer: sliding windows beside full attention, recurrent layers beside
attention, dense layers before experts.
"""

from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from advisor.catalogue.record import Entry, Number, Record, Work

AttentionKind = Literal["attention", "latent", "recurrent", "none"]


class LayerGroup(Record):
    """`count` layers that keep the same state per token and per sequence.

    kind: attention (keys and values per KV head), latent (one compressed vector, MLA), recurrent (state of fixed size,
    such as Mamba or linear attention), none (no state: feed-forward blocks, or layers that reuse another layer's cache).
    kv_heads: of attention. head_dim, value_head_dim: of attention, and of latent layers the widths of a key and a value once
    they are expanded, which set the work but not the cache; value_head_dim only where it differs from head_dim.
    window: tokens kept by a sliding-window or chunked layer; none means all.
    latent_width: elements of a latent vector per token (compressed rank plus rope part), of latent layers.
    indexer_width: elements of a sparse-attention indexer's key per token, kept beside the cache in 8 bit with a 4-byte scale.
    compressed_ratio: tokens that share one cached entry, where an engine stores compressed entries; none means 1.
    state_bytes: bytes per sequence and layer, of recurrent layers.
    cross_tokens: encoder positions whose keys and values are cached per sequence (encoder-decoder models).
    """

    count: int = Field(ge=1)
    kind: AttentionKind = "attention"
    kv_heads: int | None = Field(default=None, ge=1)
    head_dim: int | None = Field(default=None, ge=1)
    value_head_dim: int | None = Field(default=None, ge=1)
    window: int | None = Field(default=None, ge=1)
    latent_width: int | None = Field(default=None, ge=1)
    indexer_width: int | None = Field(default=None, ge=1)
    compressed_ratio: float | None = Field(default=None, ge=1)
    state_bytes: float | None = Field(default=None, ge=0)
    cross_tokens: int | None = Field(default=None, ge=1)


class Experts(Record):
    """Mixture-of-experts shape. `layers` is how many layers have experts."""

    count: int = Field(ge=1)
    per_token: int = Field(ge=1)
    shared: int = Field(default=0, ge=0)
    intermediate: int = Field(ge=1)
    layers: int = Field(ge=1)


class Parameters(Record):
    """Parameter counts (elements, not bytes, written "8.0303 B"), each a part of `total` except `extra`.

    total: what a server loads. active: used for one token, embedding table and output head included.
    embedding: one vocabulary table (vocabulary x hidden); an untied output head is a second one of the same size. For
    recommenders all embedding tables together.
    experts: all routed experts of all layers together. tower: vision or audio encoder with its projector.
    extra: stored in the checkpoint but not served by default, by name (multi_token_prediction, scales, ...).
    """

    total: Number
    active: Number | None = None
    embedding: Number | None = None
    experts: Number = 0
    tower: Number = 0
    extra: dict[str, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _parts_fit(self) -> "Parameters":
        if self.total == 0:
            raise ValueError("a model has at least one parameter")
        for part in ("active", "embedding", "experts", "tower"):
            if (getattr(self, part) or 0) > self.total:
                raise ValueError(f"{part} ({getattr(self, part):g}) is more than total ({self.total:g})")
        return self


# Tasks whose models answer token by token.
GENERATING = ("text-generation", "image-text-to-text", "any-to-text", "any-to-any", "text2text-generation", "document-ocr")


class Model(Entry):
    """One set of weights.

    heads: query heads, which tensor parallelism must divide. context: longest sequence it was made for, none if unknown.
    format: weight format of the released checkpoint, id of a formats entry; none if the checkpoint does not say.
    kv_format: cache format that the checkpoint states, none if it leaves it to the engine.
    checkpoint_bytes: exact bytes of its tensors, where the file headers were read.
    draft_layers: multi-token-prediction layers stored with it.
    embedding_width: length of the vector an embedding model returns.
    flops_per_item: work of one forward pass over one `flops_unit` (an image, a second of audio, a denoising step).
    side_parameters: of the models that a pipeline loads beside this one, by name (text encoders and the picture decoder of a
    diffusion model).
    assumed: what the reader had to assume, in words. `basis`: how the parameter count was checked.
    """

    name: str
    family: str
    modality: str = "text"
    task: str = "text-generation"
    parameters: Parameters
    tied_embeddings: bool | None = None
    layers: int | None = Field(default=None, ge=1)
    hidden: int | None = Field(default=None, ge=1)
    intermediate: int | None = Field(default=None, ge=1)
    heads: int | None = Field(default=None, ge=1)
    vocabulary: int | None = Field(default=None, ge=1)
    context: int | None = Field(default=None, ge=1)
    layer_groups: tuple[LayerGroup, ...] = ()
    experts: Experts | None = None
    format: str | None = None
    kv_format: str | None = None
    checkpoint_bytes: float | None = Field(default=None, gt=0)
    draft_layers: int = Field(default=0, ge=0)
    embedding_width: int | None = Field(default=None, ge=1)
    flops_per_item: Work | None = None
    flops_unit: str | None = None
    side_parameters: dict[str, Number] = Field(default_factory=dict)
    released: date | None = None
    licence: str | None = None
    basis: str | None = None
    assumed: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
