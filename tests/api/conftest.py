"""The application of the shipped library, and a client that gets failures as answers."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from advisor.api.app import create_app
from advisor.library import Library


@pytest.fixture(scope="session")
def app(library: Library) -> FastAPI:
    return create_app(library)


@pytest.fixture(scope="session")
def client(app: FastAPI) -> TestClient:
    return TestClient(app, raise_server_exceptions=False)
