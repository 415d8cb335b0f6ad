"""Knowledge, read-only: a list and an entry of every kind that the library holds."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import Response

from advisor.api.errors import Refused, declared
from advisor.api.pages import answer, as_example, page, page_of
from advisor.api.parameters import LibraryGiven, ListParameters, ListQuery, id_in_path
from advisor.errors import UnknownNameError
from advisor.library import Library
from advisor.library.kinds import KINDS, Kind

router = APIRouter(prefix="/v1", tags=["knowledge"])

# An entry of each kind that stands in the OpenAPI document; a kind without one is served all the same.
EXAMPLE_IDS = {
    "sources": "kwon-2023-pagedattention",
    "accelerators": "h100-sxm",
    "models": "llama-3.1-70b",
    "formats": "bf16",
    "engines": "vllm",
    "launch": "vllm",
    "training_tools": "trl",
    "efficiencies": "sampler_copies",
    "servers": "dell_xe9680_h100",
    "networks": "neuronlink_v2",
    "storage": "ebs_gp3",
    "licences": "vcf",
    "prices": "aws/g4dn.12xlarge/us-east-1",
    "presets": "chat-assistant",
    "parts": "connectx-7",
    "quote_words": "en",
    "questions": "active-share",
    "words": "en",
    "symptoms": "one-request-at-a-time",
    "statements": "levels-no-averages",
    "inquiries": "sharding",
    "terms": "ttft",
    "guidance": "G037",
    "rules": "PAR-002",
}


def _serve(kind: Kind) -> None:
    def every(library: LibraryGiven, chosen: ListQuery) -> Response:
        return answer(_page(library, kind, chosen))

    def one(library: LibraryGiven, id: Annotated[str, id_in_path(EXAMPLE_IDS.get(kind.name, ""))]) -> Response:
        try:
            return answer(library.get(kind.record, id))
        except UnknownNameError as error:
            raise Refused("no-such-entry", error) from None

    said = (kind.record.__doc__ or "").strip()
    router.add_api_route(
        f"/{kind.name}",
        every,
        response_model=page_of(kind.record),
        responses=declared("parameter", "unknown-name"),
        operation_id=f"list_{kind.name}",
        summary=f"List {kind.name}",
        description=f"Every {kind.singular}, or those that contain all words of `q`, in pages. Quantities are in base units, "
        f"which `units` names where there are any; what an entry does not state is left out.\n\n{said}",
    )
    # Ids of prices hold slashes.
    router.add_api_route(
        f"/{kind.name}/{{id:path}}",
        one,
        response_model=kind.record,
        responses=declared("no-such-entry"),
        operation_id=f"get_{kind.singular.replace(' ', '_')}",
        summary=f"One {kind.singular}",
        description=f"The {kind.singular} with this id; an unknown id is answered with the nearest ones.\n\n{said}",
    )


for _kind in KINDS:
    _serve(_kind)


def examples(library: Library) -> dict[str, Any]:
    """One entry of each kind, and the first of its list."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        found[f"list_{kind.name}"] = as_example(_page(library, kind, ListParameters(limit=1)))
        if library.has(kind.record, EXAMPLE_IDS.get(kind.name, "")):
            entry = library.get(kind.record, EXAMPLE_IDS[kind.name])
            found[f"get_{kind.singular.replace(' ', '_')}"] = as_example(entry)
    return found


def _page(library: Library, kind: Kind, chosen: ListParameters) -> Any:
    ids = library.ids(kind.record)
    if not chosen.q.strip():
        return page(kind.record, ids, chosen, lambda id: library.get(kind.record, id))
    return page(kind.record, library.search(kind.record, chosen.q, limit=len(ids)), chosen, lambda record: record)
