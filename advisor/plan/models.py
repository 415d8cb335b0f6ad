"""The model a workload names: from the catalogue, from a config.json, or of a size and not yet chosen."""

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from advisor.catalogue.model import GENERATING, LayerGroup, Model, Parameters
from advisor.catalogue.record import Citation
from advisor.errors import DocumentError, ModelConfigError, UnknownNameError
from advisor.library import Library
from advisor.units import number
from advisor.workload.model_wish import ModelWish, UndecidedModel

_LONG_AGO = date(1970, 1, 1)
_HUB_ID = re.compile(r"^[\w.-]+/[\w.-]+$")


@dataclass(frozen=True)
class Access:
    """Where a model may be read from beside the catalogue: files of this machine, and the hub."""

    files: bool = True
    hub: bool = False


# For doors that serve others: a model is an id or an inline shape, never a path or an address.
CATALOGUE_ONLY = Access(files=False)


def model_of(library: Library, wish: ModelWish, where: str, access: Access) -> Model:
    """The model of a wish.

    Raises UnknownNameError, AmbiguousNameError, ModelConfigError, and DocumentError for a path where none is allowed.
    """
    if isinstance(wish, UndecidedModel):
        return _undecided(library, wish, where)
    if _looks_like_path(wish) and not access.files:
        raise DocumentError(
            "a path cannot be given here", where=where, hint="give a catalogue id, or a size such as {parameters: 13B}"
        )
    if access.files and (_looks_like_path(wish) or Path(wish).expanduser().is_dir()):
        from advisor.catalogue.config.reading import read_config

        return _known_shape(read_config(Path(wish).expanduser()), where)
    try:
        return _known_shape(library.find(Model, wish, where=where), where)
    except UnknownNameError as error:
        if not access.hub or not _HUB_ID.match(wish):
            if access.files and _HUB_ID.match(wish):
                error.hint = f"{error.hint or ''} To look it up on the hub: advisor plan --hub".strip()
            raise
    from advisor.catalogue.hub import fetch_model

    fetched = fetch_model(wish)
    return _known_shape(fetched.model.model_copy(update={"checkpoint_bytes": fetched.weight_bytes}), where)


def _looks_like_path(text: str) -> bool:
    return text.endswith(".json") or text.startswith(("./", "../", "/", "~"))


def _known_shape(model: Model, where: str) -> Model:
    """A model that generates keeps a cache; without its attention layout no figure about it would be honest."""
    if model.task in GENERATING and not model.layer_groups:
        raise ModelConfigError(
            f"the catalogue knows the size of {model.name} but not its attention layout, so its cache cannot be sized",
            where=where,
            hint="give the path of its config.json as the model",
        )
    return model


def _undecided(library: Library, wish: UndecidedModel, where: str) -> Model:
    """A model of a stated size; what is left open is taken from the catalogue's model of the nearest size."""
    candidates = [
        model
        for model in library.all(Model)
        if model.task == "text-generation"
        and model.layer_groups
        and model.hidden
        and (model.experts is not None) == bool(wish.experts)
    ]
    like = min(
        candidates, key=lambda model: (abs(model.parameters.total - wish.parameters), -(model.released or _LONG_AGO).toordinal())
    )
    group = like.layer_groups[0]
    shaped = wish.layers or wish.kv_heads or wish.head_dim
    groups = (
        (
            LayerGroup(
                count=int(wish.layers or like.layers or group.count),
                kv_heads=int(wish.kv_heads or group.kv_heads or 1),
                head_dim=int(wish.head_dim or group.head_dim or 128),
            ),
        )
        if shaped
        else like.layer_groups
    )
    size = wish.parameters
    return like.model_copy(
        update={
            "id": f"undecided-{number(size / 1e9, 4)}b",
            "name": f"a model of {number(size / 1e9, 4)} billion parameters, not yet chosen",
            "parameters": Parameters(
                total=size,
                active=wish.active_parameters or size,
                embedding=min(like.parameters.embedding or 0, size / 4),
                experts=like.parameters.experts / like.parameters.total * size,
            ),
            "layers": int(wish.layers or like.layers or group.count),
            "hidden": int(wish.hidden or like.hidden or 1),
            "heads": int(wish.heads or like.heads or 1),
            "vocabulary": int(wish.vocabulary or like.vocabulary or 1),
            "context": int(wish.context or like.context or 1),
            "layer_groups": groups,
            "format": like.format,
            "assumed": (f"what was left open is as in {like.name}",),
            "sources": (Citation(source="workload-document", place=where),),
            "basis": "as stated in the document",
        }
    )
