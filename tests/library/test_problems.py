"""What does not fit in a person's own entries: every problem of an entry in one message, with what to write instead."""

from pathlib import Path

import pytest

from advisor.errors import KnowledgeError
from advisor.library.compiling import read_folders
from advisor.library.kinds import KINDS
from advisor.library.problems import meaning_of

CARD = """
our-card:
  name: Our card
  vendor: NVIDIA
  kind: gpu
  status: shipping
  architecture: Hopper
  memory: 80 GB
  scale_up: {kind: nvlink, bandwidth: 900 GB/s}
  sources: [vllm-startup-logs]
"""
FITS = CARD.replace("our-card", "their-card").replace("memory:", "released: 2024\n  compute: {bf16: 989 TFLOP/s}\n  memory:")


def refused(folder: Path, file: str, text: str) -> KnowledgeError:
    """What is said of a file in a person's folder, laid over a folder with one entry that fits."""
    for path, content in ((folder / "shipped" / "accelerators" / "fits.yaml", FITS), (folder / "mine" / file, text)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    with pytest.raises(KnowledgeError) as caught:
        read_folders((folder / "shipped", folder / "mine"))
    return caught.value


def changed(*changes: tuple[str, str]) -> str:
    text = CARD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_all_problems_of_an_entry_are_told_at_once(tmp_path: Path) -> None:
    text = changed(
        ("kind: gpu", "kind: gpux"), ("80 GB", "80"), ("  architecture: Hopper\n", ""), ("kind: nvlink", "knd: nvlink")
    )
    error = refused(tmp_path, "accelerators/ours.yaml", text)
    assert error.where is not None
    assert error.where.endswith("accelerators/ours.yaml, our-card")
    assert error.message == "4 keys or values do not fit"
    assert error.hint is not None
    first, *others = [line.strip() for line in error.hint.splitlines()]
    assert first == 'unknown key "scale_up.knd"; did you mean "kind"?'
    assert 'kind: "gpux" is none of gpu, asic, tpu, cpu, edge; did you mean "gpu"?' in others
    assert any(
        line.startswith('the key "architecture" is missing; for example architecture: Hopper (as their-card') for line in others
    )
    assert any(line.startswith("memory: 80 has no unit; expected bytes") and "80 GB" in line for line in others)
    # Its key is there, only misspelt.
    assert not any('"scale_up.kind" is missing' in line for line in others)


def test_of_many_problems_five_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    error = refused(tmp_path, "accelerators/ours.yaml", "our-card: {sources: [], ecc: maybe, compute: 3, power: 5}")
    assert error.message == "9 keys or values do not fit"
    assert error.hint is not None
    assert len(error.hint.splitlines()) == 6
    assert error.hint.endswith("and 4 more")


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("memory: 80 GB", "memori: 80 GB", 'unknown key "memori"', 'did you mean "memory"?'),
        ("memory: 80 GB", "colour: red", 'unknown key "colour"', "known here: id, sources,"),
        ("900 GB/s", "900 GB", 'scale_up.bandwidth: "900 GB" is bytes', "write for example"),
        ("memory: 80 GB", "memory: [80 GB]", "memory: ['80 GB'] is not a quantity", "write for example 80 GB"),
        ("status: shipping", "status: shiping", 'status: "shiping" is none of shipping, announced', 'did you mean "shipping"?'),
        ("  status: shipping\n", "", 'the key "status" is missing', "one of shipping, announced; for example status: "),
        ("memory: 80 GB", "released: soon", "released: expected a whole number (given: 'soon')", "for example released: 2"),
        ("memory: 80 GB", "compute: 989 TFLOP/s", "compute: expected keys with values", "dense rates by number format"),
    ],
)
def test_a_single_problem_has_its_hint(tmp_path: Path, old: str, new: str, message: str, hint: str) -> None:
    error = refused(tmp_path, "accelerators/ours.yaml", changed((old, new)))
    assert error.message.startswith(message)
    assert error.hint is not None
    assert hint in error.hint


def test_a_row_of_a_table_says_what_it_lacks_once(tmp_path: Path) -> None:
    rows = "provider,instance,sold_as,on_demand,source\nours,big,H100,8,vllm-startup-logs\n"
    error = refused(tmp_path, "prices/ours.csv", rows)
    assert str(error).endswith(
        'line 2: on_demand: "8" has no unit; expected money per time (USD/h, USD/month, USD/year)\n  write for example 2.50 USD/h'
    )


def test_a_rule_with_a_wrong_line_is_not_also_called_empty(tmp_path: Path) -> None:
    rule = "id: NET-998\ntitle: wrong\nphase: check\nwhen: [nodes >> 3]\nadvice: go\nbecause: why not\nsources: [logs]\n"
    error = refused(
        tmp_path, "rules/network/NET-998-wrong.yaml", rule + "examples: {fires: [{nodes: 4}], silent: [{nodes: 2}]}\n"
    )
    assert error.message.startswith("when[0]: ")


def test_records_say_what_their_keys_mean() -> None:
    said = {f"{kind.name}.{key}": meaning_of(kind.record, key) for kind in KINDS for key in kind.record.model_fields}
    assert said["accelerators.memory"] == "as printed on the box"
    assert said["models.context"] == "longest sequence it was made for, none if unknown"
    assert said["models.basis"] == "how the parameter count was checked"
    assert said["prices.doubt"] == "why not to rely on it (stale, impossible, third-hand), none if there is no particular reason"
    assert said["rules.family"] == "the folder it stands in"
    # What is said of several keys together need not be true of each.
    assert said["prices.spot"] is None
    assert said["models.layers"] is None
