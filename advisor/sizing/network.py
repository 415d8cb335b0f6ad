"""Rates on the links of an environment: inside a node, between nodes, to storage, and to the users.

Vendors print scale-up links with both directions added; a transfer sees half of that (one_way_bandwidth). Line rates are reached
to 80 or 90 % at best (achieved_line_share), and only by large messages.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerRequest,
    BytesPerSecond,
    BytesPerToken,
    Count,
    Ratio,
    RequestsPerSecond,
    Seconds,
    TokensPerRequest,
    TokensPerSecond,
    maximum,
)

_BEKMAN = cite("stas-2026-ml-engineering", "network")


@formula(sources=[_BEKMAN])
def one_way_bandwidth(both_ways_bandwidth: BytesPerSecond) -> BytesPerSecond:
    """What one transfer sees of a link whose maker adds both directions: half."""
    return both_ways_bandwidth / 2


@formula(sources=[cite("stas-2026-ml-engineering", "network: xGMI")])
def peer_bandwidth(one_way_bandwidth: BytesPerSecond, mesh_peers: Count) -> BytesPerSecond:
    """Bandwidth between two accelerators of a node.

    mesh_peers: links that share the accelerator's total where each leads to another peer (7 in a full mesh of eight); one
    behind a switch, which gives any pair the whole.
    """
    return one_way_bandwidth / mesh_peers


@formula(sources=[_BEKMAN])
def achieved_share_of_link(measured_bandwidth: BytesPerSecond, nominal_bandwidth: BytesPerSecond) -> Ratio:
    """Share of a link's nominal rate that a measurement reached, both in one direction."""
    return measured_bandwidth / nominal_bandwidth


@formula(sources=[_BEKMAN])
def node_network_bandwidth(network_adapters: Count, port_rate: BytesPerSecond) -> BytesPerSecond:
    """Line rate of all adapters of a node that lead to other nodes."""
    return network_adapters * port_rate


@formula(sources=[_BEKMAN])
def network_bandwidth_per_accelerator(node_network_bandwidth: BytesPerSecond, accelerators_per_node: Count) -> BytesPerSecond:
    """Line rate between nodes that each accelerator of a node has for itself."""
    return node_network_bandwidth / accelerators_per_node


@formula(sources=[cite("nccl-issue-527", "one node against two")])
def bandwidth_drop_between_nodes(one_way_bandwidth: BytesPerSecond, network_bandwidth_per_accelerator: BytesPerSecond) -> Ratio:
    """How many times slower the network between nodes is than the links inside one, by nominal rates."""
    return one_way_bandwidth / network_bandwidth_per_accelerator


@formula(sources=[cite("stas-2026-ml-engineering", "network: 80B parameters in fp32")])
def transfer_time(transferred_bytes: Bytes, link_rate: BytesPerSecond, achieved_line_share: Ratio) -> Seconds:
    """Time to send something once over a link or over several in parallel."""
    return transferred_bytes / (link_rate * achieved_line_share)


@formula(sources=[cite("nccl-issue-766", "adapters by PCIe generation")])
def adapter_rate_needed(host_link_bandwidth: BytesPerSecond, accelerators_per_adapter: Count) -> BytesPerSecond:
    """Rate an adapter should have so that the network keeps up with the host links of the accelerators that use it."""
    return host_link_bandwidth * accelerators_per_adapter


@formula(sources=[cite("openai-streaming-format", "one event per token")])
def text_egress_rate(output_token_rate: TokensPerSecond, streamed_bytes_per_token: BytesPerToken) -> BytesPerSecond:
    """Bytes a second of streamed answers to the users: a few of text, and the event around every token."""
    return output_token_rate * streamed_bytes_per_token


@formula()
def request_ingress_rate(
    requests_per_second: RequestsPerSecond,
    input_tokens: TokensPerRequest,
    text_bytes_per_token: BytesPerToken,
    attached_bytes: BytesPerRequest,
) -> BytesPerSecond:
    """Bytes a second of prompts from the users, with the images, sound and documents attached to them."""
    return requests_per_second * (input_tokens * text_bytes_per_token + attached_bytes)


@formula()
def media_rate(media_streams: Count, stream_rate: BytesPerSecond) -> BytesPerSecond:
    """Bytes a second of audio or video in one direction; beside them text does not count."""
    return media_streams * stream_rate


@formula()
def user_network_rate(
    text_egress_rate: BytesPerSecond, request_ingress_rate: BytesPerSecond, media_rate: BytesPerSecond, achieved_line_share: Ratio
) -> BytesPerSecond:
    """Line rate to the users, in the busier direction, at which the links are not filled beyond what they reach."""
    return (maximum(text_egress_rate, request_ingress_rate) + media_rate) / achieved_line_share


def bus_bandwidth(moved_bytes: float, seconds: float, ranks: int) -> float:
    """Bandwidth of a measured all-reduce by the ring's traffic, as nccl-tests print it: comparable whatever the number of ranks.

    moved_bytes is the size of the buffer on each rank. Source: nccl-tests, PERFORMANCE.md; NVIDIA/nccl issue 527.
    """
    return moved_bytes / seconds * 2 * (ranks - 1) / ranks


def port_for(rate: float, port_rates: tuple[float, ...]) -> float | None:
    """The slowest port that reaches `rate`, of those that are sold; None where none does. All in bytes per second, one way."""
    return min((each for each in port_rates if each >= rate), default=None)
