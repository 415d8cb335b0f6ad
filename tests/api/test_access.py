"""Who may call what: every route with no key, a wrong one, a wrong scope, an expired and a revoked key, and another's plans."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI
from fastapi.testclient import TestClient
from jwt.algorithms import RSAAlgorithm

from advisor.api.app import create_app
from advisor.api.description import operations
from advisor.api.examples import ASSISTANT
from advisor.api.running import Running
from advisor.api.scopes import SCOPES, is_audited, scope_of
from advisor.api.settings import Settings
from advisor.errors import InputError
from advisor.library import Library

EVERYTHING = frozenset(SCOPES)
ISSUER, AUDIENCE = "https://login.example.org", "advisor"


@pytest.fixture(scope="module")
def signing_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def guarded(library: Library, signing_key: rsa.RSAPrivateKey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    folder = tmp_path_factory.mktemp("guarded")
    public = json.loads(RSAAlgorithm.to_jwk(signing_key.public_key()))
    (folder / "jwks.json").write_text(json.dumps({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}))
    settings = Settings(
        keys_required=True,
        database=folder / "api.sqlite",
        requests_per_minute=1e6,
        burst=100_000,
        failed_logins_per_minute=1e6,
        token_issuer=ISSUER,
        token_audience=AUDIENCE,
        token_keys=str(folder / "jwks.json"),
    )
    app = create_app(library, settings)
    yield app
    app.state.running.close()


@pytest.fixture(scope="module")
def running(guarded: FastAPI) -> Running:
    found = guarded.state.running
    assert isinstance(found, Running)
    return found


@pytest.fixture(scope="module")
def caller(guarded: FastAPI) -> TestClient:
    return TestClient(guarded, raise_server_exceptions=False)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def routes(app: FastAPI) -> list[tuple[str, str]]:
    described = app.openapi()
    filled = {"{id}": "x", "{quantity}": "kv_cache", "{name}": "x", "{what}": "plan", "{slug}": "internal"}
    found = []
    for path, methods in described["paths"].items():
        for name, value in filled.items():
            path = path.replace(name, value)
        found += [(method.upper(), path) for method in methods]
    return found


def refusal(client: TestClient, method: str, path: str, headers: dict[str, str]) -> tuple[int, str]:
    answered = client.request(method, path, headers=headers)
    return answered.status_code, answered.json()["type"]


def test_every_route_wants_a_key_with_its_scope(guarded: FastAPI, caller: TestClient, running: Running) -> None:
    keeping = running.keeping
    expired = keeping.add_key("portal", EVERYTHING, time.time() - 1)
    revoked = keeping.add_key("portal", EVERYTHING, None)
    keeping.revoke(revoked.split("_")[1])
    good = keeping.add_key("portal", EVERYTHING, None)
    tampered = good[:-1] + ("A" if good[-1] != "A" else "B")
    lacking = {scope: keeping.add_key("portal", EVERYTHING - {scope}, None) for scope in SCOPES}
    guarded_routes = [each for each in routes(guarded) if scope_of(*each) is not None]
    assert len(guarded_routes) > 40
    for method, path in guarded_routes:
        scope = scope_of(method, path)
        assert scope is not None
        unknown = (401, "/problems/not-authenticated")
        assert refusal(caller, method, path, {}) == unknown, path
        for key in (expired, revoked, tampered, "adv_x_y", "nonsense", "adv_", ""):
            assert refusal(caller, method, path, bearer(key)) == unknown, (path, key)
        assert refusal(caller, method, path, bearer(lacking[scope])) == (403, "/problems/not-allowed"), path
        passed = caller.request(method, path, headers={"X-API-Key": good})
        assert passed.status_code not in (401, 403), path


def test_open_routes_want_none(guarded: FastAPI, caller: TestClient) -> None:
    open_routes = [each for each in routes(guarded) if scope_of(*each) is None]
    assert {path for _, path in open_routes} == {"/healthz", "/readyz", "/version", "/problems", "/problems/internal"}
    for method, path in [*open_routes, ("GET", "/docs"), ("GET", "/openapi.json")]:
        assert caller.request(method, path).status_code == 200, path


def test_the_document_tells_the_scopes(guarded: FastAPI) -> None:
    for operation in operations(guarded.openapi()):
        declared = operation["security"]
        assert ("401" in operation["responses"]) == bool(declared)


def test_a_plan_is_its_owners_alone(caller: TestClient, running: Running) -> None:
    mine, yours = (bearer(running.keeping.add_key(owner, EVERYTHING, None)) for owner in ("ada", "bob"))
    kept = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=mine)
    id = kept.headers["plan-id"]
    assert (kept.status_code, kept.headers["location"]) == (201, f"/v1/plans/{id}")
    again = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=mine)
    assert (again.status_code, again.headers["plan-id"]) == (200, id)
    other = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=yours)
    assert other.headers["plan-id"] != id
    read = caller.get(f"/v1/plans/{id}", headers=mine)
    assert read.content == again.content
    assert caller.get(f"/v1/plans/{id}", headers={**mine, "If-None-Match": read.headers["etag"]}).status_code == 304
    assert caller.get("/v1/plans", headers=mine).json()["total"] == 1
    assert caller.get(f"/v1/plans/{id}/document", headers=mine).json()["name"] == "Staff assistant"
    explained = caller.get(f"/v1/plans/{id}/explain/kv_cache", headers=mine).json()
    assert explained["steps"]["kv_cache"]["value"] > 0
    assert caller.get(f"/v1/plans/{id}", headers={**mine, "Accept": "text/markdown"}).text.startswith("#")
    for method, path in (("GET", ""), ("GET", "/document"), ("GET", "/explain/kv_cache"), ("DELETE", "")):
        assert refusal(caller, method, f"/v1/plans/{id}{path}", yours) == (404, "/problems/no-such-entry")
    assert caller.delete(f"/v1/plans/{id}", headers=mine).status_code == 204
    assert caller.get(f"/v1/plans/{id}", headers=mine).status_code == 404
    rows = running.keeping.audited("ada")
    assert [row.status for row in rows if row.plan == id][:2] == [201, 200]
    assert rows[-1].plan == id
    assert all(is_audited(row.method, row.path) and row.key and row.request for row in rows)


def test_keeping_needs_its_own_scope(caller: TestClient, running: Running) -> None:
    key = bearer(running.keeping.add_key("eve", frozenset({"plan"}), None))
    assert caller.post("/v1/plans", json=ASSISTANT, headers=key).status_code == 200
    assert caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=key).status_code == 403


def test_the_same_request_twice_is_done_once(caller: TestClient, running: Running) -> None:
    key = {**bearer(running.keeping.add_key("cyd", EVERYTHING, None)), "Idempotency-Key": "one"}
    first = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=key)
    second = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.headers["idempotency-replayed"] == "true"
    assert second.content == first.content
    changed = caller.post("/v1/plans", params={"keep": "true"}, json={**ASSISTANT, "name": "Other"}, headers=key)
    assert (changed.status_code, changed.json()["type"]) == (422, "/problems/same-key-other-request")
    refused = {**key, "Idempotency-Key": "two"}
    assert caller.post("/v1/plans", params={"keep": "true"}, json={}, headers=refused).status_code == 422
    assert caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers=refused).status_code == 200
    running.keeping.claim("cyd", "three", b"", stale=60).result()
    held = caller.post("/v1/plans", params={"keep": "true"}, json=ASSISTANT, headers={**key, "Idempotency-Key": "three"})
    assert held.json()["type"] == "/problems/same-key-other-request"


def token(key: rsa.RSAPrivateKey, **changed: Any) -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": time.time() + 300, "scope": "plan keep other", **changed}
    return jwt.encode({name: value for name, value in claims.items() if value is not None}, key, "RS256", headers={"kid": "one"})


def test_a_token_of_the_issuer(caller: TestClient, signing_key: rsa.RSAPrivateKey) -> None:
    for _ in range(2):
        assert caller.get("/v1/plans", headers=bearer(token(signing_key))).json()["total"] == 0
    assert caller.get("/v1/rules", headers=bearer(token(signing_key))).status_code == 403


@pytest.mark.parametrize(
    "changed",
    [{"exp": 1}, {"exp": None}, {"iss": "https://other.example.org"}, {"aud": "other"}, {"sub": None}, {"aud": None}],
)
def test_a_token_that_is_not_right(caller: TestClient, signing_key: rsa.RSAPrivateKey, changed: dict[str, Any]) -> None:
    assert caller.get("/v1/plans", headers=bearer(token(signing_key, **changed))).status_code == 401


def test_a_token_signed_by_somebody_else(caller: TestClient) -> None:
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    unsigned = jwt.encode({"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": time.time() + 300}, "", "none")
    for each in (token(other), unsigned, token(other)[:-4], "a.b.c"):
        assert caller.get("/v1/plans", headers=bearer(each)).status_code == 401


def test_no_secret_is_kept(running: Running, tmp_path: Path) -> None:
    text = running.keeping.add_key("zoe", EVERYTHING, None)
    path = running.settings.database
    assert path is not None
    kept = b"".join(each.read_bytes() for each in path.parent.glob("api.sqlite*"))
    assert text.split("_")[1].encode() in kept
    assert text.split("_", 2)[2].encode() not in kept
    assert path.stat().st_mode & 0o077 == 0


def test_an_issuer_without_keys_is_refused(library: Library, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="token_keys"):
        create_app(library, Settings(token_issuer=ISSUER, token_audience=AUDIENCE, token_keys=str(tmp_path / "none")))
