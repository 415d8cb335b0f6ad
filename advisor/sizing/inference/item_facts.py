"""A model that processes items, as facts: what an item is, its kind of kernels, and the shape that sets its work."""

from typing import Any

from advisor.catalogue.model import Model

_TEXT = ("embedding", "reranker", "fill-mask")
_IMAGE = ("image-classification", "segmentation", "image-embedding", "image-text-embedding")
_DETECTION = ("object-detection", "instance-segmentation")
_SPEECH = ("speech-to-text", "speech-embedding")
_GENERATION = ("text-to-image", "text-to-video")
# Whisper's encoder always runs a window of this many seconds.
WINDOW_SECONDS = 30.0


def item_kind(model: Model) -> str | None:
    """The kind of kernels that a model's speed is fitted by; None for models that answer token by token or do something else."""
    if model.task in _TEXT:
        return "text-encoder"
    if model.task in _DETECTION:
        return "detection"
    if model.task in _IMAGE:
        return "vision-transformer" if model.heads else "vision-convolution"
    if model.task in _SPEECH:
        return "speech-decoder" if _decoder_layers(model) else "speech-encoder"
    return "diffusion" if model.task in _GENERATION else None


def item_unit(model: Model) -> str | None:
    """What one item of a model is: text, image, audio (a second of it) or generation; None where item_kind is None."""
    kind = item_kind(model)
    if kind is None:
        return None
    return {"text-encoder": "text", "speech-decoder": "audio", "speech-encoder": "audio", "diffusion": "generation"}.get(
        kind, "image"
    )


def item_facts(model: Model) -> dict[str, Any]:
    """The facts of a model that come from its entry; those of the load (lengths, steps, batch) are the caller's.

    Zeros stand for what the entry does not have, as for the work of an item, which texts and videos do not need.
    """
    decoder = _decoder_layers(model)
    return {
        "item_kind": item_kind(model) or "",
        "item_unit": item_unit(model) or "",
        "parameters": model.parameters.total,
        "active_parameters": model.parameters.active or model.parameters.total,
        "table_parameters": model.parameters.embedding or 0.0,
        "untied_head": 1.0 if model.tied_embeddings is False else 0.0,
        "layers": float(model.layers or 0),
        "hidden": float(model.hidden or 0),
        "intermediate": float(model.intermediate or 4 * (model.hidden or 0)),
        "catalogue_item_work": model.flops_per_item or 0.0,
        "attended_share": 0.5 if any(group.kind == "attention" for group in model.layer_groups) and not decoder else 1.0,
        "decoder_layers": float(decoder),
        "audio_positions": float(max((group.cross_tokens or 0 for group in model.layer_groups), default=0)),
        "item_group": WINDOW_SECONDS if decoder else 1.0,
    }


def _decoder_layers(model: Model) -> int:
    return sum(group.count for group in model.layer_groups if group.cross_tokens) if model.task in _SPEECH else 0
