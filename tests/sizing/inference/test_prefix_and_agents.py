"""Prefix caches, agents and deadlines: worked figures, Little's law in both directions, and a pipeline that starves."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.formula import formulas


def evaluate(wanted: str, **facts: Any) -> Any:
    return formulas().evaluate([wanted], facts)[wanted]


def read_again(turns: float, base: float, step: float) -> float:
    """Tokens of a task that computes its context anew in each turn."""
    return turns * base + step * turns * (turns - 1) / 2


def test_a_shared_prefix() -> None:
    facts = {"prefix_from": "shared", "shared_prefix_tokens": 3000.0, "input_tokens": 4000.0, "prefix_kept_share": 1.0}
    assert evaluate("prefix_hit_share", **facts) == 0.75
    assert evaluate("computed_input_tokens", **facts) == 1000
    assert evaluate("prefix_hit_share", **{**facts, "shared_prefix_tokens": 9000.0}) == 1
    assert evaluate("computed_input_tokens", **{**facts, "prefix_from": "none"}) == 4000


def test_a_growing_context() -> None:
    # Twenty turns of 2,000 tokens on a context of 10,000: each token is new once, and read eleven times.
    turns, base, step = 20.0, 10_000.0, 2_000.0
    facts = {
        "prefix_from": "turns",
        "turns": turns,
        "base_context_tokens": base,
        "added_tokens_per_turn": step,
        "prefix_kept_share": 1.0,
    }
    facts["task_input_tokens"] = read_again(turns, base, step)
    assert facts["task_input_tokens"] == 580_000
    assert evaluate("new_input_tokens", **facts) == 48_000
    hit = evaluate("prefix_hit_share", **facts)
    assert hit == pytest.approx(1 - 48 / 580)
    # Coding agents are said to find 80 to 95 % of their prompts.
    assert 0.8 <= hit <= 0.95
    assert evaluate("input_tokens_per_call", **facts) == 580_000 / 20


@given(turns=st.integers(1, 200), base=st.floats(1, 1e5), step=st.floats(1, 1e4))
def test_caching_never_computes_more(turns: int, base: float, step: float) -> None:
    facts = {"turns": float(turns), "base_context_tokens": base, "added_tokens_per_turn": step}
    summed = sum(base + step * turn for turn in range(turns))
    assert read_again(turns, base, step) == pytest.approx(summed)
    assert evaluate("new_input_tokens", **facts) <= summed * (1 + 1e-12)


def test_memory_that_prefixes_and_sessions_take() -> None:
    # Qwen3-30B-A3B: 98,304 bytes a token, so that 2 GiB hold 21,845 tokens (NoLlama issue 21).
    assert evaluate("shared_prefix_memory", shared_prefix_tokens=2**31 / 98304, kv_cache_per_token=98304.0) == pytest.approx(
        2**31
    )
    saved = evaluate("cache_saved_by_prefix", shared_prefix_memory=1e9, running_requests=33.0, prefix_kept_share=1.0)
    assert saved == 32e9
    waiting = evaluate("waiting_sessions_cache", waiting_sessions=40.0, session_tokens=20_000.0, kv_cache_per_token=98304.0)
    assert evaluate("kept_sessions_share", idle_cache=waiting / 4, waiting_sessions_cache=waiting) == 0.25
    assert evaluate("kept_sessions_share", idle_cache=1e9, waiting_sessions_cache=0.0) == 1


def test_calls_and_tasks_in_flight() -> None:
    facts = {"tasks_per_second": 0.5, "turns": 20.0, "request_latency": 6.0, "tool_time_per_turn": 14.0}
    assert evaluate("agent_calls_per_second", **facts) == 10
    assert evaluate("agent_calls_in_flight", **facts) == 60
    assert evaluate("tasks_in_tools", **facts) == 140
    assert evaluate("task_time", **facts) == 400
    assert evaluate("calling_share", **facts) == 0.3
    # All tasks are either called or in tools, and the rate comes back from them.
    assert evaluate("tasks_per_second_in_flight", **facts, stated_running_tasks=200.0) == 0.5
    held = evaluate("context_held_in_tools", **facts, input_tokens_per_call=29_000.0, kv_cache_per_token=98304.0)
    assert held == pytest.approx(140 * 29_000 * 98304)


def test_a_batch_by_the_morning() -> None:
    # 2 million requests of 300 tokens, ten hours, replicas that write 2,500 tokens a second.
    facts = {"offline_requests": 2e6, "output_tokens": 300.0, "offline_token_rate": 2500.0, "finish_within": 36_000.0}
    facts |= {"start_up_time": 600.0, "productive_share": 0.95}
    found = evaluate("deadline_replicas", **facts)
    assert found == np.ceil(6e8 / (2500 * 35_400 * 0.95)) == 8
    assert evaluate("offline_finish_time", **facts, replicas=8.0) <= 36_000
    assert evaluate("offline_finish_time", **facts, replicas=7.0) > 36_000
    assert np.isinf(evaluate("deadline_replicas", **{**facts, "finish_within": 300.0}))


def test_a_starved_pipeline_needs_no_faster_card() -> None:
    # mcp-vector-search issue 124: 232,047 chunks at 1.2 a second take 54 hours; the card does 1,000 a second, 3.9 minutes.
    facts = {
        "items_total": 232_047.0,
        "items_per_second": 1000.0,
        "item_accelerators": 1.0,
        "productive_share": 1.0,
        "start_up_time": 0.0,
    }
    assert evaluate("items_finish_time", **facts, item_supply_rate=1.2) == pytest.approx(54 * 3600, rel=0.01)
    assert evaluate("items_finish_time", **facts, item_supply_rate=1e9) == pytest.approx(3.9 * 60, rel=0.01)
    assert evaluate("item_starvation", **facts, item_supply_rate=1.2) > 0.99
    twice = evaluate("items_finish_time", **{**facts, "items_per_second": 2000.0}, item_supply_rate=1.2)
    assert twice == evaluate("items_finish_time", **facts, item_supply_rate=1.2)
    assert evaluate("deadline_accelerators", items_total=1e8, items_per_second=1000.0, working_time=36_000.0) == 3
