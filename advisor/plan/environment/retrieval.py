"""The vector index of a retrieval workload: its size from the documents, and the time to embed them once."""

from advisor.facts import Label
from advisor.plan.environment.gathering import Gathered
from advisor.plan.environment.setting import Setting
from advisor.plan.quantity import Quantity
from advisor.sizing.constants import RETRIEVAL_CONSTANTS
from advisor.workload.data import Data

_USUAL_WIDTH = 1024.0
# One may fail.
_INDEX_REPLICAS = 2.0


def index_memory(g: Gathered, s: Setting) -> float:
    """Memory of the index, while it is built, in both its replicas; zero where there is none or nobody said how much."""
    if not has_index(s):
        return 0.0
    if "vector_index_memory" not in g.values:
        _facts(g, s)
        g.compute("vector_index_memory", "index_build_memory", "index_storage")
    return g.number("index_build_memory") * _INDEX_REPLICAS


def has_index(s: Setting) -> bool:
    """Whether there is a collection whose size is known."""
    data = s.workload.data
    return s.workload.kind == "rag" and data is not None and (data.tokens is not None or data.documents is not None)


def index_figures(g: Gathered, s: Setting) -> dict[str, Quantity]:
    """The index and what it takes to fill it; nothing where there is none."""
    if not has_index(s):
        return {}
    index_memory(g, s)
    figures = g.show("vectors", "vector_index_memory", "index_build_memory", "index_storage")
    embedder = next((each for each in s.plan.components if each.role == "embedder" and each.recommended is not None), None)
    if embedder is not None and embedder.recommended is not None:
        speed = embedder.recommended.estimates.get("items_per_second")
        tokens = embedder.facts.get("tokens_per_item")
        if speed is not None and tokens is not None:
            rate = speed.value * embedder.recommended.accelerators * float(tokens.value) / g.number("chunk_tokens")
            g.give(
                "embedding_rate",
                rate,
                f"{embedder.model.name} on its {embedder.recommended.accelerators} accelerators, by tokens",
            )
            figures |= g.show("embedding_time")
    return figures


def _facts(g: Gathered, s: Setting) -> None:
    data = s.workload.data
    assert data is not None
    _corpus(g, data)
    if not g.state("chunk_tokens", data.chunk_tokens, "data.chunk_tokens"):
        g.constants("chunk_tokens")
    if not g.state("chunk_overlap", data.chunk_overlap, "data.chunk_overlap"):
        g.constants("chunk_overlap")
    g.give("vectors_per_chunk", 1.0, "one vector for each piece", label=Label.assumed)
    if not g.state("dimensions", data.vector_width, "data.vector_width"):
        width = next(
            (
                step.value
                for each in s.plan.components
                if each.role == "embedder" and (step := each.trace.get("hidden")) is not None
            ),
            None,
        )
        if isinstance(width, int | float):
            g.give("dimensions", float(width), "the width of the embedder", label=Label.catalogue)
        else:
            g.give("dimensions", _USUAL_WIDTH, "a usual width of embeddings", label=Label.assumed)
    g.give("component_bits", 32.0, "as embedders give them; 8 bit takes a quarter", label=Label.assumed)
    g.give("vector_engine", "hnswlib", "links and vectors alone; engines add 20 to 50 %", label=Label.assumed)
    g.give("index_kind", "graph", "a graph index in memory", label=Label.assumed)
    g.constants("graph_links", *RETRIEVAL_CONSTANTS, "text_bytes_per_token", "index_copies")
    payload = g.number("corpus_tokens") * g.number("text_bytes_per_token")
    g.give("payload_bytes", payload, "the texts that the vectors lead to")


def _corpus(g: Gathered, data: Data) -> None:
    if g.state("corpus_tokens", data.tokens, "data.tokens"):
        return
    g.constants("document_tokens")
    tokens = float(data.documents or 0) * g.number("document_tokens")
    g.give("corpus_tokens", tokens, "data.documents, each of the length assumed", label=Label.assumed)
