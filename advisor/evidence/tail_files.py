"""What calibrating tails writes: coefficients and bands as knowledge, and held-out errors as a table."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from advisor.sizing.serving.tails import COEFFICIENTS, PERCENTILES

if TYPE_CHECKING:
    from advisor.evidence.tails import Tail

PROCESSES = ("closed", "open", "bursty")
_HEAD = """# Tails of serving times: what percentiles add to means, fitted on the event simulation. By `make calibrate-tails`.
# Coefficients are fitted together; the ends of each `…_tail_rest` hold four of five of the grid's ratios to the fit.
"""
_MEANINGS = {
    "first_token_prompt_tail": "Share of a longer prompt's own time that the percentile of the time to first token adds.",
    "first_token_queue_tail": "Mean queues of prompts that the percentile of the time to first token adds.",
    "token_load_tail": "Deviations of the load that the percentile of the time per output token adds.",
    "token_spread_tail": "What unequal lengths add to the percentile of the time per output token.",
    "latency_answer_tail": "Share of a longer answer's own time that the percentile of the latency adds.",
    "latency_load_tail": "Deviations of the load that the percentile of the latency adds.",
    "latency_queue_tail": "Mean queues of prompts that the percentile of the latency adds.",
}


def write_tails(found: Mapping[tuple[str, str, str], "Tail"], path: Path) -> None:
    """Write coefficients and bands as knowledge, by arrival process; a process that is not known takes those of open arrivals."""
    entries: dict[str, Any] = {}
    for (quantity, names), at in product(COEFFICIENTS.items(), PERCENTILES):
        tails = {process: found[process, quantity, at] for process in PROCESSES}
        for place, name in enumerate(names):
            values = {process: float(tail.coefficients[place]) for process, tail in tails.items()}
            entries[f"{name}_{at}"] = {
                **_entry(f"{_MEANINGS[name][:-1]} ({at}).", joint=True),
                "values": {process: _level(value, value, value, tails[process].rows) for process, value in values.items()},
                "otherwise": _level(min(values.values()), values["open"], max(values.values()), 0),
                "sources": [{"tail-simulation": "coefficients by least squares on the grid"}],
            }
        entries[f"{quantity}_tail_rest_{at}"] = {
            **_entry(f"Simulated over fitted {at} of the {quantity.replace('_', ' ')}; four of five stand between low and high."),
            "values": {process: _level(tail.low, 1, tail.high, tail.rows) for process, tail in tails.items()},
            "otherwise": _level(min(tail.low for tail in tails.values()), 1, max(tail.high for tail in tails.values()), 0),
            "sources": [{"tail-simulation": "residuals of the grid"}],
        }
    path.write_text(_HEAD + yaml.safe_dump(entries, sort_keys=False, width=130, allow_unicode=True), encoding="utf-8")


def _entry(meaning: str, *, joint: bool = False) -> dict[str, Any]:
    return {"meaning": meaning, **({"joint": True} if joint else {}), "by": ["arrival_process"]}


def _level(low: float, typical: float, high: float, rows: int) -> dict[str, Any]:
    return {**{end: float(f"{value:.4g}") for end, value in (("low", low), ("typical", typical), ("high", high))}, "rows": rows}


def error_table(found: Mapping[tuple[str, str, str], "Tail"]) -> str:
    """Held-out errors as a table."""
    lines = [f"{'arrivals':8} {'quantity':22} {'':4} {'loads':>5} {'median':>7} {'90 %':>7} {'bias':>7} {'in band':>8}"]
    for (process, quantity, at), tail in found.items():
        lines.append(
            f"{process:8} {quantity:22} {at:4} {tail.rows:5} {tail.error:7.1%} {tail.ninetieth:7.1%} {tail.bias:+7.1%} "
            f"{tail.coverage:8.1%}"
        )
    return "\n".join(lines)
