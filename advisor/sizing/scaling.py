"""Growing with the load: how long a new replica takes to serve, and what must stand ready meanwhile."""

from advisor.sizing.formula import cite, formula
from advisor.units import Bytes, BytesPerSecond, Count, RequestsPerSecond, RequestsPerSecondPerSecond, Seconds, ceil, maximum


@formula(sources=[cite("modelplane-issue-204", "894 GiB in 43 minutes"), cite("vllm-issue-3182", "194 s against 6 s")])
def cold_start_time(
    node_provision_time: Seconds,
    image_bytes: Bytes,
    image_pull_rate: BytesPerSecond,
    model_file_bytes: Bytes,
    load_bandwidth: BytesPerSecond,
    warm_up_time: Seconds,
) -> Seconds:
    """Time from the decision to add a replica until it serves: a node, its image, the weights, compilation and graph capture.

    Parts that run side by side take less; a node and an image that are there already count as zero.
    """
    return node_provision_time + image_bytes / image_pull_rate + model_file_bytes / load_bandwidth + warm_up_time


@formula()
def warm_replicas(
    request_rate_growth: RequestsPerSecondPerSecond, cold_start_time: Seconds, replica_request_rate: RequestsPerSecond
) -> Count:
    """Replicas to keep running beyond the present load, so that its growth is served while new ones start.

    request_rate_growth: steepest rise of the rate that is not seen coming, in requests per second gained in a second.
    """
    return ceil(request_rate_growth * cold_start_time / replica_request_rate)


@formula()
def least_replicas(
    floor_request_rate: RequestsPerSecond, replica_request_rate: RequestsPerSecond, standing_replicas: Count
) -> Count:
    """Replicas never to go below: what the quietest hour needs, and at least the number that must always stand."""
    return maximum(ceil(floor_request_rate / replica_request_rate), standing_replicas)
