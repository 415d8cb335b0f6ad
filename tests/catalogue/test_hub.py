"""Fetching from the hub, against a stand-in that speaks as much of it as is needed, on this machine."""

import json
import struct
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from advisor.catalogue import hub
from advisor.errors import InputError, MissingExtraError, ModelConfigError

CONFIG = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 1000,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}
TENSORS = {"a": {"dtype": "BF16", "shape": [1000, 512], "data_offsets": [0, 1_024_000]}}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _weights() -> bytes:
    header = json.dumps(TENSORS).encode()
    return struct.pack("<Q", len(header)) + header


def _quantized() -> bytes:
    return json.dumps({"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}).encode()


FILES: dict[str, dict[str, bytes]] = {
    "owner/plain": {"config.json": json.dumps(CONFIG).encode(), "model.safetensors": _weights()},
    "owner/packed": {"config.json": json.dumps(CONFIG).encode(), "hf_quant_config.json": _quantized()},
    "owner/bare": {"model.gguf": b"GGUF"},
    "owner/adapter": {"config.json": json.dumps({"peft_type": "LORA", "base_model_name_or_path": "owner/plain"}).encode()},
}
REFUSED = {"owner/gated": (403, "GatedRepo"), "owner/absent": (404, "RepoNotFound"), "owner/broken": (500, "")}


class _Hub(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        parts = self.path.split("?")[0].strip("/").split("/")
        parts = parts[2:] if parts[:2] == ["api", "models"] else parts
        repository, name = "/".join(parts[:2]), "/".join(parts[4:])
        if repository in REFUSED:
            status, code = REFUSED[repository]
            self._send(status, b"", {"X-Error-Code": code} if code else {}, with_body=with_body)
            return
        files = FILES[repository]
        if not name:  # the repository itself
            body = json.dumps({"id": repository, "sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}).encode()
            self._send(200, body, {"Content-Type": "application/json"}, with_body=with_body)
        elif name in files:
            self._send(200, files[name], {"ETag": f'"{name}"', "X-Repo-Commit": COMMIT}, with_body=with_body)
        else:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT}, with_body=with_body)

    def _send(self, status: int, body: bytes, headers: dict[str, str], *, with_body: bool) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def stand_in(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in as the hub, and a cache of its own."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.delenv("HF_TOKEN", raising=False)


@pytest.mark.usefixtures("stand_in")
def test_config_and_exact_bytes() -> None:
    found = hub.fetch_model("owner/plain")
    assert (found.model.name, found.model.id, found.model.format) == ("owner/plain", "plain", "bf16")
    assert found.model.layers == 2
    assert found.weight_bytes == 1_024_000
    assert found.elements == {"BF16": 512_000}


@pytest.mark.usefixtures("stand_in")
def test_second_file_is_fetched_too() -> None:
    found = hub.fetch_model("owner/packed")
    assert (found.model.format, found.model.kv_format) == ("fp8-e4m3-per-tensor", "fp8-e4m3-per-tensor")
    assert found.weight_bytes is None


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("hub_id", "told"),
    [
        ("owner/gated", "open only to those"),
        ("owner/absent", "no model owner/absent"),
        ("owner/broken", "status 500"),
        ("no-owner", "expected owner/name"),
        ("a/b/c", "expected owner/name"),
        ("owner/../etc", "expected owner/name"),
    ],
)
def test_what_cannot_be_had_is_said(hub_id: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        hub.fetch_model(hub_id)
    assert told in caught.value.message


@pytest.mark.usefixtures("stand_in")
def test_repository_without_a_configuration() -> None:
    with pytest.raises(ModelConfigError, match=r"holds no config\.json"):
        hub.fetch_model("owner/bare")


@pytest.mark.usefixtures("stand_in")
def test_adapter_asks_for_its_base_model() -> None:
    with pytest.raises(ModelConfigError, match="LORA adapter"):
        hub.fetch_model("owner/adapter")


@pytest.mark.usefixtures("stand_in")
def test_without_a_network_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # the discard port: nothing listens there
    with pytest.raises(InputError) as caught:
        hub.fetch_model("owner/plain")
    assert "cannot be reached" in caught.value.message
    assert caught.value.hint is not None
    assert "path" in caught.value.hint


@pytest.mark.usefixtures("stand_in")
def test_without_a_network_the_cache_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    hub.fetch_model("owner/plain")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    found = hub.fetch_model("owner/plain")
    assert found.model.layers == 2
    assert found.weight_bytes is None


def test_without_the_optional_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError) as caught:
        hub.fetch_model("owner/plain")
    assert caught.value.extra == "hub"
