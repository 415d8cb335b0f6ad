"""Work that has to be done by a time: how many tokens or items it is, the replicas that manage it, and when it ends."""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Count,
    Items,
    ItemsPerSecond,
    Ratio,
    Requests,
    Seconds,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    ceil,
    maximum,
    minimum,
)

_STARVED = cite("mcp-vector-search-issue-124", "1.2 chunks a second where the card does a thousand")


@formula()
def offline_output_tokens(offline_requests: Requests, output_tokens: TokensPerRequest) -> Tokens:
    """Tokens that a batch of requests has to write."""
    return offline_requests * output_tokens


@formula()
def offline_input_tokens(offline_requests: Requests, input_tokens: TokensPerRequest) -> Tokens:
    """Tokens that a batch of requests has to read."""
    return offline_requests * input_tokens


@formula()
def working_time(finish_within: Seconds, start_up_time: Seconds, productive_share: Ratio) -> Seconds:
    """Time that replicas really work until the deadline: after they have started, less what failures and waits take."""
    return maximum(0, finish_within - start_up_time) * productive_share


@formula()
def deadline_replicas(offline_output_tokens: Tokens, offline_token_rate: TokensPerSecond, working_time: Seconds) -> Count:
    """Replicas that write all tokens by the deadline, at the rate of one that is kept full.

    The rate already has the time for prompts in it. Unbounded where no time is left. The last, half-empty batch is not counted:
    plan a margin of one request's time.
    """
    return maximum(1, ceil(offline_output_tokens / (offline_token_rate * working_time)))


@formula()
def offline_finish_time(
    offline_output_tokens: Tokens,
    offline_token_rate: TokensPerSecond,
    replicas: Count,
    productive_share: Ratio,
    start_up_time: Seconds,
) -> Seconds:
    """Time until a batch is done by a given number of replicas, from an empty start."""
    return start_up_time + offline_output_tokens / (offline_token_rate * replicas * productive_share)


@formula(sources=[_STARVED])
def fed_items_per_second(
    items_per_second: ItemsPerSecond, item_accelerators: Count, item_supply_rate: ItemsPerSecond
) -> ItemsPerSecond:
    """Items done in a second: what the accelerators can, or what reading, decoding and cutting hands them, if less."""
    return minimum(items_per_second * item_accelerators, item_supply_rate)


@formula(sources=[_STARVED])
def item_starvation(items_per_second: ItemsPerSecond, item_accelerators: Count, item_supply_rate: ItemsPerSecond) -> Ratio:
    """Share of time that accelerators wait for items; near one, no other accelerator would make it faster."""
    return maximum(0, 1 - item_supply_rate / (items_per_second * item_accelerators))


@formula(sources=[_STARVED])
def items_finish_time(
    items_total: Items, fed_items_per_second: ItemsPerSecond, productive_share: Ratio, start_up_time: Seconds
) -> Seconds:
    """Time until all items are done."""
    return start_up_time + items_total / (fed_items_per_second * productive_share)


@formula()
def deadline_accelerators(items_total: Items, items_per_second: ItemsPerSecond, working_time: Seconds) -> Count:
    """Accelerators that get all items done by the deadline, if they are fed."""
    return maximum(1, ceil(items_total / (items_per_second * working_time)))
