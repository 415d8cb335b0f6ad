"""Rules against the declared facts: names, kinds, units and values, with what was probably meant."""

from typing import Any

import pytest

from advisor.errors import KnowledgeError
from advisor.facts import FactDeclaration
from advisor.reasoning.checking import check_rules, problems, read_example
from advisor.reasoning.rule import Rule

FACTS = {
    declared.name: declared
    for declared in (
        FactDeclaration(name="node_count", kind="quantity", unit="1"),
        FactDeclaration(name="accelerators", kind="quantity", unit="1"),
        FactDeclaration(name="context_length", kind="quantity", unit="token"),
        FactDeclaration(name="inter_node_bandwidth", kind="quantity", unit="byte/second"),
        FactDeclaration(name="memory", kind="quantity", unit="byte"),
        FactDeclaration(name="memory_margin", kind="quantity", unit="1", percentage=True),
        FactDeclaration(name="kind", kind="choice", choices=("training", "inference")),
        FactDeclaration(name="other_kind", kind="choice", choices=("training", "inference")),
        FactDeclaration(name="model", kind="text"),
        FactDeclaration(name="needs_rdma", kind="flag"),
        *(FactDeclaration(name=f"n{index}", kind="quantity", unit="1") for index in range(17)),
    )
}


def rule(when: list[Any], **changes: Any) -> Rule:
    given = {
        "id": "NET-004",
        "title": "A rule",
        "phase": "check",
        "when": when,
        "advice": "Do otherwise.",
        "because": "it is a test",
        "sources": ["somewhere"],
        "examples": {"fires": [{}], "silent": [{}]},
    }
    return Rule.model_validate({**given, **changes})


def told(when: list[Any], **changes: Any) -> list[str]:
    return [str(problem) for problem in problems([rule(when, **changes)], FACTS)]


@pytest.mark.parametrize(
    "line",
    [
        "node_count > 1",
        "node_count > accelerators",
        "context_length > node_count",
        "context_length > 8192",
        'inter_node_bandwidth < "100 Gbit/s"',
        'memory >= "80 GB"',
        "memory_margin < 0.05",
        'memory_margin < "5 %"',
        'kind == "training"',
        "kind in [training, inference]",
        "kind == other_kind",
        "model == kind",
        'model != "llama"',
        "needs_rdma == true",
        "memory is unknown",
    ],
)
def test_what_fits_passes(line: str) -> None:
    assert told([line]) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("node_cout > 1", 'unknown fact "node_cout"; did you mean "node_count"?'),
        ("node_count > acelerators", 'unknown fact "acelerators"; did you mean "accelerators"?'),
        ("zzz is known", 'unknown fact "zzz"'),
        ("kind == training", '"kind == training": "training" is no fact; write it in quotes if it is the word'),
        ("kind in [trainig]", '"kind in [trainig]": "trainig" is not a choice of kind; did you mean "training"?'),
        ('kind == "zzz"', '"zzz" is not a choice of kind (training, inference)'),
        ("kind > 1", "kind is a choice, which is compared with == and != only"),
        ("kind == 1", "kind is a choice, and 1 is no word"),
        ('node_count > "x"', 'node_count is a quantity, and "x" is not; expected a plain number or a percentage'),
        ("node_count == true", "node_count is a quantity, and true is not"),
        ("memory > 80", "80 has no unit; expected bytes"),
        ('memory > "2 s"', "memory is bytes (KB, MB, GB, TB or KiB, MiB, GiB, TiB), not a time"),
        ('node_count > "2 GB"', "node_count is a plain number or a percentage, not bytes"),
        ("memory > node_count", "memory is in byte and node_count in 1"),
        ("memory == kind", "memory is a quantity and kind a choice"),
        ('needs_rdma == "yes"', 'needs_rdma is a flag, and "yes" is neither true nor false'),
    ],
)
def test_what_does_not_fit_is_told_with_rule_and_line(line: str, message: str) -> None:
    (found,) = told(["node_count > 0", line])
    assert found.startswith("NET-004, when[1]: ")
    assert message in found


def test_the_example_of_the_style_guide() -> None:
    with pytest.raises(KnowledgeError) as caught:
        check_rules([rule(["node_count > 0", "node_cout > 1"])], FACTS)
    assert str(caught.value) == 'NET-004, when[1]: unknown fact "node_cout"; did you mean "node_count"?'


def test_members_of_any_are_checked_and_placed() -> None:
    assert told([{"any": ["node_count > 1", "node_cout > 1"]}])[0].startswith("NET-004, when[0].any[1]: unknown fact")


def test_sets_are_checked() -> None:
    design = {"phase": "design", "advice": None}
    assert told(["node_count > 1"], sets={"needs_rdma": True}, **design) == []
    assert "NET-004, sets.needs_rdma" in told(["node_count > 1"], sets={"needs_rdma": "yes"}, **design)[0]
    assert 'did you mean "needs_rdma"?' in told(["node_count > 1"], sets={"need_rdma": True}, **design)[0]


def test_examples_are_checked_and_read_with_units() -> None:
    assert (
        "NET-004, examples.fires[1].memory: 80.0 has no unit"
        in (told(["node_count > 1"], examples={"fires": [{}, {"memory": 80}], "silent": [{}]})[0])
    )
    assert (
        'examples.silent[0].memry: unknown fact "memry"'
        in (told(["node_count > 1"], examples={"fires": [{}], "silent": [{"memry": 1}]})[0])
    )
    given: dict[str, Any] = {"memory": "80 GB", "memory_margin": "5 %", "needs_rdma": True, "kind": "training"}
    assert read_example(given, FACTS) == {"memory": 8e10, "memory_margin": 0.05, "needs_rdma": True, "kind": "training"}


def test_too_many_facts_and_a_repeated_id() -> None:
    assert "reads 17 facts; at most 16" in told([f"n{index} > 1" for index in range(17)])[0]
    with pytest.raises(KnowledgeError, match="NET-004: two rules have this id"):
        check_rules([rule(["n1 > 1"]), rule(["n2 > 1"])], FACTS)
