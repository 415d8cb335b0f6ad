"""The tools as an agent's client sees them, in memory."""

import json
from pathlib import Path

import pytest
from mcp.client import Client

from advisor.library import Library
from advisor.mcp.server import create_server


@pytest.fixture(scope="module")
def document(root: Path) -> str:
    return (root / "examples" / "assistant.yaml").read_text(encoding="utf-8")


async def test_the_tools_are_described(library: Library) -> None:
    async with Client(create_server(library)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"plan", "check", "explain", "look_up"}
    assert all(len(tool.description or "") > 50 for tool in tools.values())


async def test_a_plan_and_one_of_its_numbers(library: Library, document: str) -> None:
    async with Client(create_server(library)) as client:
        planned = await client.call_tool("plan", {"document": document})
        explained = await client.call_tool("explain", {"document": document, "quantity": "KV cache"})
    assert not planned.is_error
    assert "H100" in str(planned.content)
    assert explained.structured_content is not None
    assert explained.structured_content["quantity"] == "kv_cache"


async def test_a_quote_and_a_look_up(library: Library, document: str) -> None:
    async with Client(create_server(library)) as client:
        checked = await client.call_tool("check", {"quote": "4x NVIDIA H100 PCIe 80GB; 32,000 USD each"})
        found = await client.call_tool("look_up", {"kind": "accelerators", "text": "h100 sxm"})
    assert not checked.is_error
    assert found.structured_content is not None
    assert "h100-sxm" in json.dumps(found.structured_content)


async def test_what_is_refused_is_told(library: Library) -> None:
    async with Client(create_server(library)) as client:
        refused = await client.call_tool("look_up", {"kind": "acelerators"})
        unreadable = await client.call_tool("plan", {"document": "workloads: [{kind: rag, model: lama-3}]"})
    assert refused.is_error
    assert 'did you mean "accelerators"' in str(refused.content)
    assert unreadable.is_error
    assert "Traceback" not in str(unreadable.content)
