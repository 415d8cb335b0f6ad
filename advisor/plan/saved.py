"""Reading a plan that was kept as JSON, as `advisor plan --json` writes it."""

import json

from pydantic import ValidationError

from advisor.errors import DocumentError
from advisor.plan.estate_records import EstateReport
from advisor.plan.plan import SCHEMA_VERSION, Plan
from advisor.workload.refusal import shorten

# A plan of one workload takes about 120 kB; this holds more than a hundred.
LARGEST = 20_000_000
_AGAIN = "make it again with this release: advisor plan FILE --json -o PLAN"
# A document has no such key, so the two are never mistaken for one another.
_MARK = b'"schema_version"'


def is_saved_plan(content: bytes) -> bool:
    """Whether the content is meant as a kept plan rather than as a workload document."""
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK in content


def read_saved_plan(content: bytes, where: str) -> Plan:
    """The plan. Raises DocumentError for JSON that is not whole, or of another schema version, or not as a plan is written."""
    if len(content) > LARGEST:
        raise DocumentError(f"it is larger than {LARGEST // 1_000_000} MB", where=where, hint="no plan is; compare a part of it")
    try:
        plan = Plan.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        raise _not_a_plan(error, where) from None
    if plan.schema_version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise DocumentError(
            f"it is a plan of schema version {shorten(plan.schema_version)}; this release reads {SCHEMA_VERSION}",
            where=where,
            hint=_AGAIN,
        )
    return plan


def read_saved_estate(content: bytes, where: str) -> EstateReport:
    """The estate that a kept plan holds; the rest of it is not looked at. Raises DocumentError where there is none."""
    try:
        body = json.loads(content.removeprefix(b"\xef\xbb\xbf"))
        version, estate = (body.get("schema_version"), body.get("estate")) if isinstance(body, dict) else (None, None)
    except (ValueError, RecursionError):
        raise DocumentError("it is not whole JSON", where=where, hint=_AGAIN) from None
    if estate is None or str(version).split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise DocumentError(f"it is no plan of several workloads, of schema version {SCHEMA_VERSION}", where=where, hint=_AGAIN)
    try:
        return EstateReport.model_validate_json(json.dumps(estate))
    except ValidationError as error:
        raise _not_a_plan(error, where) from None


def _not_a_plan(error: ValidationError, where: str) -> DocumentError:
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return DocumentError("it begins like a saved plan, and is not whole JSON", where=where, hint=_AGAIN)
    place = ".".join(str(part) for part in first["loc"])
    return DocumentError(
        f"it is not a saved plan of schema version {SCHEMA_VERSION}: {first['msg'][:1].lower()}{first['msg'][1:]}",
        where=f"{where}, {place}" if place else where,
        hint=_AGAIN,
    )
