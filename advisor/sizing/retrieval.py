"""Retrieval: chunks, embedding time, memory of a vector index by engine, search, and the load of a reranker.

One shape covers the rules that engines publish: vectors, the links of a graph, something fixed for each vector, and an overhead
over all. vector_engine chooses the constants: hnswlib, faiss, qdrant, pgvector, scylladb.
"""

from advisor.sizing.formula import cite, formula
from advisor.units import (
    Bytes,
    BytesPerSecond,
    Count,
    CountPerSecond,
    Ratio,
    RequestsPerSecond,
    Seconds,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    ceil,
    floor,
    maximum,
)

_QDRANT = cite("qdrant-capacity-planning", "memory of a collection")
_PGVECTOR = cite("pgvector-issue-745", "the maintainer's rule")
_SCYLLA = cite("scylladb-vector-sizing", "index memory")
_HNSWLIB = cite("hnswlib-parameters", "memory of M")
_FAISS = cite("faiss-indexes", "bytes per vector")


@formula()
def chunks(corpus_tokens: Tokens, chunk_tokens: Tokens, chunk_overlap: Tokens) -> Count:
    """Pieces a corpus is cut into, each beginning before the last one ends."""
    return ceil(corpus_tokens / (chunk_tokens - chunk_overlap))


@formula(sources=[cite("mcp-vector-search-issue-124", "232,047 chunks on a T4")])
def embedding_time(chunks: Count, embedding_rate: CountPerSecond) -> Seconds:
    """Time to embed a corpus once. A queue that starves the accelerator makes it hundreds of times longer."""
    return chunks / embedding_rate


@formula(sources=[_QDRANT])
def vectors(chunks: Count, vectors_per_chunk: Count) -> Count:
    """Vectors in the index: one for every chunk, more for models that embed tokens one by one or several views of a text."""
    return chunks * vectors_per_chunk


@formula(sources=[_QDRANT, _FAISS])
def raw_vector_memory(vectors: Count, dimensions: Count, component_bits: Count) -> Bytes:
    """The vectors alone, as a flat index holds them; 32 bit as models give them, 16, 8 or 1 when quantized."""
    return vectors * dimensions * component_bits / 8


@formula(
    sources=[
        _HNSWLIB,
        _FAISS,
        _QDRANT,
        _PGVECTOR,
        _SCYLLA,
        cite("langchain-chatchat-issue-931", "5M vectors of 768"),
        cite("hnswlib-issue-141", "2M vectors of 800"),
    ]
)
def vector_index_memory(
    vectors: Count,
    dimensions: Count,
    component_bits: Count,
    graph_links: Count,
    graph_link_bytes: Bytes,
    vector_overhead_bytes: Bytes,
    index_overhead: Ratio,
) -> Bytes:
    """Memory of a graph index (HNSW): vectors, links, and what the engine adds.

    graph_links is the parameter M. The graph must stay in memory to be fast; an input in 64 bit that is kept beside the index
    explains most reports of several times as much.
    """
    return vectors * (dimensions * component_bits / 8 + graph_links * graph_link_bytes + vector_overhead_bytes) * index_overhead


@formula(sources=[cite("malkov-2016-hnsw", "section 4.2.3: memory, 60 to 450 bytes for M from 6 to 48")])
def graph_bytes_per_vector(
    bottom_layer_links: Count, level_factor: Ratio, upper_layer_links: Count, link_identifier_bytes: Bytes
) -> Bytes:
    """Bytes of a hierarchical graph for each vector, by the layers of the graph instead of an engine's rule.

    bottom_layer_links is usually twice the parameter M and upper_layer_links M; level_factor, the mean number of upper layers a
    vector is in, is best at 1 / ln(M).
    """
    return (bottom_layer_links + level_factor * upper_layer_links) * link_identifier_bytes


@formula(of="vector_index_memory", when='index_kind == "flat"', sources=[_FAISS])
def vector_index_memory_flat(raw_vector_memory: Bytes) -> Bytes:
    """A flat index holds the vectors and nothing else, and compares a query with all of them."""
    return 1 * raw_vector_memory


@formula(of="vector_index_memory", when='index_kind == "ivf-pq"', sources=[_FAISS])
def vector_index_memory_product(
    vectors: Count, product_parts: Count, product_bits: Count, identifier_bytes: Bytes, dimensions: Count, inverted_lists: Count
) -> Bytes:
    """An inverted file of product-quantized codes: a code and an identifier for each vector, codebooks, and list centres.

    Codebooks hold 2**product_bits centres of 4-byte components for every part, which together are as long as a vector.
    """
    return (
        vectors * (product_parts * product_bits / 8 + identifier_bytes)
        + 4 * dimensions * 2**product_bits
        + 4 * dimensions * inverted_lists
    )


@formula(sources=[cite("pgvector-issue-370", "one page per vector")])
def paged_index_size(
    vectors: Count, dimensions: Count, component_bits: Count, vector_overhead_bytes: Bytes, page_bytes: Bytes
) -> Bytes:
    """Size on disk of an index in a database of fixed pages: whole vectors on a page, so that long ones waste most of theirs."""
    return ceil(vectors / maximum(1, floor(page_bytes / (dimensions * component_bits / 8 + vector_overhead_bytes)))) * page_bytes


@formula(sources=[_HNSWLIB])
def index_build_memory(vector_index_memory: Bytes, build_memory_factor: Ratio) -> Bytes:
    """Memory while the index is built: the input stands beside the copy in the index."""
    return vector_index_memory * build_memory_factor


@formula()
def index_storage(vector_index_memory: Bytes, payload_bytes: Bytes, index_copies: Count) -> Bytes:
    """Disk for the index with the texts it leads to, in every copy, snapshots included."""
    return (vector_index_memory + payload_bytes) * index_copies


@formula()
def search_nodes(vector_index_memory: Bytes, node_index_memory: Bytes, index_replicas: Count) -> Count:
    """Nodes that hold the index in memory, each replica whole."""
    return ceil(vector_index_memory / node_index_memory) * index_replicas


@formula(sources=[cite("williams-2009-roofline", "memory bound")])
def flat_search_rate(host_memory_bandwidth: BytesPerSecond, raw_vector_memory: Bytes) -> CountPerSecond:
    """Most queries a second, one at a time, that compare all vectors: each reads them once."""
    return host_memory_bandwidth / raw_vector_memory


@formula()
def reranked_token_rate(
    retrieval_queries_per_second: RequestsPerSecond, rerank_candidates: Count, candidate_tokens: TokensPerRequest
) -> TokensPerSecond:
    """Tokens a second that a reranker reads: every candidate with the query. Often the load nobody planned for."""
    return retrieval_queries_per_second * rerank_candidates * candidate_tokens


@formula()
def reranker_accelerators(
    reranked_token_rate: TokensPerSecond, reranker_token_rate: TokensPerSecond, target_utilisation: Ratio
) -> Count:
    """Accelerators for the reranker; reranker_token_rate is what one reads in a second."""
    return ceil(reranked_token_rate / (reranker_token_rate * target_utilisation))


@formula()
def retrieval_prompt_tokens(
    question_tokens: TokensPerRequest, retrieved_chunks: Count, chunk_tokens: Tokens, instruction_tokens: TokensPerRequest
) -> TokensPerRequest:
    """Tokens of the prompt that the answering model gets: instructions, what was retrieved, and the question."""
    return instruction_tokens + retrieved_chunks * chunk_tokens + question_tokens
