"""Whatever stands under whatever key, the answer is a model or one clear error."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.catalogue.config import model_from_config, read_config
from advisor.catalogue.model import Model
from advisor.errors import ModelConfigError

SAMPLES = Path(__file__).parent / "data" / "samples"
CONFIGS: list[dict[str, Any]] = [
    json.loads(file.read_text()) for file in sorted(SAMPLES.glob("*.json")) if not file.name.startswith("odd__")
]
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**40),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.one_of(st.none(), st.integers(-2, 3), st.text(max_size=4)), max_size=40),
    st.dictionaries(st.sampled_from(["hidden_size", "quant_method", "bits", "x"]), st.integers(-1, 9), max_size=3),
)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_junk_under_any_key(data: st.DataObject) -> None:
    config = copy.deepcopy(data.draw(st.sampled_from(CONFIGS)))
    for _ in range(data.draw(st.integers(1, 3))):
        section = config
        for name in ("text_config", "vision_config", "quantization_config"):
            if isinstance(section.get(name), dict) and data.draw(st.booleans()):
                section = section[name]
                break
        if section:
            section[data.draw(st.sampled_from(sorted(section)))] = data.draw(JUNK)
    answer: Model | ModelConfigError
    try:
        answer = model_from_config(config, name="some/model")
    except ModelConfigError as refusal:
        answer = refusal
    if isinstance(answer, ModelConfigError):
        assert answer.where
        assert answer.message
    else:
        assert answer.parameters.total > 0
        assert all(answer.assumed)


@settings(deadline=None, max_examples=100)
@given(content=st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "config.json"
    file.write_bytes(content)
    with pytest.raises(ModelConfigError) as caught:
        read_config(file)
    assert caught.value.where is not None
    assert str(file) in caught.value.where
