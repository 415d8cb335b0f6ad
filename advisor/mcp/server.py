"""The server of tools: each translates, calls the same door as the command line and the API, and answers with its records."""

from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import advisor
from advisor.catalogue.names import nearest
from advisor.errors import AdvisorError, UnknownNameError
from advisor.library import Library
from advisor.library.kinds import KINDS
from advisor.plan.explaining import quantity_named, tree, workload_named
from advisor.plan.making import make_plan
from advisor.plan.models import CATALOGUE_ONLY
from advisor.plan.quote_check import check_quote
from advisor.plan.quote_facts import recogniser_for
from advisor.quote.reading import read_quote
from advisor.report.markdown import plan_markdown
from advisor.report.review import review_markdown
from advisor.workload.reading import read_document

Result = TypeVar("Result")
_ABOUT = "Plans AI infrastructure from a workload document, checks vendor quotes, and shows how every number was made."
_MOST = 20


def create_server(library: Library) -> MCPServer[Any]:
    """The server on a library. It reads no file and no network: documents and quotes come as text."""
    server: MCPServer[Any] = MCPServer("advisor", version=advisor.__version__, instructions=_ABOUT)

    @server.tool()
    def plan(document: str) -> str:
        """Size the workloads of a document (YAML or JSON text with `workloads`, each with `kind` and `model`) and recommend
        what carries them. The answer is a report in Markdown, with the limits that bind where nothing meets them."""
        return _told(lambda: plan_markdown(make_plan(read_document(document), library, access=CATALOGUE_ONLY)))

    @server.tool()
    def check(quote: str, workload: str | None = None) -> str:
        """Say what is wrong with a vendor's quote, given as the text, CSV, YAML or JSON it was received in; `workload` is the
        document of what shall run on it. The answer is findings in Markdown, worst first."""

        def checked() -> str:
            read = read_quote(quote.encode("utf-8", "replace"), recogniser_for(library), where="quote")
            beside = read_document(workload) if workload else None
            return review_markdown(check_quote(read, library, workload=beside, access=CATALOGUE_ONLY))

        return _told(checked)

    @server.tool()
    def explain(document: str, quantity: str, workload: str | None = None) -> dict[str, Any]:
        """How a quantity of a document's plan (such as kv_cache_per_token) was made: value, unit, equation with the numbers put
        in, inputs and sources, down to answers and catalogue entries."""

        def explained() -> dict[str, Any]:
            made = workload_named(make_plan(read_document(document), library, access=CATALOGUE_ONLY), workload)
            wanted = quantity_named(made, quantity)
            steps = {name: step.model_dump(mode="json", exclude_none=True) for _, name, step, _ in tree(made, wanted)}
            return {"quantity": wanted, "workload": made.name, "steps": steps}

        return _told(explained)

    @server.tool()
    def look_up(kind: str, text: str = "") -> dict[str, Any]:
        """Entries of the knowledge that contain all words of `text`: kind is accelerators, models, servers, prices, rules,
        questions, sources and so on. Quantities are in base units (byte, second, FLOP/s, watt, USD)."""

        def found() -> dict[str, Any]:
            kinds = {each.name: each for each in KINDS}
            if kind not in kinds:
                close = nearest(kind, kinds) or tuple(kinds)
                raise UnknownNameError(f'there is no kind "{kind}"', nearest=close, where="kind")
            record = kinds[kind].record
            if text.strip():
                entries = library.search(record, text, limit=_MOST)
            else:
                entries = tuple(library.get(record, id) for id in library.ids(record)[:_MOST])
            return {"entries": [each.model_dump(mode="json", exclude_none=True, by_alias=True) for each in entries]}

        return _told(found)

    return server


def _told(task: Callable[[], Result]) -> Result:
    """The result of a task; what is refused is told to the caller in the same words as everywhere."""
    try:
        return task()
    except AdvisorError as error:
        raise ToolError(str(error)) from None
