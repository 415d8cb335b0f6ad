"""Agents: tokens of a task whose context grows from turn to turn, what a prefix cache saves, and how many fit a cache."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerToken,
    Count,
    Dollars,
    Ratio,
    Requests,
    RequestsPerSecond,
    Seconds,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    floor,
)

_GROWTH = cite("agent-token-use-2026", "input dominates and differs 30 times between runs of one task")
_CHAT = cite("anthropic-multi-agent", "4 and 15 times the tokens of a chat")


@formula(sources=[_GROWTH])
def task_input_tokens(turns: Count, base_context_tokens: Tokens, added_tokens_per_turn: Tokens) -> Tokens:
    """Tokens read over a task: each turn reads again what all before it added.

    base_context_tokens: instructions, tools and the task, read in each turn. The rest grows with the square of the turns. Valid
    while nothing is cut from the context. Size with a large task (the 90th percentile): the mean hides a spread of thirty times.
    """
    return turns * base_context_tokens + added_tokens_per_turn * turns * (turns - 1) / 2


@formula()
def task_output_tokens(turns: Count, output_tokens_per_turn: Tokens) -> Tokens:
    """Tokens written over a task."""
    return turns * output_tokens_per_turn


@formula()
def task_tokens(task_input_tokens: Tokens, task_output_tokens: Tokens) -> Tokens:
    """Tokens read and written over a task, as an interface priced by the token would count them."""
    return task_input_tokens + task_output_tokens


@formula(sources=[cite("mooncake-traces", "prefixes are reused"), cite("kv-cache-in-the-wild-2025", "reuse is skewed")])
def computed_prompt_tokens(task_input_tokens: Tokens, prefix_hit_share: Ratio) -> Tokens:
    """Prompt tokens that are really computed; the others are found in the prefix cache, as long as it keeps them."""
    return task_input_tokens * (1 - prefix_hit_share)


@formula(sources=[_GROWTH])
def last_context_tokens(
    turns: Count, base_context_tokens: Tokens, added_tokens_per_turn: Tokens, output_tokens_per_turn: Tokens
) -> Tokens:
    """Length of the context in the last turn, which the model's window and the cache must hold."""
    return base_context_tokens + added_tokens_per_turn * (turns - 1) + output_tokens_per_turn


@formula(sources=[_CHAT])
def agent_tokens_beside_chat(chat_tokens: Tokens, agent_token_factor: Ratio) -> Tokens:
    """Tokens of a task where only a chat's are known: agents take several times as many."""
    return chat_tokens * agent_token_factor


@formula(sources=[cite("nollama-issue-21", "2 GiB hold one agent's prompt")])
def tokens_in_cache(cache_bytes: Bytes, kv_cache_per_token: BytesPerToken) -> Tokens:
    """Tokens whose keys and values a cache holds."""
    return cache_bytes / kv_cache_per_token


@formula(sources=[cite("nollama-issue-21", "2 GiB hold one agent's prompt")])
def agents_in_cache(tokens_in_cache: Tokens, last_context_tokens: Tokens) -> Count:
    """Agents whose whole context stays in the cache at once; beyond it each turn computes its prompt again."""
    return floor(tokens_in_cache / last_context_tokens)


@formula()
def running_tasks(
    tasks_per_second: RequestsPerSecond, turns: Count, request_latency: Seconds, tool_time_per_turn: Seconds
) -> Requests:
    """Tasks under way at once (Little's law): each lasts its turns, and in each the model answers and tools run."""
    return tasks_per_second * turns * (request_latency + tool_time_per_turn)


@formula()
def task_token_rate(tasks_per_second: RequestsPerSecond, tokens_per_task: TokensPerRequest) -> TokensPerSecond:
    """Tokens a second that tasks read and write on the mean."""
    return tasks_per_second * tokens_per_task


@formula(sources=[cite("beri-dell-ai-factory", "1e9 tokens in a day for 3,400 USD")])
def paid_per_million_tokens(paid: Dollars, billed_tokens: Tokens) -> Dollars:
    """What a million tokens cost on a bill, inputs and outputs together."""
    return paid * 1000000 / billed_tokens
