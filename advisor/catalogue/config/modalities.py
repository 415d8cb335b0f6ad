"""What stands beside the language model of a multimodal one: towers for images and sound, and the projectors behind them."""

from dataclasses import dataclass
from typing import Final

from advisor.catalogue.config.defaults import class_defaults, section_type
from advisor.catalogue.config.keys import Keys
from advisor.catalogue.config.towers import Tower, tower_parameters

_VISION: Final = ("vision_config", "visual", "vit_config", "vision_tower_config")
_AUDIO: Final = ("audio_config", "audio_encoder_config")


@dataclass(frozen=True, slots=True)
class Modalities:
    """Parameters of towers and projectors, and what they take in."""

    parameters: int = 0
    vision: bool = False
    audio: bool = False


def read_modalities(keys: Keys, model_type: str, text_width: int, *, composite: bool) -> Modalities:
    """The towers of a model. composite: whether its architecture takes more than text, so that a missing section is told."""
    vision, vision_type = _section(keys, _VISION, model_type, composite=composite)
    audio, audio_type = _section(keys, _AUDIO, model_type, composite=composite)
    parameters = 0
    if vision is not None and vision.has("hidden_size", "embed_dim", "vt_hidden_size", "width"):
        tower = Tower(vision)
        parameters += tower_parameters(vision, vision_type, text_width) + _projector(keys, vision, tower, model_type, text_width)
    elif vision is not None:
        keys.assume("the vision tower's section gives no sizes: its parameters are not counted")
    if audio is not None:
        parameters += _audio(audio, audio_type, text_width)
    return Modalities(parameters, vision is not None, audio is not None)


def _section(keys: Keys, names: tuple[str, ...], model_type: str, *, composite: bool) -> tuple[Keys | None, str | None]:
    given = keys.section(*names)
    if given is not None:
        kind = section_type(names[0], given.text("model_type"), model_type)
        return Keys(given.mapping, where=given.where, assumed=keys.assumed, defaults=class_defaults(kind)), kind
    kind = section_type(names[0], None, model_type)
    if not composite or kind is None or any(name in keys.mapping for name in names):
        return None, None
    keys.assume(
        f"the architecture has a tower, but {names[0]} is not given: the smaller tower of the library's class default "
        f"({kind}) is counted, and the checkpoint may be larger"
    )
    return Keys(class_defaults(kind), where=f"{keys.where}, {names[0]}", assumed=keys.assumed), kind


def _projector(keys: Keys, vision: Keys, tower: Tower, model_type: str, text_width: int) -> int:
    """What maps the tower's vectors to the language model's width, by the composite's type."""
    width, text = tower.width, text_width
    if model_type.startswith(("qwen", "glm")):
        return 0  # it belongs to the tower there
    if model_type == "gemma3":
        return width * text + width
    if model_type.startswith("gemma4"):
        return width * text
    if model_type == "paligemma":
        out = keys.whole("projection_dim") or text
        return width * out + out
    if model_type == "llama4":
        return vision.need("vision_output_dim", what="the width the tower returns") * text
    if model_type == "mllama":
        return vision.need("vision_output_dim", what="the width the tower returns") * text + text
    if model_type in ("mistral3", "lighton_ocr"):
        merge = keys.whole("spatial_merge_size") or 2
        bias = 2 * text if keys.flag("multimodal_projector_bias") else 0
        return width + width * merge**2 * width + width * text + text**2 + bias
    if model_type in ("idefics3", "smolvlm"):
        return width * (keys.whole("scale_factor", "pixel_shuffle_factor") or 2) ** 2 * text
    if model_type.startswith("kimi"):
        sides = vision.wholes("merge_kernel_size") or [2, 2]
        merged = width * sides[0] * sides[-1]
        return 2 * width + merged**2 + merged + merged * text + text
    if model_type.startswith("internvl"):
        merged = round(width / (keys.number("downsample_ratio") or 0.5) ** 2)
        return 2 * merged + merged * text + text + text**2 + text
    if model_type == "cohere2_vision":
        merged = width * (keys.whole("downsample_factor") or 2) ** 2
        aligned = keys.need("alignment_intermediate_size", what="the width of the projector")
        return merged * aligned + aligned + aligned // 2 * text + text
    if model_type == "lfm2_vl":
        merged = width * (keys.whole("downsample_factor") or 2) ** 2
        inner = keys.whole("projector_hidden_size") or text
        norm = 2 * merged if keys.flag("projector_use_layernorm") is not False else 0
        return norm + merged * inner + inner + inner * text + text
    bias = 2 * text if keys.flag("multimodal_projector_bias") is not False else 0
    newline = text if model_type.startswith(("llava_next", "llava_onevision")) else 0
    return width * text + text**2 + bias + newline


def _audio(audio: Keys, audio_type: str | None, text_width: int) -> int:
    """Whisper's encoder, with one projection behind it; other audio towers are counted as one of the same sizes."""
    width = audio.whole("d_model", "hidden_size")
    depth = audio.whole("encoder_layers", "num_hidden_layers", most=10_000)
    if width is None or depth is None:
        audio.assume("the audio tower's section gives no sizes: its parameters are not counted")
        return 0
    inner = audio.whole("encoder_ffn_dim", "intermediate_size") or 4 * width
    mels = audio.whole("num_mel_bins") or 128
    out = audio.whole("output_dim") or text_width
    layers = depth * (4 * width**2 + 3 * width + 2 * width * inner + inner + width + 4 * width)
    narrow = audio.whole("downsample_hidden_size")
    if narrow is not None:  # Qwen3-Omni: three convolutions over time and pitch, keys with bias, two projections
        convolutions = 9 * narrow + narrow + 2 * (9 * narrow**2 + narrow) + narrow * -(-mels // 8) * width
        return layers + depth * width + convolutions + 2 * width + width**2 + width + width * out + out
    stored = audio_type in ("qwen2_audio_encoder", "voxtral_encoder")
    positions = (audio.whole("max_source_positions") or 1500) * width if stored else 0
    convolutions = 3 * mels * width + width + 3 * width**2 + width
    if audio_type == "voxtral_encoder":
        return layers + convolutions + positions + 2 * width + inner * text_width + text_width**2
    return layers + convolutions + positions + 2 * width + width * out + out
