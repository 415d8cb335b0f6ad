"""The commands as people run them: results on standard output, the rest on standard error, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.catalog import _KINDS
from advisor.cli.exits import Exit
from advisor.cli.main import _COMMANDS
from advisor.reasoning.rule import Rule
from advisor.report.entries import rule_card

ENTRY = "from advisor.cli.main import main; main()"


def run(*arguments: str, given: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", ENTRY, *arguments],
        input=given,
        capture_output=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ},
        check=False,
    )


@pytest.fixture(scope="module")
def example(root: Path) -> str:
    return str(root / "examples" / "assistant.yaml")


def test_a_plan_as_text_json_and_markdown(example: str, tmp_path: Path) -> None:
    text = run("plan", example)
    assert text.returncode == Exit.done
    assert "4 × NVIDIA H100 SXM5 80GB" in text.stdout.decode()
    assert text.stderr == b""
    body = json.loads(run("plan", example, "--json", "--today", "2026-11-30").stdout)
    assert body["schema_version"] == "1.0"
    recommended = body["workloads"][0]["recommended"]
    assert {
        "accelerator",
        "accelerators",
        "replicas",
        "tensor_parallel",
        "pipeline_parallel",
        "precision",
        "engine",
        "estimates",
    } <= set(recommended)
    assert {"value", "unit", "low", "high", "label"} >= set(recommended["estimates"]["kv_room"])
    assert {"assumptions", "advice", "not_modelled", "made_with"} <= set(body)
    assert set(body["made_with"]) == {"code", "knowledge", "rules"}
    page = tmp_path / "plan.html"
    tables, book = tmp_path / "tables", tmp_path / "plan.xlsx"
    assert run("plan", example, "--html", "-o", str(page), "--csv", str(tables), "--xlsx", str(book)).returncode == Exit.done
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tables / "figures.csv").exists()
    assert book.read_bytes().startswith(b"PK")
    written = tmp_path / "plan.md"
    assert run("plan", example, "--markdown", "-o", str(written)).stdout == b""
    assert written.read_text().startswith("# Staff assistant")


def test_standard_input(example: str) -> None:
    assert run("plan", "-", given=Path(example).read_bytes()).returncode == Exit.done
    refused = run("plan", "-", given=b"workloads: [{kind: rag}]")
    assert refused.returncode == Exit.bad_input
    assert b"standard input" in refused.stderr
    assert b"model" in refused.stderr


def test_nothing_meets_the_limits(tmp_path: Path) -> None:
    file = tmp_path / "wish.yaml"
    file.write_text(
        "workloads: [{kind: realtime-inference, model: llama-3.1-405b, accelerators: {only: [rtx-4090], max_count: 4},"
        " traffic: {concurrent_requests: 5}, input_tokens: 1000, output_tokens: 100}]"
    )
    done = run("plan", str(file))
    assert done.returncode == Exit.nothing_fits
    assert b"Nothing of" in done.stdout
    assert b"What would help" in done.stdout


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"workloads: [{kind: rag, model: llama-3.1-8b, trafic: {}}]", b'did you mean "traffic"'),
        (b"workloads: [{kind: rag, model: lama-3.1-8b}]", b"did you mean"),
        (b"workloads: [{kind: rag, model: llama-3.1-8b, accelerators: {only: [H100]}}]", b"h100-sxm, h100-pcie, h100-nvl"),
        (b"workloads: [{kind: rag, model: llama-3.1-8b, precision: bf17}]", b"bf16"),
        (b"workloads: [{kind: rag, model: llama-3.1-8b, engine: vlm}]", b"vllm"),
        (b"workloads: [{kind: rag, model: /no/such/config.json}]", b"/no/such/config.json"),
        (b"\x00\x01\x02\xff", b"advisor: "),
        (b"", b"empty"),
        (b"workloads: [", b"a bracket is not closed"),
    ],
)
def test_bad_input_is_one_clear_message(tmp_path: Path, content: bytes, says: bytes) -> None:
    file = tmp_path / "wish.yaml"
    file.write_bytes(content)
    done = run("plan", str(file))
    assert done.returncode == Exit.bad_input
    assert done.stdout == b""
    assert says in done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 3


@pytest.mark.parametrize("argument", ["/no/such/file.yaml", "/tmp"])
def test_a_file_that_is_none(argument: str) -> None:
    done = run("plan", argument)
    assert done.returncode == Exit.bad_input
    assert argument.encode() in done.stderr
    assert b"Traceback" not in done.stderr


def test_explain(example: str) -> None:
    done = run("explain", example, "KV cache")
    assert done.returncode == Exit.done
    assert "kv_cache_per_request * concurrent_requests" in done.stdout.decode()
    steps = json.loads(run("explain", example, "memory left", "--json").stdout)["steps"]
    assert steps["kv_room"]["equation"].startswith("memory_fraction * usable_memory")
    refused = run("explain", example, "KV cash")
    assert refused.returncode == Exit.bad_input
    assert b"kv cache" in refused.stderr


def test_catalog(tmp_path: Path) -> None:
    found = json.loads(run("catalog", "models", "llama 3.1 70b", "--json").stdout)
    assert [each["id"] for each in found["entries"]] == ["llama-3.1-70b"]
    listed = run("catalog", "accelerators", "H100")
    assert [line.split()[0] for line in listed.stdout.decode().splitlines()] == ["h100-sxm", "h100-pcie", "h100-nvl"]
    assert b"can mean several" in listed.stderr
    priced = json.loads(run("catalog", "prices", "h100 us-east-1", "--limit", "1", "--json").stdout)
    assert len(priced["entries"]) == 1
    assert (priced["units"]["on_demand"], priced["units"]["memory"]) == ("USD/second", "byte")
    assert run("catalog", "sources", "kwon").stdout.startswith(b"id                  kwon-2023-pagedattention")
    alone = run("catalog", "prices", "aws/g4dn.12xlarge/us-east-1").stdout.decode()
    assert "3.912 USD/h" in alone


@pytest.mark.parametrize("kind", _KINDS)
def test_a_search_that_finds_nothing(kind: str) -> None:
    done = run("catalog", kind, "nosuchthing xyzzyx")
    assert done.returncode == Exit.bad_input
    assert done.stdout == b""
    said, hint = done.stderr.decode().splitlines()
    assert "nosuchthing xyzzyx" in said
    assert hint.strip()


@pytest.mark.parametrize("arguments", [("catalog", "models"), ("rules",), ("catalog", "--help"), ("--help",)])
@pytest.mark.parametrize("to", [*(["a full disk"] if Path("/dev/full").exists() else []), "a closed pipe", "nothing"])
def test_a_result_that_cannot_be_written_is_one_message(arguments: tuple[str, ...], to: str) -> None:
    if to == "a full disk":
        target = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, target = os.pipe()
        os.close(reading)
    code = ENTRY if to != "nothing" else f"import sys; sys.stdout = None; {ENTRY}"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], stdout=target, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(target)
    if to == "nothing" and "--help" in arguments:  # click prints nothing where there is nothing to print to
        assert (done.returncode, done.stderr) == (Exit.done, b"")
        return
    assert done.returncode == Exit.bad_input
    assert done.stderr.startswith(b"advisor: standard output: the result cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


def test_schemas_are_json_schemas_that_the_results_keep(example: str, tmp_path: Path) -> None:
    import jsonschema

    for what in ("plan", "document", "validation"):
        schema = json.loads(run("schema", what).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
    plan_schema = json.loads(run("schema").stdout)
    jsonschema.validate(json.loads(run("plan", example, "--json").stdout), plan_schema)


def test_rules() -> None:
    listed = run("rules").stdout.decode()
    assert "PAR-002" in listed
    assert b"sources" in run("rules", "par-002", "--json").stdout
    assert run("rules", "PAR-999").returncode == Exit.bad_input


def test_a_rule_is_printed_as_it_is_written() -> None:
    lines = run("rules", "PAR-002").stdout.decode().splitlines()
    assert "when      tensor_parallel > gpus_per_node" in lines
    assert "fires     tensor_parallel: 16, gpus_per_node: 8" in lines
    assert not any('{"' in line for line in lines)


def test_alternatives_facts_set_and_subjects_of_a_rule() -> None:
    rule = Rule.model_validate(
        {
            "id": "NET-999",
            "title": "A rule with everything",
            "phase": "design",
            "for": "node",
            "when": ['inter_node_bandwidth < "100 Gbit/s"', {"any": ["nodes > 1", "needs_rdma == true"]}],
            "sets": {"fabric": "fast", "needs_rdma": True, "level": 2},
            "because": "gradients wait",
            "sources": ["narayanan-2021-megatron"],
            "examples": {"fires": [{"inter_node_bandwidth": "25 Gbit/s", "nodes": 2}], "silent": [{}]},
        }
    )
    assert rule_card(rule).splitlines()[1:] == [
        "severity  note",
        "phase     design",
        "for       each node",
        'when      inter_node_bandwidth < "100 Gbit/s"',
        "          any of: nodes > 1; needs_rdma == true",
        "sets      fabric: fast",
        "          needs_rdma: true",
        "          level: 2",
        "because   gradients wait",
        "source    narayanan-2021-megatron",
        "fires     inter_node_bandwidth: 25 Gbit/s, nodes: 2",
        "silent    nothing known",
    ]


def test_validate_memory(root: Path) -> None:
    done = run("validate", "memory", str(root / "knowledge" / "measurements" / "inference_memory.csv"), "--json")
    body = json.loads(done.stdout)
    assert set(body["metrics"]) == {"weights", "kv_memory", "kv_tokens", "starts"}
    assert set(body["metrics"]["weights"]) == {"n", "mape", "median", "p90", "bias", "coverage_80"}
    assert set(body["metrics"]["starts"]) == {"failures", "called", "started", "refused"}
    assert body["rows"] == body["evaluated"] + sum(body["left_out"].values())


def test_every_command_has_help_with_an_example() -> None:
    general = run("--help").stdout.decode()
    for name in _COMMANDS:
        assert name in general
        own = run(name, "--help").stdout.decode()
        assert "Example:" in own, name
        if name not in ("keys", "mcp", "serve", "validate"):
            assert "--json" in own, name


def test_an_unknown_command_names_the_nearest() -> None:
    done = run("plann", "x.yaml")
    assert done.returncode == Exit.bad_input
    assert b'Did you mean "plan"' in done.stderr


def test_shell_completion() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENTRY],
        env={**os.environ, "_ADVISOR_COMPLETE": "bash_source"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"_ADVISOR_COMPLETE" in done.stdout or b"complete" in done.stdout
