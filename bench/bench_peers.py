"""Errors of a peer's estimates and of ours on the same measured rows, in one table.

    make bench-peers

A fixed share of each model x accelerator x engine is drawn with a seed; a row for which the peer gives no figure, or calls its
own figure inexact, makes way for the next of its group, and the reasons are counted.
"""

import argparse
import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor import __version__
from advisor.evidence.peers import PEER, PeerEstimate, PeerQuestion, PeerRefusal, peer_estimate, peer_version
from advisor.evidence.scores import Compared, Metric, metric
from advisor.evidence.serving import COLUMNS as SERVING_COLUMNS
from advisor.evidence.serving import estimate_rows
from advisor.evidence.table import Row, number_in, read_table
from advisor.library import open_library

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "knowledge" / "measurements" / "inference_performance.csv"
RESIDUALS = ROOT / "knowledge" / "measurements" / "serving_residuals.csv"
COLUMNS = (*SERVING_COLUMNS, "model", "ep")
METRICS = {"TPOT": ("time_per_output_token", "tpot_ms_mean"), "TTFT": ("time_to_first_token", "ttft_ms_mean")}
# A group in which the peer knows few rows is not searched to its end.
TRIES = 4
# Weights of eight bits and fewer are served with a cache of eight bits in these sources, where they do not say.
SMALL_CACHE = ("fp8", "nvfp4")
PUBLISHED_WITH_PEER = ("InferenceX", "NVIDIA-AIC-silicon")

ENGINES = ("sglang", "trt-llm", "vllm")
BLIND = "  fitted without its group"

Estimate = Mapping[str, float]


@dataclass(frozen=True)
class Asked:
    """A drawn row and what the peer says of it."""

    row: Row
    estimate: PeerEstimate


def eligible(row: Row) -> bool:
    """Whether a row states all inputs of a closed loop and both of its times."""
    timed = all(number_in(row, column) for _, column in METRICS.values())
    return row["evaluable"] == "yes" and row["metric_kind"] == "closed-loop" and timed


def answer_of(row: Row) -> PeerEstimate | PeerRefusal:
    """What the peer says of a row; with the cache format that its checkpoint implies where it has no tables for ours."""
    question = question_of(row)
    answer = peer_estimate(question)
    if isinstance(answer, PeerRefusal) and not row["kv_precision_id"]:
        return peer_estimate(question.model_copy(update={"kv_precision": None}))
    return answer


