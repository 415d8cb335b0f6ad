"""The knowledge is browsed by kind, in pages, by words and by id."""

import pytest
from fastapi.testclient import TestClient

import advisor
from advisor.api.routes.knowledge import EXAMPLE_IDS
from advisor.library import Library
from advisor.library.kinds import KINDS, Kind
from advisor.library.quantities import units_of
from advisor.plan.plan import plan_schema
from advisor.sizing.formula import all_formulas
from advisor.workload.writing import document_schema


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_entry_is_listed_once_and_served_by_its_id(client: TestClient, library: Library, kind: Kind) -> None:
    listed: list[str] = []
    while True:
        page = client.get(f"/v1/{kind.name}", params={"limit": 200, "offset": len(listed)}).json()
        listed += [item["id"] for item in page["items"]]
        if not page["items"]:
            break
    assert tuple(listed) == library.ids(kind.record)
    assert page["total"] == len(listed)
    first = client.get(f"/v1/{kind.name}", params={"limit": 1}).json()["items"][0]
    assert client.get(f"/v1/{kind.name}/{first['id']}").json() == first


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_unknown_id_is_answered_with_the_nearest(client: TestClient, kind: Kind) -> None:
    id = EXAMPLE_IDS[kind.name]
    assert client.get(f"/v1/{kind.name}/{id}").json()["id"] == id
    answered = client.get(f"/v1/{kind.name}/{id}x")
    assert (answered.status_code, answered.json()["type"]) == (404, "/problems/no-such-entry")
    assert id in answered.json()["nearest"]


def test_words_find_entries(client: TestClient) -> None:
    page = client.get("/v1/models", params={"q": "llama 70b", "limit": 2}).json()
    assert len(page["items"]) == 2 < page["total"]
    rest = client.get("/v1/models", params={"q": "llama 70b", "offset": 2}).json()
    assert page["total"] == rest["total"] == 2 + len(rest["items"])
    assert client.get("/v1/models", params={"q": "nobody called a model this"}).json()["total"] == 0


def test_prices_and_sources_are_found_by_what_people_know_of_them(client: TestClient) -> None:
    assert client.get("/v1/prices", params={"q": "h100 aws"}).json()["total"] >= 2
    assert [item["id"] for item in client.get("/v1/sources", params={"q": "kwon"}).json()["items"]] == [EXAMPLE_IDS["sources"]]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_lists_name_the_units_of_their_quantities(client: TestClient, kind: Kind) -> None:
    page = client.get(f"/v1/{kind.name}", params={"limit": 1}).json()
    assert page.get("units", {}) == units_of(kind.record)


def test_units_of_prices_and_accelerators(client: TestClient) -> None:
    prices = client.get("/v1/prices", params={"limit": 1}).json()["units"]
    assert (prices["on_demand"], prices["memory"]) == ("USD/second", "byte")
    accelerators = client.get("/v1/accelerators", params={"limit": 1}).json()["units"]
    assert (accelerators["compute"], accelerators["scale_up.bandwidth"]) == ("FLOP/second", "byte/second")
    assert "units" not in client.get("/v1/rules", params={"limit": 1}).json()


@pytest.mark.parametrize("q", ['"', "' OR 1=1 --", "*", "a AND", "NEAR(", "\0", "ſ", "x" * 200, "-"])
def test_any_words_are_only_words(client: TestClient, q: str) -> None:
    assert client.get("/v1/models", params={"q": q}).status_code == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"limit": 0}, "query, limit"),
        ({"limit": 201}, "query, limit"),
        ({"limit": "ten"}, "query, limit"),
        ({"offset": -1}, "query, offset"),
        ({"q": "x" * 201}, "query, q"),
    ],
)
def test_parameters_out_of_range(client: TestClient, query: dict[str, str | int], said: str) -> None:
    answered = client.get("/v1/models", params=query)
    assert (answered.status_code, answered.json()["where"]) == (422, said)


def test_a_misspelt_parameter_is_not_ignored(client: TestClient) -> None:
    problem = client.get("/v1/models", params={"ofset": 10}).json()
    assert problem["detail"] == 'there is no query parameter "ofset"'
    assert problem["nearest"] == ["offset"]
    assert client.get("/v1/models", params={"page": 2}).json()["hint"] == "parameters are q, limit, offset"


def test_every_formula_is_served_with_its_equation(client: TestClient) -> None:
    known = all_formulas().formulas
    pages = [client.get("/v1/formulas", params={"limit": 200, "offset": begin}).json() for begin in range(0, len(known), 200)]
    items = [item for page in pages for item in page["items"]]
    assert [item["name"] for item in items] == sorted(known)
    for item in items:
        variants = known[item["name"]]
        assert len(item["variants"]) + ("equation" in item) == len(variants)
        assert {variant["applies"] for variant in item["variants"]} == {each.condition_text for each in variants if each.when}
        assert client.get(f"/v1/formulas/{item['name']}").json() == item


def test_a_formula_with_units_sources_and_variants(client: TestClient) -> None:
    found = client.get("/v1/formulas/resident_tables").json()
    assert (found["equation"], found["unit"]) == ("1 + untied_head", "1")
    assert found["parameters"] == [{"name": "untied_head", "unit": "1", "formula": False}]
    assert found["variants"][0]["applies"] == 'engine_family == "llama.cpp"'
    assert found["variants"][0]["sources"]
    assert client.get("/v1/formulas/kv_cach").json()["nearest"][0] == "kv_cache"
    assert client.get("/v1/formulas", params={"q": "expert padding"}).json()["total"] >= 1


def test_schemas(client: TestClient) -> None:
    assert client.get("/v1/schema/plan").json() == plan_schema()
    assert client.get("/v1/schema/document").json() == document_schema()
    assert client.get("/v1/schema/validation").json()["title"] == "Validation"
    unknown = client.get("/v1/schema/documents")
    assert (unknown.status_code, unknown.json()["nearest"]) == (404, ["document"])


def test_health_and_version(client: TestClient, library: Library) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    made_with = {"code": advisor.__version__, "knowledge": library.knowledge_id, "rules": library.rules_id}
    assert client.get("/version").json() == made_with
