"""Two plans side by side: what differs, how sure that is, and what brought it about."""

from datetime import date
from typing import Any

import pytest

from advisor.errors import DocumentError
from advisor.facts import Label
from advisor.library import Library
from advisor.plan.causes import Cause, CauseKind
from advisor.plan.comparing import MEASURES, ComparedQuantity, ComparedWorkload, compare
from advisor.plan.making import make_plan
from advisor.plan.plan import Plan
from advisor.plan.quantity import Quantity
from advisor.plan.saved import LARGEST, is_saved_plan, read_saved_plan
from advisor.report.markdown import comparison_markdown
from advisor.report.text import comparison_text
from advisor.workload.reading import to_document

DAY = date(2026, 11, 30)
CHAT: dict[str, Any] = {
    "name": "chat",
    "kind": "realtime-inference",
    "model": "llama-3.1-8b",
    "traffic": {"concurrent_requests": 50},
    "input_tokens": 4000,
    "output_tokens": 500,
    "accelerators": {"only": ["h100-sxm"]},
}


def planned(library: Library, *workloads: dict[str, Any], name: str = "Assistant") -> Plan:
    return make_plan(to_document({"name": name, "workloads": list(workloads)}), library, today=DAY)


def of(compared: ComparedWorkload, name: str) -> ComparedQuantity:
    return next(each for each in compared.quantities if each.name == name)


def cause(compared: ComparedWorkload, name: str) -> Cause:
    return next(each for each in compared.causes if each.name == name)


@pytest.fixture(scope="module")
def chat(library: Library) -> Plan:
    return planned(library, CHAT)


def test_a_plan_beside_itself(chat: Plan) -> None:
    (compared,) = compare(chat, chat).workloads
    assert not compared.differs
    assert [each.name for each in compared.quantities] == list(MEASURES)
    assert all(each.same and each.difference == 0 and each.overlap is None for each in compared.quantities)
    assert "Nothing differs." in comparison_text(compare(chat, chat))


def test_a_kept_plan_is_the_same_plan(chat: Plan, library: Library) -> None:
    refused = planned(library, {**CHAT, "model": "llama-3.1-405b", "accelerators": {"only": ["rtx-4090"], "max_count": 4}})
    for plan in (chat, refused):
        kept = plan.model_dump_json(indent=2, exclude_none=True).encode()
        assert is_saved_plan(kept)
        comparison = compare(plan, read_saved_plan(kept, "kept.json"))
        assert not any(workload.differs for workload in comparison.workloads)


def test_a_larger_model(chat: Plan, library: Library) -> None:
    larger = planned(library, {**CHAT, "model": "llama-3.1-70b"})
    (compared,) = compare(chat, larger).workloads
    assert compared.a.recommended == chat.workloads[0].recommended
    counts = of(compared, "accelerators")
    assert counts.a is not None
    assert counts.b is not None
    assert counts.difference == pytest.approx(counts.b.value / counts.a.value - 1)
    model = cause(compared, "model")
    assert (model.kind, model.a and model.a.value, model.b and model.b.value) == (
        CauseKind.answer,
        "llama-3.1-8b",
        "llama-3.1-70b",
    )
    assert {"time_per_output_token", "accelerators"} <= set(model.moves)
    assert compared.causes[0].kind is CauseKind.answer
    parameters = cause(compared, "parameters")
    assert parameters.kind is CauseKind.catalogue
    assert parameters.by_another_entry
    assert "time_per_output_token" in parameters.moves
    assert cause(compared, "tensor_parallel").kind is CauseKind.configuration


def test_differences_turn_round_with_the_plans(chat: Plan, library: Library) -> None:
    larger = planned(library, {**CHAT, "model": "llama-3.1-70b"})
    (there,), (back,) = compare(chat, larger).workloads, compare(larger, chat).workloads
    for one, other in zip(there.quantities, back.quantities, strict=True):
        assert (one.a, one.b, one.overlap, one.same) == (other.b, other.a, other.overlap, other.same)
        if one.difference is not None and other.difference is not None:
            assert (1 + one.difference) * (1 + other.difference) == pytest.approx(1)
    assert {each.name for each in there.causes} == {each.name for each in back.causes}
    assert there.advice_only_a == back.advice_only_b


def test_an_answer_beside_an_assumption(chat: Plan, library: Library) -> None:
    given = {"kv_precision": "fp8-e4m3", "engine_settings": {"max_num_seqs": 64}}
    (compared,) = compare(chat, planned(library, {**CHAT, **given})).workloads
    sequences = cause(compared, "max_num_seqs")
    assert sequences.a is not None
    assert sequences.b is not None
    assert (sequences.a.label, sequences.b.label) == (Label.assumed, Label.answered)
    assert sequences.kind is CauseKind.answer
    assert "memory_margin" in cause(compared, "kv_bits").moves


def moved_ranges(plan: Plan, by: float) -> Plan:
    """The plan with every uncertain figure and its range times `by`."""
    workload = plan.workloads[0]
    assert workload.recommended is not None
    estimates = {
        name: quantity
        if quantity.low is None or quantity.high is None
        else Quantity(
            value=quantity.value * by, unit=quantity.unit, low=quantity.low * by, high=quantity.high * by, label=quantity.label
        )
        for name, quantity in workload.recommended.estimates.items()
    }
    chosen = workload.recommended.model_copy(update={"estimates": estimates})
    return plan.model_copy(update={"workloads": (workload.model_copy(update={"recommended": chosen}),)})


