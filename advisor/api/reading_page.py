"""The OpenAPI document as one page for reading: plain HTML with nothing loaded from anywhere, so that it works offline."""

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
details { border-top: 1px solid #8884; padding: .4rem 0; } summary { cursor: pointer; }
pre { overflow: auto; max-height: 24rem; padding: .6rem; background: #8881; font-size: .85rem; }
table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0; }
.method { display: inline-block; min-width: 3.2rem; font-weight: 700; } :root { color-scheme: light dark; }
"""


def reading_page(described: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document: its operations by tag, with parameters, examples and answers, then its schemas."""
    info = described["info"]
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(info['title'])}</title><style>{_STYLE}</style>",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>{_prose(info['description'])}",
        "<p>The same for programs: <a href=openapi.json>openapi.json</a></p>",
    ]
    for tag in described["tags"]:
        parts.append(f"<h2>{escape(tag['name'])}</h2>{_prose(tag['description'])}")
        parts += [_operation(method, path, each) for method, path, each in _operations(described) if tag["name"] in each["tags"]]
    parts.append("<h2>schemas of the parts</h2>")
    for name, schema in sorted(described["components"]["schemas"].items()):
        parts.append(f'<details id="{escape(name)}"><summary>{escape(name)}</summary>{_json(schema)}</details>')
    return "\n".join(parts)


def _operations(described: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    heading = f"<span class=method>{method}</span><code>{escape(path)}</code> {escape(operation['summary'])}"
    parts = [f'<details id="{escape(operation["operationId"])}"><summary>{heading}</summary>{_prose(operation["description"])}']
    if operation.get("parameters"):
        parts.append(_parameters(operation["parameters"]))
    if "requestBody" in operation:
        body = operation["requestBody"]
        parts.append(f"<h4>Body</h4>{_prose(body['description'])}{_content(body['content'])}")
    for status, response in operation["responses"].items():
        parts.append(f"<h4>{escape(status)}</h4>{_prose(response['description'])}{_content(response.get('content', {}))}")
    return "".join(parts) + "</details>"


def _parameters(parameters: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(each['name'])}</code><td>{escape(each['in'])}{', needed' if each.get('required') else ''}"
        f"<td>{_prose(each.get('description', ''))}<td>{_sample(each.get('schema', {}))}"
        for each in parameters
    )
    return f"<h4>Parameters</h4><table><tr><th>name<th>in<th>meaning<th>such as{rows}</table>"


def _sample(schema: Mapping[str, Any]) -> str:
    return "".join(f"<code>{escape(str(each))}</code>" for each in schema.get("examples", ())[:1])


def _content(content: Mapping[str, Any]) -> str:
    parts = []
    for media_type, each in content.items():
        reference = each["schema"].get("$ref", "").rpartition("/")[2]
        link = f', <a href="#{escape(reference)}">{escape(reference)}</a>' if reference else ""
        parts.append(f"<p>{escape(media_type)}{link}</p>")
        parts += [_json(example["value"]) for example in each.get("examples", {}).values()]
        parts += [_json(each["example"])] if "example" in each else []
    return "".join(parts)


def _json(data: Any) -> str:
    return f"<pre>{escape(json.dumps(data, indent=2, ensure_ascii=False))}</pre>"


def _prose(text: str) -> str:
    """Paragraphs with `code` and **strong** words: the little Markdown that descriptions use."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    marked = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", marked)
    return "".join(f"<p>{paragraph}</p>" for paragraph in marked.split("\n\n") if paragraph.strip())
