"""Who may call what: a scope for every path, declared once for the gate and for the OpenAPI document."""

from dataclasses import dataclass

SCOPES = {
    "knowledge": "read the catalogue, rules, formulas, questions, sources and schemas",
    "plan": "make, explain and compare plans, and check quotes",
    "keep": "keep plans, and list, read and delete one's own kept plans",
    "metrics": "read the service's own figures",
}
_OPEN = ("/healthz", "/readyz", "/version", "/docs", "/openapi.json", "/problems")
_OF_PREFIX = (
    ("/v1/plans/explain", "plan"),
    ("/v1/plans/", "keep"),
    ("/v1/compare", "plan"),
    ("/v1/checks", "plan"),
    ("/metrics", "metrics"),
)


@dataclass(frozen=True)
class Caller:
    """Who calls. owner: whose kept plans these are; key: the id of the key, where there is one."""

    owner: str
    scopes: frozenset[str]
    key: str | None = None


EVERYBODY = Caller(owner="local", scopes=frozenset(SCOPES))
"""The caller where no keys are asked for."""


def scope_of(method: str, path: str) -> str | None:
    """The scope that a request needs; None for what anybody may read. A path that nobody has declared needs `knowledge`."""
    if path in _OPEN or path.startswith("/problems/"):
        return None
    if path == "/v1/plans":
        return "plan" if method == "POST" else "keep"
    return next((scope for prefix, scope in _OF_PREFIX if path.startswith(prefix)), "knowledge")


def is_audited(method: str, path: str) -> bool:
    """Whether a row is written of the request: of everything but reading knowledge and the service's own figures."""
    return scope_of(method, path) in ("plan", "keep")
