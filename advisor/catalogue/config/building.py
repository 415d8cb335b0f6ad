"""From parsed configuration to catalogue record: which kind of model it is, its parts, and what had to be assumed."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from advisor.catalogue.config.decoder import TextPart, read_decoder
from advisor.catalogue.config.defaults import class_defaults, section_type
from advisor.catalogue.config.encoder import ENCODERS, read_encoder
from advisor.catalogue.config.encoder_decoder import BART_TYPES, T5_TYPES, read_bart, read_t5, read_whisper
from advisor.catalogue.config.families import FAMILIES, LLAMA, canonical_type, family_of
from advisor.catalogue.config.files import id_of
from advisor.catalogue.config.keys import Keys
from advisor.catalogue.config.modalities import Modalities, read_modalities
from advisor.catalogue.config.quantization import Formats, read_formats
from advisor.catalogue.model import Model, Parameters
from advisor.catalogue.record import Citation
from advisor.errors import ModelConfigError

SOURCE: Final = "config-file"
# No model comes near: 10¹⁵ parameters fill a thousand of the largest servers.
_MOST_PARAMETERS: Final = 10**15
_TEXT: Final = ("text_config", "llm_config", "language_config", "language_model_config")
_WRAPPERS: Final = ("thinker_config",)
# Types that share one block among layers, loop over layers, or are recurrent in a way of their own.
_UNREAD: Final = frozenset({"zamba", "zamba2", "rwkv", "xlstm", "hrm_text", "moshi", "doge", "jetmoe", "funnel", "xlnet"})
_CLASS_ENDING: Final = re.compile(r"(For[A-Z]\w*|LMHeadModel|Model)$")
_LAYOUT_KEYS: Final = (
    "hidden_size",
    "n_embd",
    "d_model",
    "num_hidden_layers",
    "n_layer",
    "n_layers",
    "num_layers",
    "vocab_size",
)


def build_model(config: Mapping[str, object], *, name: str, where: str, quantization: Mapping[str, object] | None) -> Model:
    """The model that a configuration describes. Raises ModelConfigError, with file and key, for what lacks or contradicts."""
    assumed: list[str] = []
    top = Keys(config, where=where, assumed=assumed)
    _refuse_other_files(top)
    wrapped = top.section(*_WRAPPERS)
    if wrapped is not None:
        top.assume("only the part that reads and answers in text is counted; parts that speak are not")
        wrapped = wrapped.merged({key: config.get(key) for key in ("model_type", "architectures", "torch_dtype", "dtype")})
    outer = wrapped if wrapped is not None else top
    text, text_type = _text_section(outer)
    model_type = outer.text("model_type") or text_type or "unknown"
    architecture = _architecture(outer, text)
    part, modalities = _parts(outer, text, text_type or model_type, model_type, architecture)
    names = [each.rstrip("/").rsplit("/", 1)[-1] for each in (name, top.text("_name_or_path") or "")]
    formats = read_formats(top, text, quantization, " ".join(names))
    return _record(top, part, modalities, formats, name=name, family=model_type, architecture=architecture)


def _refuse_other_files(top: Keys) -> None:
    """Name what was brought instead of a config.json, where its keys tell."""
    if top.has("peft_type") or (top.has("base_model_name_or_path") and not top.has(*_LAYOUT_KEYS)):
        kind = top.text("peft_type") or "PEFT"
        base = top.text("base_model_name_or_path")
        raise ModelConfigError(
            f"this is the configuration of a {kind} adapter, not of a model",
            where=top.where,
            hint=f"give the base model's config.json ({base})" if base else "give the base model's config.json",
        )
    if top.has("weight_map"):
        problem = "this is the index of a checkpoint's weight files"
    elif top.has("added_tokens_decoder", "tokenizer_class") and not top.has(*_LAYOUT_KEYS, *_TEXT):
        problem = "this is a tokenizer's configuration"
    elif top.has("_class_name", "_diffusers_version"):
        problem = f"this is the configuration of a diffusion part ({top.text('_class_name') or 'diffusers'})"
    elif top.has("quantization", "producer") and not top.has("model_type", *_LAYOUT_KEYS):
        problem = "this is the quantization file of a checkpoint"
    elif not top.mapping:
        problem = "the object is empty"
    else:
        return
    raise ModelConfigError(
        f"{problem}, not a language model's config.json",
        where=top.where,
        hint="give the config.json that stands beside the weights",
    )


def _text_section(outer: Keys) -> tuple[Keys, str | None]:
    """The language model's section, and its type."""
    composite = outer.text("model_type")
    section = outer.section(*_TEXT)
    if section is None:
        # MPT and DBRX keep attention and feed-forward in sections of their own.
        inner = [part.mapping for part in (outer.section("attn_config"), outer.section("ffn_config")) if part is not None]
        return (outer.merged(*inner) if inner else outer), composite
    stated = section.text("model_type")
    kind = section_type("text_config", stated, composite) or composite
    text = Keys(section.mapping, where=section.where, assumed=outer.assumed, defaults=class_defaults(kind))
    return text, kind