def question_of(row: Row) -> PeerQuestion:
    """A row in the words of a peer's question; an unstated cache format is taken as our own estimates take it."""
    accelerators, stages, groups = (int(number_in(row, name) or 1) for name in ("gpu_count", "pp", "dp"))
    return PeerQuestion(
        model=row["model"],
        accelerator=row["accelerator_id"],
        engine=row["engine_id"],
        engine_version=row["engine_version"] or None,
        tensor_parallel=max(1, accelerators // (stages * groups)),
        pipeline_parallel=stages,
        data_parallel=groups,
        expert_parallel=int(number_in(row, "ep") or 1),
        precision=row["precision_id"],
        kv_precision=row["kv_precision_id"] or ("fp8" if row["precision_id"] in SMALL_CACHE else None),
        input_tokens=round(number_in(row, "isl") or 1),
        output_tokens=round(number_in(row, "osl") or 1),
        concurrent_requests=number_in(row, "concurrency_or_batch") or 1,
    )


def draw(rows: Sequence[Row], wanted: int, seed: int) -> tuple[list[Asked], Counter[str], Counter[str]]:
    """Rows the peer answers, each group in proportion to its size and at least one; the refusals; the tables it read."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["model_id"], row["accelerator_id"], row["engine_id"]), []).append(row)
    drawn: list[Asked] = []
    refused: Counter[str] = Counter()
    databases: Counter[str] = Counter()
    for key in sorted(groups):
        members = sorted(groups[key], key=lambda row: row["id"])
        random.Random(f"{seed} {' '.join(key)}").shuffle(members)
        share = max(1, round(wanted * len(members) / len(rows)))
        found = 0
        for row in members[: TRIES * share]:
            if found == share:
                break
            answer = answer_of(row)
            if isinstance(answer, PeerEstimate) and answer.caution is None:
                found += 1
                drawn.append(Asked(row, answer))
                databases[answer.database] += 1
            else:
                refused[reason_of(answer)] += 1
        sys.stderr.write(f"\r{len(drawn)} rows drawn, {sum(refused.values())} refused ")
    sys.stderr.write("\n")
    return drawn, refused, databases


def reason_of(answer: PeerEstimate | PeerRefusal) -> str:
    """Why a row made way, without the sizes of the very layer that a table lacks."""
    reason = answer.reason if isinstance(answer, PeerRefusal) else answer.caution or ""
    return re.sub(r" for \w+ \{.*\}", "", reason)


def ours(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Our estimates by row id; rows we cannot size are absent."""
    return {row["id"]: values for row, values in estimate_rows(open_library(), rows)}


def held_out(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Our estimates from fits that left out a row's whole source x model x accelerator, where the shipped residuals hold it."""
    quantities = [quantity for quantity, _ in METRICS.values()]
    table = {row["id"]: row for row in read_table(RESIDUALS, ("id", *quantities))}
    found: dict[str, Estimate] = {}
    for row in rows:
        if row["id"] in table:
            residuals = {quantity: number_in(table[row["id"]], quantity) for quantity in quantities}
            measured = {quantity: number_in(row, column) for quantity, column in METRICS.values()}
            found[row["id"]] = {
                quantity: math.nan if residual is None else (measured[quantity] or math.nan) / 1e3 * math.exp(residual)
                for quantity, residual in residuals.items()
            }
    return found


def figures(rows: Sequence[Row], estimates: Mapping[str, Estimate]) -> dict[str, Metric]:
    """Error figures of one tool on rows it has estimates for."""
    found = {}
    for name, (quantity, column) in METRICS.items():
        compared = []
        for row in rows:
            measured, estimated = number_in(row, column), estimates.get(row["id"], {}).get(quantity, math.nan)
            if measured and math.isfinite(estimated):
                compared.append(Compared(row["id"], name, estimated, measured / 1e3, measured / 1e3))
        found[name] = metric(compared)
    return found


def table(tools: Mapping[str, Mapping[str, Metric]]) -> str:
    """The figures as text, one line for each metric and tool."""
    lines = [f"{'':6}{'':28}{'rows':>6}{'median':>9}{'mean':>9}{'p90':>9}{'bias':>9}"]
    for name in METRICS:
        for tool, found in tools.items():
            one = found[name]
            cells = "".join(f"{100 * value:>8.1f}%" for value in (one.median, one.mape, one.p90) if value is not None)
            bias = f"{100 * one.bias:>+8.1f}%" if one.bias is not None else ""
            lines.append(f"{name:6}{tool:28}{one.n:>6}{cells}{bias}")
    return "\n".join(lines)


def main() -> None:
    """Draw the sample, ask both tools, print the table."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("measured", nargs="?", type=Path, default=MEASURED, help="CSV of measured rows")
    reading.add_argument("--rows", type=int, default=150, help="rows to draw, about")
    reading.add_argument("--seed", type=int, default=1)
    reading.add_argument("--json", type=Path, help="write every row with both estimates to this file")
    given = reading.parse_args()
    peer, own = f"{PEER} {peer_version()}", f"ai-infra-advisor {__version__}"
    rows = [row for row in read_table(given.measured, COLUMNS) if eligible(row)]
    mine = ours(rows)
    blind = held_out(rows) if given.measured.resolve() == MEASURED else {}
    drawn, refused, databases = draw(rows, given.rows, given.seed)
    theirs = {each.row["id"]: each.estimate.model_dump(include={quantity for quantity, _ in METRICS.values()}) for each in drawn}
    both = [each.row for each in drawn if each.row["id"] in mine]
    write = sys.stdout.write
    write(f"{peer} and {own} on {len(both)} of {len(rows)} eligible rows of {given.measured.name}, seed {given.seed}\n")
    parts = {"": both, **{engine: [row for row in both if row["engine_id"] == engine] for engine in ENGINES}}
    for engine, part in parts.items():
        if part:
            tools = {peer: figures(part, theirs), own: figures(part, mine)}
            if blind:
                tools[BLIND] = figures(part, blind)
            write(f"\n{engine or 'all engines'}\n{table(tools)}\n")
    if left := len(drawn) - len(both):
        write(f"\n{left} rows that the peer answers and ours does not are left out.\n")
    write("\nThe peer's tables: " + ", ".join(f"{name} ({count})" for name, count in sorted(databases.items())) + ".\n")
    write("They are of newer engine versions than the rows were measured with, which the peer no longer offers.\n")
    write(f"Refused or called inexact by the peer ({sum(refused.values())}):\n")
    for reason, count in refused.most_common(12):
        write(f"  {count:4} {reason}\n")
    sources = Counter(row["source"] for row in both)
    known = sum(sources[name] for name in PUBLISHED_WITH_PEER)
    write("\nSources of the rows: " + ", ".join(f"{name} ({count})" for name, count in sources.most_common()) + ".\n")
    write(f"{known} of {len(both)} rows were published inside the peer's own package, and factors of its vLLM time to first\n")
    write("token were set on such; our shipped constants were fitted on rows of the same file.")
    write(f' "{BLIND.strip()}": ours from\na fit that never saw the row\'s source, model and accelerator.\n' if blind else "\n")
    if given.json:
        found = [{"row": dict(each.row), "peer": theirs[each.row["id"]], "ours": mine.get(each.row["id"])} for each in drawn]
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
