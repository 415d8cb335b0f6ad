"""No input, however made, ends in anything but a document or an AdvisorError, or takes longer than a second."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import AdvisorError, DocumentError
from advisor.workload.document import MOST_WORKLOADS, Document, Workload
from advisor.workload.reading import read_document, to_document


@contextlib.contextmanager
def without_blowing_up() -> Iterator[None]:
    """What grows with the square of its input would take minutes here; how fast a machine is does not matter."""
    start = time.process_time()
    yield
    assert time.process_time() - start < 30


def survives(text: Any) -> None:
    with without_blowing_up(), contextlib.suppress(AdvisorError):
        read_document(text)


KEYS = sorted(
    {name for name in Document.model_fields} | {"kind", "model", "traffic", "people", "targets", "only", "prices", "<<"}
)
MARKS = "rag|80 Gb|1e999|-1|{|}|[|]|:|- |\t|&a|*a|!!x|>|'|\"|#|---|...|%TAG|? |.nan|\0|\ud800|\ufeff|٣|0x1|1:2:3|~|,".split("|")
WORDS = st.sampled_from([*KEYS, *MARKS, "|", "\n", "\n  ", "1" * 80])


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text(text: str) -> None:
    survives(text)


@given(st.lists(WORDS, max_size=40).map("".join))
@settings(max_examples=300, deadline=None)
def test_text_of_the_words_that_matter(text: str) -> None:
    survives(text)


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes(content: bytes) -> None:
    survives(content)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=8), inner, max_size=5),
)


@given(DATA)
@settings(max_examples=200, deadline=None)
def test_any_data(data: object) -> None:
    with without_blowing_up(), contextlib.suppress(AdvisorError):
        to_document(data)


@given(st.dictionaries(st.sampled_from(sorted(Workload.model_fields)), DATA))
@settings(max_examples=300, deadline=None)
def test_any_values_under_known_keys(keys: dict[str, object]) -> None:
    with without_blowing_up(), contextlib.suppress(AdvisorError):
        to_document({"workloads": [{"kind": "rag", "model": "m", **keys}]})


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + step)}: &{chr(98 + step)} [{','.join(['*' + chr(97 + step)] * 10)}]\n" for step in range(12)
)
BAD = "{kind: rag, model: m, traffic: {people: x}, engine_settings: {block_size: -1, context: -1, micro_batch: 0, lora_rank: 0}},"
LARGE = {
    "alias bomb": BOMB,
    "merge bomb": "a: &a {" + ",".join(f"k{n}: 1" for n in range(4000)) + "}\nb: [" + "{<<: *a}," * 4000 + "]",
    "deep brackets": "[" * 500_000,
    "deep maps": "".join(" " * depth + "a:\n" for depth in range(1200)),
    "deep dashes": "- " * 400_000,
    "question marks": "? " * 400_000,
    "anchors": "&a " * 300_000,
    "directives": "".join(f"%TAG !a{n}! b\r" for n in range(60_000)),
    "one long number": "a: " + "1" * 900_000,
    "one long name": "name: " + "a" * 900_000,
    "one long kind": "workloads: [{model: m, kind: " + "a" * 900_000 + "}]",
    "many unknown keys": "{" + ",".join(f"a{n}: 1" for n in range(90_000)) + "}",
    "many unknown keys in workloads": "workloads: [" + ("{" + ",".join(f"a{n}: 1" for n in range(25)) + "},") * 2000 + "]",
    "many empty items": "workloads: [{kind: rag, model: m, accelerators: {only: [" + "~," * 90_000 + "]}}]",
    "many wrong workloads": "workloads: [" + BAD * 2000 + "]",
    "one wrong workload many times": "workloads: [&a " + BAD + "*a," * 1999 + "]",
    "unended quote": "a: 'x\n" * 150_000,
}


@pytest.mark.parametrize("name", LARGE)
def test_large_and_twisted_text(name: str) -> None:
    with without_blowing_up(), pytest.raises(DocumentError):
        read_document(LARGE[name][:999_999])


def test_two_thousand_workloads_are_read_and_one_more_is_not() -> None:
    one = "  - {kind: rag, model: m, traffic: {people: 10}, input_tokens: 4k, targets: {ttft_mean: 2 s}}\n"
    with without_blowing_up():
        assert len(read_document("workloads:\n" + one * MOST_WORKLOADS).workloads) == MOST_WORKLOADS
    with without_blowing_up(), pytest.raises(DocumentError, match="there are 2,001 workloads; at most 2,000"):
        read_document("workloads:\n" + one * (MOST_WORKLOADS + 1))


def test_a_file_of_fifty_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as handle:
        handle.truncate(50_000_000)
    start = time.process_time()
    with pytest.raises(DocumentError, match="larger than 1 MB"):
        read_document(file)
    assert time.process_time() - start < 0.1


@pytest.mark.parametrize("key", ["input_tokens", "dataset", "batch", "name", "kind", "traffic", "finish_within", "method"])
def test_a_number_of_five_thousand_digits(key: str) -> None:
    with pytest.raises(DocumentError, match=r"more than 60 digits|may count"):
        to_document({"workloads": [{"kind": "rag", "model": "m", key: 10**5000}]})


def test_data_too_deep_too_wide_or_too_much() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    for data, said in (
        (deep, "nested more than 20 levels"),
        ({"workloads": ["x"] * 6000}, "holds 6,000 values"),
        ({"workloads": [{"components": [{}] * 4000}] * 100}, "more than 60,000 values"),
    ):
        with without_blowing_up(), pytest.raises(DocumentError, match=said):
            to_document(data)
