"""What people bring instead of a config.json, and configs with something wrong in them."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from advisor.catalogue.config import model_from_config, read_config
from advisor.catalogue.config.files import parse_object
from advisor.errors import ModelConfigError

SAMPLES = Path(__file__).parent / "data" / "samples"
LLAMA: dict[str, object] = json.loads((SAMPLES / "meta-llama__Meta-Llama-3.1-8B.json").read_text())


def _changed(**keys: object) -> dict[str, object]:
    """The Llama file with some keys changed, those set to ... taken out."""
    return {key: value for key, value in {**LLAMA, **keys}.items() if value is not ...}


def _refusal(config: Mapping[str, object]) -> ModelConfigError:
    with pytest.raises(ModelConfigError) as caught:
        model_from_config(config, name="some/model")
    return caught.value


def _file_refusal(path: Path) -> ModelConfigError:
    with pytest.raises(ModelConfigError) as caught:
        read_config(path)
    return caught.value


def test_first_llama_layout_is_multi_head() -> None:
    model = read_config(SAMPLES / "odd__missing_num_key_value_heads__llama-7b.json")
    assert model.parameters.total == 6_738_415_616
    assert model.context == 2048
    assert [(group.kv_heads, group.head_dim) for group in model.layer_groups] == [(32, 128)]


def test_null_is_absent_and_said() -> None:
    model = read_config(SAMPLES / "odd__null_values__llama-3.1-8b.json")
    assert [group.kv_heads for group in model.layer_groups] == [32]
    assert model.context is None
    assert model.format is None
    told = " ".join(model.assumed)
    for key in ("num_key_value_heads", "max_position_embeddings", "tie_word_embeddings", "torch_dtype"):
        assert key in told


def test_language_model_under_llm_config() -> None:
    model = read_config(SAMPLES / "odd__nested_llm_config__internvl-style.json")
    assert model.parameters.total - model.parameters.tower == 32_762_123_264
    assert model.parameters.active == 32_762_123_264
    # InternViT-300M and the projector behind it
    assert model.parameters.tower == pytest.approx(0.3512e9, rel=1e-3)
    assert [(group.count, group.kv_heads) for group in model.layer_groups] == [(64, 8)]


def test_numbers_and_flags_as_text() -> None:
    model = read_config(SAMPLES / "odd__string_numbers__llama-3.1-8b.json")
    assert model.parameters.total == 8_030_261_248
    assert (model.tied_embeddings, model.format, model.context) == (False, "bf16", 131_072)
    assert [(group.kv_heads, group.head_dim) for group in model.layer_groups] == [(8, 128)]


def test_adapter_asks_for_the_base_model() -> None:
    error = _file_refusal(SAMPLES / "odd__lora_adapter_config.json")
    assert "LORA adapter" in error.message
    assert error.hint is not None
    assert "meta-llama/Llama-3.1-8B" in error.hint


def test_invalid_json_is_placed() -> None:
    error = _file_refusal(SAMPLES / "odd__invalid_json_trailing_comma.json")
    assert error.where is not None
    assert "line 4, column" in error.where
    assert "comment" in error.message


def test_access_message_of_the_hub_is_recognised() -> None:
    error = _file_refusal(SAMPLES / "odd__gated_repo_error_page.json")
    assert "looks like an access message from the hub" in error.message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b"[1, 2]", "holds a list"),
        (b'"llama"', "holds a text"),
        (b"{}", "the object is empty"),
        (b'{"a": 1,}', 'a comma before "}"'),
        (b'{"hidden_size": 4096, "num_hid', "not JSON"),
        (b"<html><body>Sign in</body></html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS pointer"),
        (b"GGUF\x03\x00\x00\x00\xff\xfe", "GGUF"),
        (b"\x80\x02}q\x00\xff", "binary data"),
        (b"{}" + b"\x00" * 20, "binary data"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "nested more than"),
        (b'{"n": ' + b"9" * 5000 + b"}", "cannot be read as JSON"),
        (b'{"hidden_size": 4096, "hidden_size": 8192}', "stands twice"),
        (b'{"weight_map": {}}', "index of a checkpoint"),
        (b'{"_class_name": "UNet2DConditionModel"}', "diffusion"),
        (b'{"tokenizer_class": "LlamaTokenizer"}', "tokenizer"),
        (b'{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8"}}', "quantization file"),
    ],
)
def test_what_is_no_configuration_is_named(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    error = _file_refusal(file)
    assert told in error.message
    assert error.where is not None
    assert error.where.startswith(str(file))


@pytest.mark.parametrize(
    ("content", "place", "told"),
    [
        ('{"a": 1,}', "line 1, column 8", 'a comma before "}"'),
        ('{"a": [1,\n 2 ,\n ]}', "line 2, column 4", 'a comma before "]"'),
        ('{"a": 1, # one\n}', "line 1, column 10", "a comment; JSON has none"),
        ('{"a": 1\n "b": 2}', "line 2, column 2", "a comma is missing, or a bracket"),
        ('{"a" 1}', "line 1, column 6", "a colon is missing after the key"),
        ("{a: 1}", "line 1, column 2", "a key in double quotes is expected"),
        ('{"x": ", }", "a": True}', "line 1, column 19", "a value is expected"),
        ('{"a": "x', "line 1, column 7", "a quotation mark is not closed"),
        ('{"a": "x\n"}', "line 1, column 9", "a text holds a line break or another control character"),
        ('{"a": "\\q"}', "line 1, column 8", "a backslash stands before what it cannot stand before"),
        ('{"a": 1}}', "line 1, column 9", "more follows after the object"),
        ('{"a": [1, 2', "line 1, column 12", "the text ends too early; the file may have been cut off"),
    ],
)
def test_every_python_words_and_places_it_alike(content: str, place: str, told: str) -> None:
    with pytest.raises(ModelConfigError) as caught:
        parse_object(content, "config.json")
    assert caught.value.where == f"config.json, {place}"
    assert caught.value.message == f"not JSON: {told}"


def test_same_key_twice_with_one_value_is_no_contradiction(tmp_path: Path) -> None:
    text = json.dumps(LLAMA)
    (tmp_path / "config.json").write_text(f'{text[:-1]}, "hidden_size": 4096}}')
    assert read_config(tmp_path).hidden == 4096


def test_byte_order_mark_and_utf_16_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding=encoding)
        assert read_config(tmp_path).layers == 32


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "no such file" in _file_refusal(tmp_path / "config.json").message
    assert "holds no config.json" in _file_refusal(tmp_path).message
    (tmp_path / "adapter_config.json").write_text("{}")
    assert "adapter" in _file_refusal(tmp_path).message


def test_huge_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    with file.open("wb") as handle:
        handle.truncate(11_000_000)
    assert "11,000,000 bytes" in _file_refusal(file).message


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size"])
def test_a_missing_size_is_named_with_what_it_should_be(tmp_path: Path, key: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(_changed(**{key: ...})))
    error = _file_refusal(file)
    assert error.where == str(file)
    assert f"the key {key} is missing; expected" in error.message
    assert "whole number" in error.message


@pytest.mark.parametrize(
    "value",
    [0, -1, 1.5, "many", "", True, [], {}, float("nan"), float("inf"), 10**30, "1e400", "NaN"],
    ids=repr,
)
@pytest.mark.parametrize("key", ["hidden_size", "num_attention_heads", "num_key_value_heads", "vocab_size"])
def test_a_size_that_cannot_be_is_refused_by_its_key(key: str, value: object) -> None:
    error = _refusal(_changed(**{key: value}))
    assert error.message.startswith(f"{key} is ")
    assert error.where == "config.json"


def test_not_a_number_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(_changed(num_hidden_layers=float("inf"))))
    assert "num_hidden_layers is inf" in _file_refusal(file).message


def test_heads_must_divide_the_width_unless_their_own_is_given() -> None:
    error = _refusal(_changed(num_attention_heads=33, num_key_value_heads=11))
    assert "33" in error.message
    assert "4096" in error.message
    assert model_from_config(_changed(num_attention_heads=33, num_key_value_heads=11, head_dim=128), name="m").heads == 33


def test_kv_heads_must_divide_the_heads() -> None:
    assert "does not divide the 32 query heads" in _refusal(_changed(num_key_value_heads=7)).message


def test_sizes_that_make_an_absurd_total() -> None:
    error = _refusal(_changed(hidden_size=99_999_744, num_attention_heads=1, num_key_value_heads=1, vocab_size=10**8))
    assert "parameters" in error.message


def test_more_experts_per_token_than_there_are() -> None:
    assert "more than the 4 experts" in _refusal(_changed(num_local_experts=4, num_experts_per_tok=8)).message


def test_lists_must_be_as_long_as_the_model() -> None:
    assert "lists 3 layers" in _refusal(_changed(layer_types=["full_attention"] * 3)).message
    assert "known are" in _refusal(_changed(layer_types=["somehow"] * 32)).message


def test_a_section_that_is_no_object() -> None:
    assert "expected an object" in _refusal(_changed(quantization_config="fp8")).message
    assert "expected an object" in _refusal({"model_type": "llava", "text_config": [1]}).message


def test_unread_kinds_of_models_are_said_to_be() -> None:
    assert "not read here" in _refusal({"model_type": "rwkv", "hidden_size": 64}).message
    assert "encoder-decoder" in _refusal({"model_type": "seamless_m4t", "is_encoder_decoder": True}).message


def test_unknown_type_counts_as_llama_and_is_said() -> None:
    model = model_from_config(_changed(model_type="brand_new", architectures=["BrandNewForCausalLM"]), name="some/new")
    assert model.parameters.total == 8_030_261_248
    assert any("brand_new" in sentence for sentence in model.assumed)


def test_class_name_tells_the_type_where_the_file_does_not() -> None:
    model = model_from_config(_changed(model_type=...), name="some/llama")
    assert model.assumed == ()
    assert model.parameters.total == 8_030_261_248


def test_a_nested_section_may_leave_out_what_its_class_defaults_to() -> None:
    model = model_from_config(
        {"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}, "torch_dtype": "float16"}, name="m"
    )
    assert (model.layers, model.hidden) == (32, 4096)
    assert any("text_config leaves out hidden_size (4096)" in sentence for sentence in model.assumed)


def test_null_in_a_nested_section_is_not_its_default() -> None:
    text = {"model_type": "mistral", "hidden_size": 1024, "num_hidden_layers": 2, "vocab_size": 100, "sliding_window": None}
    model = model_from_config({"model_type": "mistral3", "text_config": text}, name="m")
    assert [group.window for group in model.layer_groups] == [None]
