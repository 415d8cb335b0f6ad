"""What the transformers library takes for a key that a nested section leaves out (class defaults of version 5.24.0).

The library writes a nested section without the keys that equal the defaults of its class, so Gemma 3's text section may hold
only five keys and Llava's none. A file's top level is always written whole: there a missing size is an error.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

# Vision and audio sections of some composite models carry the composite's name, or the name their own code gave them.
_SECTION_TYPES = {
    ("vision_config", "qwen2_vl"): "qwen2_vl_vision",
    ("vision_config", "qwen2_5_vl"): "qwen2_5_vl_vision",
    ("vision_config", "qwen3_vl"): "qwen3_vl_vision",
    ("vision_config", "qwen3_vl_moe"): "qwen3_vl_moe_vision",
    ("vision_config", "qwen3_5"): "qwen3_5_vision",
    ("vision_config", "qwen3_5_moe"): "qwen3_5_moe_vision",
    ("vision_config", "siglip"): "siglip_vision_model",
    ("vision_config", "clip"): "clip_vision_model",
    ("vision_config", "idefics3"): "idefics3_vision",
    ("vision_config", "smolvlm"): "smolvlm_vision",
    ("vision_config", "glm4v"): "glm4v_vision",
    ("text_config", "qwen2_vl"): "qwen2_vl_text",
    ("text_config", "qwen2_5_vl"): "qwen2_5_vl_text",
    ("text_config", "gemma3"): "gemma3_text",
    ("text_config", "mllama"): "mllama_text_model",
}
# Section types of composite models that leave the type itself out, or leave out the whole section.
_OF_COMPOSITE = {
    "gemma3": {"text_config": "gemma3_text", "vision_config": "siglip_vision_model"},
    "gemma4": {"text_config": "gemma4_text", "vision_config": "gemma4_vision"},
    "gemma3n": {"text_config": "gemma3n_text"},
    "llama4": {"text_config": "llama4_text", "vision_config": "llama4_vision_model"},
    "mllama": {"text_config": "mllama_text_model", "vision_config": "mllama_vision_model"},
    "llava": {"text_config": "llama", "vision_config": "clip_vision_model"},
    "llava_next": {"text_config": "llama", "vision_config": "clip_vision_model"},
    "mistral3": {"text_config": "mistral", "vision_config": "pixtral"},
    "idefics3": {"text_config": "llama", "vision_config": "idefics3_vision"},
    "smolvlm": {"text_config": "llama", "vision_config": "smolvlm_vision"},
    "paligemma": {"text_config": "gemma", "vision_config": "siglip_vision_model"},
    "internvl": {"text_config": "qwen2", "vision_config": "internvl_vision"},
    "qwen2_vl": {"text_config": "qwen2_vl_text", "vision_config": "qwen2_vl_vision"},
    "qwen2_5_vl": {"text_config": "qwen2_5_vl_text", "vision_config": "qwen2_5_vl_vision"},
    "qwen3_vl": {"text_config": "qwen3_vl_text", "vision_config": "qwen3_vl_vision"},
    "qwen3_vl_moe": {"text_config": "qwen3_vl_moe_text", "vision_config": "qwen3_vl_moe_vision"},
    "qwen3_5": {"text_config": "qwen3_5_text", "vision_config": "qwen3_5_vision"},
    "qwen3_5_moe": {"text_config": "qwen3_5_moe_text", "vision_config": "qwen3_5_moe_vision"},
    "qwen2_audio": {"text_config": "qwen2", "audio_config": "qwen2_audio_encoder"},
    "glm4v": {"text_config": "glm4v_text", "vision_config": "glm4v_vision"},
    "glm4v_moe": {"text_config": "glm4v_moe_text", "vision_config": "glm4v_moe_vision"},
    "kimi_k25": {"text_config": "deepseek_v3", "vision_config": "kimi_k25_vision"},
}


@cache
def _class_defaults() -> dict[str, dict[str, object]]:
    text = files("advisor.catalogue.config").joinpath("class_defaults.json").read_text(encoding="utf-8")
    return {name: dict(row) for name, row in json.loads(text).items()}


def section_type(section: str, stated: str | None, composite: str | None) -> str | None:
    """The model type of a nested section: as stated, in the library's own name for it, or as its composite implies."""
    if stated is not None:
        return _SECTION_TYPES.get((section, stated), stated)
    return _OF_COMPOSITE.get(composite or "", {}).get(section)


def class_defaults(model_type: str | None) -> Mapping[str, object]:
    """The defaults of a class, empty where its class is not known."""
    return {} if model_type is None else _class_defaults().get(model_type, {})