def _architecture(outer: Keys, text: Keys) -> str:
    for keys in (outer, text):
        names = keys.words("architectures")
        if names:
            return names[0]
    return ""


def _type_of_architecture(architecture: str) -> str | None:
    """The model type that a class name implies (LlamaForCausalLM: llama), for files that leave the type out or rename it."""
    word = _CLASS_ENDING.sub("", architecture).lower()
    return next((name for name in FAMILIES if word and name.replace("_", "").replace("-", "") == word), None)


def _parts(outer: Keys, text: Keys, text_type: str, model_type: str, architecture: str) -> tuple[TextPart, Modalities]:
    kind = canonical_type(text_type)
    if family_of(kind) is None and kind not in (*ENCODERS, *T5_TYPES, *BART_TYPES, *_UNREAD, "whisper"):
        kind = _type_of_architecture(architecture) or kind
    if kind in ENCODERS:
        return read_encoder(text, ENCODERS[kind], kind, architecture), Modalities()
    if kind in T5_TYPES:
        return read_t5(text, tied=_tied(outer, text, True)), Modalities()
    if kind in BART_TYPES:
        return read_bart(text, BART_TYPES[kind], tied=_tied(outer, text, True)), Modalities()
    if kind == "whisper":
        return read_whisper(text, tied=_tied(outer, text, True)), Modalities(audio=True)
    if outer.flag("is_encoder_decoder") and not outer.has(*_TEXT):
        raise ModelConfigError(
            f'the encoder-decoder type "{text_type}" is not one that is read here',
            where=outer.where,
            hint=f"known are {', '.join(sorted([*T5_TYPES, *BART_TYPES, 'whisper']))}; or give the parameters by hand",
        )
    family = family_of(kind)
    if family is None and kind in _UNREAD:
        raise ModelConfigError(
            f'the type "{text_type}" builds its layers in a way that is not read here',
            where=outer.where,
            hint="give the parameters by hand, or the weights' size",
        )
    if family is None and text.has("type_vocab_size") and not text.flag("is_decoder"):
        outer.assume(f'the encoder type "{text_type}" is not known here: its layers are counted as in BERT')
        return read_encoder(text, ENCODERS["bert"], kind, architecture), Modalities()
    if family is None:
        family = family_of(model_type) or LLAMA
        if family is LLAMA:
            outer.assume(f'the type "{text_type}" is not known here: its layers are counted as in Llama')
    tied = _tied(outer, text, family.tied)
    composite = architecture.endswith("ForConditionalGeneration")
    width = text.whole("hidden_size", "d_model", "n_embd") or 1
    modalities = read_modalities(outer, model_type, width, composite=composite)
    has_head = not _without_head(architecture, kind)
    part = read_decoder(text, family, kind, tied=tied, has_head=has_head)
    return part, modalities