def test_ranges_overlap_or_stand_apart(chat: Plan) -> None:
    near = of(compare(chat, moved_ranges(chat, 1.1)).workloads[0], "time_per_output_token")
    assert near.difference == pytest.approx(0.1)
    assert near.a is not None
    assert near.b is not None
    assert near.overlap is not None
    assert (near.overlap.low, near.overlap.high) == (near.b.low, near.a.high)
    far = compare(chat, moved_ranges(chat, 100))
    assert of(far.workloads[0], "time_per_output_token").overlap is None
    assert "apart" in comparison_text(far)
    assert "is not certain" in comparison_text(compare(chat, moved_ranges(chat, 1.1)))


def test_workloads_are_matched_by_name_then_by_position(library: Library) -> None:
    search, night = {**CHAT, "name": "search"}, {**CHAT, "name": "night"}
    a = planned(library, CHAT, search)
    comparison = compare(a, planned(library, {**CHAT, "name": "SEARCH"}, night, {**CHAT, "name": "extra"}))
    assert [(each.a.name, each.b.name, each.matched_by) for each in comparison.workloads] == [("search", "SEARCH", "name")]
    assert [each.name for each in comparison.only_in_a] == ["chat"]
    assert [each.name for each in comparison.only_in_b] == ["night", "extra"]
    text = comparison_text(comparison)
    assert "Only in A" in text
    assert "Only in B" in text
    (first, second) = compare(a, planned(library, CHAT, night)).workloads
    assert (first.matched_by, second.matched_by) == ("name", "position")
    assert "matched by their position" in comparison_text(compare(a, planned(library, CHAT, night)))


def test_nothing_fits_in_one(chat: Plan, library: Library) -> None:
    wish = {**CHAT, "model": "llama-3.1-70b", "accelerators": {"only": ["h100-sxm"], "max_count": 1}}
    (compared,) = compare(chat, planned(library, wish)).workloads
    assert compared.b.recommended is None
    assert compared.b.binding is not None
    assert all(each.b is None and each.difference is None for each in compared.quantities)
    assert any(each.b is not None and each.b.binding for each in compared.limits)
    assert "nothing keeps every limit" in comparison_text(compare(chat, planned(library, wish)))


def test_advice_of_one_only(chat: Plan, library: Library) -> None:
    promised = planned(library, {**CHAT, "targets": {"availability": "99.968 %"}})
    (compared,) = compare(chat, promised).workloads
    assert "AVL-001" in {each.rule for each in compared.advice_only_b}
    assert compared.advice_only_a == ()
    assert "B  ▲ AVL-001" in comparison_text(compare(chat, promised))


def test_what_made_them_is_compared(chat: Plan) -> None:
    older = chat.model_copy(update={"today": date(2026, 1, 1), "made_with": chat.made_with.model_copy(update={"rules": "0000"})})
    text = comparison_text(compare(older, chat))
    assert "2026-01-01" in text
    assert "0000" in text
    assert "Nothing differs." in text


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_is_wider_than_the_screen(chat: Plan, library: Library, width: int) -> None:
    larger = planned(library, {**CHAT, "model": "llama-3.1-70b", "name": "[bold]talk[/bold]"}, name="Other")
    text = comparison_text(compare(chat, larger), width=width, facts=True)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "[bold]talk[/bold]" in text
    assert "What made the difference" in text


def test_markdown_has_every_cause_and_escapes(chat: Plan, library: Library) -> None:
    comparison = compare(chat, planned(library, {**CHAT, "model": "llama-3.1-70b"}, name="*Other*"))
    page = comparison_markdown(comparison)
    assert page.startswith("# A Assistant · B \\*Other\\*")
    assert "add --facts" not in page
    table = page.split("### What made the difference")[1].split("##")[0]
    assert table.count("\n| ") == len(comparison.workloads[0].causes) + 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"schema_version": "1.0", "name": ', "not whole JSON"),
        (b'{"schema_version": "1.0", "name": "x"}', "field required"),
        (b'{"schema_version": "1.0", "name": "x", "nme": 1}', "schema version 1.0"),
        (b'{"schema_version": "1.0"}' + b" " * LARGEST, "larger than 20 MB"),
    ],
)
def test_what_is_no_kept_plan(content: bytes, says: str) -> None:
    assert is_saved_plan(content)
    with pytest.raises(DocumentError, match=says) as refused:
        read_saved_plan(content, "kept.json")
    assert str(refused.value).startswith("kept.json")
    assert len(str(refused.value).splitlines()) <= 2


def test_a_plan_of_another_schema(chat: Plan) -> None:
    newer = chat.model_copy(update={"schema_version": "2.0"}).model_dump_json(exclude_none=True).encode()
    with pytest.raises(DocumentError, match=r"schema version 2\.0; this release reads 1\.0"):
        read_saved_plan(newer, "kept.json")


def test_a_document_is_no_kept_plan() -> None:
    assert not is_saved_plan(b'{"workloads": [{"kind": "rag", "model": "llama-3.1-8b"}]}')
    assert not is_saved_plan(b'workloads: []  # not a "schema_version"')
