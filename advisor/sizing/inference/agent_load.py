"""Load that agents put on a model: calls a second, calls and tasks in flight, and the cache that tasks hold while tools work.

A task is a loop: the model answers, a tool runs, its result joins the context, and so on for a number of turns. Model calls in
flight are what replicas are sized for; tasks in flight are more by the time that tools take.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerToken,
    Count,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    Tokens,
    TokensPerRequest,
    maximum,
)

_LITTLE = cite("little-1961", "L = λ W")
_TURNS = cite("github-copilot-agent-2026", "model calls per user turn")


@formula(sources=[_TURNS])
def agent_calls_per_second(tasks_per_second: RequestsPerSecond, turns: Count) -> RequestsPerSecond:
    """Model calls that tasks make in a second: one for each turn."""
    return tasks_per_second * turns


@formula(sources=[_LITTLE])
def agent_calls_in_flight(agent_calls_per_second: RequestsPerSecond, request_latency: Seconds) -> Requests:
    """Model calls in flight at once, which replicas are sized for; time in tools occupies no engine."""
    return agent_calls_per_second * request_latency


@formula(sources=[_LITTLE])
def task_time(turns: Count, request_latency: Seconds, tool_time_per_turn: Seconds) -> Seconds:
    """Time from a task's beginning to its end: answers and tools, turn after turn."""
    return turns * (request_latency + tool_time_per_turn)


@formula(sources=[_LITTLE])
def tasks_per_second_in_flight(stated_running_tasks: Requests, task_time: Seconds) -> RequestsPerSecond:
    """Tasks that end in a second when so many are always under way: Little's law for the rate."""
    return stated_running_tasks / task_time


@formula(sources=[_LITTLE])
def calling_share(request_latency: Seconds, tool_time_per_turn: Seconds) -> Ratio:
    """Share of a task's time in which the model works; calls in flight are this share of the tasks in flight."""
    return request_latency / (request_latency + tool_time_per_turn)


@formula(sources=[_LITTLE])
def tasks_in_tools(tasks_per_second: RequestsPerSecond, turns: Count, tool_time_per_turn: Seconds) -> Requests:
    """Tasks whose tools are working; their context waits in the cache, or is computed again when they come back."""
    return tasks_per_second * turns * tool_time_per_turn


@formula()
def input_tokens_per_call(turns: Count, base_context_tokens: Tokens, added_tokens_per_turn: Tokens) -> TokensPerRequest:
    """Mean prompt of a task's calls: the context it began with, and half of what it gathers by its last turn."""
    return base_context_tokens + added_tokens_per_turn * maximum(turns - 1, 0) / 2


@formula()
def context_held_in_tools(
    tasks_in_tools: Requests, input_tokens_per_call: TokensPerRequest, kv_cache_per_token: BytesPerToken
) -> Bytes:
    """Cache of the tasks whose tools are working, on the accelerators of one replica's rank, were none of it dropped."""
    return tasks_in_tools * input_tokens_per_call * kv_cache_per_token