def _tied(outer: Keys, text: Keys, otherwise: bool) -> bool:
    """Whether head and embedding are one table: as the outer section states, else the text section, else as its type has it."""
    for keys in (outer, text):
        stated = Keys(keys.mapping, where=keys.where, assumed=keys.assumed).flag("tie_word_embeddings", "tie_embedding")
        if stated is not None:
            return stated
    if any("tie_word_embeddings" in keys.mapping for keys in (outer, text)):
        told = "one table with the embedding" if otherwise else "a table of its own"
        outer.assume(f"tie_word_embeddings is null: the output head is taken as {told}, as its type has it")
    return otherwise


def _without_head(architecture: str, kind: str) -> bool:
    """An architecture that ends in the last layer's vectors: embedding models, and classifiers whose head is a few numbers."""
    if kind == "chatglm":
        return False
    bare = architecture.endswith("Model") and not architecture.endswith(("LMHeadModel", "ChatModel", "DoubleHeadsModel"))
    return bare or architecture.endswith(("ForSequenceClassification", "ForTokenClassification", "ForRewardModel"))


def _record(
    top: Keys, part: TextPart, modalities: Modalities, formats: Formats, *, name: str, family: str, architecture: str
) -> Model:
    total = part.parameters + modalities.parameters
    if total > _MOST_PARAMETERS:
        raise ModelConfigError(
            f"the sizes make {total:.3g} parameters; expected fewer than {_MOST_PARAMETERS:.0e}",
            where=top.where,
            hint="check hidden_size, num_hidden_layers, vocab_size and the experts for a digit too many",
        )
    extra: dict[str, float] = dict(part.extra)
    if formats.block and formats.weights:
        table = part.embedding * (1 if part.tied else 2)
        quantized = part.experts if formats.experts_only and part.experts else part.parameters - table
        extra["scales"] = float(round(max(quantized, 0) / formats.block))
    parameters = Parameters(
        total=total,
        active=part.parameters - part.spare,
        embedding=part.embedding,
        experts=part.experts,
        tower=modalities.parameters,
        extra=extra,
    )
    task = _task(architecture, family, modalities)
    try:
        return Model(
            id=id_of(name),
            name=name,
            family=family,
            modality=_modality(modalities),
            task=task,
            sources=(Citation(source=SOURCE, place=top.where),),
            parameters=parameters,
            tied_embeddings=part.tied,
            layers=part.layers,
            hidden=part.hidden,
            intermediate=part.intermediate,
            heads=part.heads,
            vocabulary=part.vocabulary,
            context=part.context,
            layer_groups=part.groups,
            experts=part.expert_record,
            format=formats.weights,
            kv_format=formats.cache,
            draft_layers=part.draft_layers,
            embedding_width=part.hidden if task == "embedding" else None,
            basis="counted from the sizes in its config.json",
            assumed=tuple(top.assumed),
        )
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(place) for place in first["loc"])
        raise ModelConfigError(f"the sizes do not fit together: {key}: {first['msg']}", where=top.where) from error


def _modality(modalities: Modalities) -> str:
    if modalities.vision:
        return "vision-audio-text" if modalities.audio else "vision-text"
    return "audio" if modalities.audio else "text"


def _task(architecture: str, family: str, modalities: Modalities) -> str:
    if family == "whisper":
        return "speech-to-text"
    if modalities.vision:
        return "image-text-to-text"
    if modalities.audio:
        return "any-to-text"
    if architecture.endswith("ForMaskedLM"):
        return "fill-mask"
    if architecture.endswith(("ForSequenceClassification", "ForRewardModel")):
        return "reranker"
    if family in T5_TYPES or family in BART_TYPES:
        return "text2text-generation"
    if family in ENCODERS or _without_head(architecture, family):
        return "embedding"
    return "text-generation"
