"""A review as SARIF 2.1.0 (OASIS), the form in which code hosts and editors take findings."""

import json
import re
from urllib.parse import quote as uri_path

import advisor
from advisor.plan.quote_check import Finding, Review

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LINE = re.compile(r"line (\d+)\b")


def review_sarif(review: Review, name: str) -> str:
    """The findings as one run. name: the file or stream the quote came from. A code is a rule; the place of a finding is a
    logical location, and a line of the file where it names one."""
    codes = review.codes
    run = {
        "tool": {"driver": {"name": "advisor", "version": advisor.__version__, "rules": [_rule(review, code) for code in codes]}},
        "results": [_result(finding, codes, uri_path(name)) for finding in review.findings],
        "properties": {"verdict": review.verdict},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(review: Review, code: str) -> dict[str, object]:
    first = next(each for each in review.findings if each.code == code)
    return {"id": code, "shortDescription": {"text": first.message}}


def _result(finding: Finding, codes: tuple[str, ...], uri: str) -> dict[str, object]:
    line = _LINE.match(finding.where)
    physical: dict[str, object] = {"artifactLocation": {"uri": uri}}
    if line:
        physical["region"] = {"startLine": int(line[1])}
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.severity,
        "message": {"text": f"{finding.message}. {finding.advice} {finding.because}"},
        "locations": [{"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": finding.where}]}],
        "properties": {"rule": finding.rule, "sources": list(finding.sources)},
    }
