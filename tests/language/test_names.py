"""Models, accelerators and servers in text: every spelling, and no silent guess."""

import pytest

from advisor.catalogue.accelerator import Accelerator
from advisor.catalogue.model import Model
from advisor.language.reader import Reader
from advisor.library import Library


@pytest.mark.parametrize(
    ("text", "fact", "id"),
    [
        ("deepseak r1 distill qwen 32b", "model", "deepseek-r1-distill-qwen-32b"),
        ("lama 3.3 70b", "model", "llama-3.3-70b"),
        ("Qwen/Qwen2.5-14B-Instruct", "model", "qwen2.5-14b"),
        ("the 32b qwen3", "model", "qwen3-32b"),
        ("vicuna 7b", "model", "vicuna-7b-v1.5"),
        ("2xH100-PCIe", "accelerator", "h100-pcie"),
        ("MI 300X", "accelerator", "mi300x"),
        ("vier 3090ern", "accelerator", "rtx-3090"),
        ("A100s (40 gig, pcie)", "accelerator", "a100-pcie-40"),
        ("2x4090", "accelerator", "rtx-4090"),
        ("dgx h100", "server", "dgx_h100"),
        ("two dell xe9680 with h100", "server", "dell_xe9680_h100"),
        ("a PowerEdge XE9680 with eight MI300X", "server", "dell_xe9680_mi300x"),
        ("an aws g4dn.xlarge", "accelerator", "t4"),
        ("vLLM", "engine", "vllm"),
        ("q4_k_m", "precision", "gguf-q4-k-m"),
    ],
)
def test_known(reader: Reader, text: str, fact: str, id: str) -> None:
    reading = reader.read(text).first(fact)
    assert reading is not None
    assert reading.sure
    assert reading.value == id


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("h1000", "accelerator"),
        ("a GTX 1080 Ti", "accelerator"),
        ("an RTX 4090 laptop", "accelerator"),
        ("a Titan X", "accelerator"),
        ("H100", "accelerator"),
        ("llama 70b", "model"),
        ("llama 3.1 9b", "model"),
        ("starcoderbase", "model"),
        ("chatgpt", "model"),
    ],
)
def test_asked_back(reader: Reader, text: str, fact: str) -> None:
    reading = reader.read(text).first(fact)
    assert reading is not None
    assert not reading.sure
    assert reading.value is None
    assert reading.because


@pytest.mark.parametrize(
    "text",
    [
        "a 10 GPU cluster",
        "we command a solar farm",
        "4090 users",
        "granite tops",
        "3090 tokens in",
        "the opt-in step",
        "p95 of 4 s",
        "s3 bucket",
    ],
)
def test_no_name_at_all(reader: Reader, text: str) -> None:
    found = reader.read(text)
    assert not found.of("model")
    assert not found.of("accelerator")


@pytest.mark.parametrize(
    "text", ["80 layers deep", "the best 4 cards", "an excerpt of 20 pages", "clause 7", "they turned it off", "gamma 3 rays"]
)
def test_everyday_words_are_no_slips(reader: Reader, text: str) -> None:
    found = reader.read(text)
    assert not [each for each in found.readings if each.fact in ("model", "people", "kind")]


@pytest.mark.parametrize("record", [Accelerator, Model])
def test_every_id_reads_as_itself_or_is_asked(reader: Reader, library: Library, record: type[Accelerator] | type[Model]) -> None:
    """No spelling of the catalogue is read as another entry without asking."""
    fact = "accelerator" if record is Accelerator else "model"
    wrong = []
    for shown, id, note in library.spellings(record):
        # What stands in brackets describes an entry and is part of no sentence.
        if id is None or note is not None or "(" in shown:
            continue
        for reading in reader.read(f"we run model {shown}").of(fact):
            if reading.sure and reading.value != id and id not in reading.among:
                wrong.append((shown, id, reading.value))
    assert wrong == []


@pytest.mark.parametrize(("size", "known"), [("7b", True), ("8b", False), ("9b", False), ("70b", True)])
def test_another_size_is_never_the_nearest(reader: Reader, size: str, known: bool) -> None:
    reading = reader.read(f"llama 2 {size}").first("model")
    assert reading is not None
    assert reading.sure == known
