"""A model fetched from the hub by its id: its configuration, and the exact bytes of its weights. Only where a caller asks for it.

Nothing here runs on its own: plans are made offline, and a hub id is looked up only by the commands that say so. The access
token and the cache are those of huggingface_hub; HF_ENDPOINT names another hub.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import Field

from advisor.catalogue.config.building import build_model
from advisor.catalogue.config.files import CONFIG_NAME, QUANTIZATION_NAME, read_object
from advisor.catalogue.model import Model
from advisor.catalogue.record import Record
from advisor.errors import InputError, MissingExtraError, ModelConfigError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_ID: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
_TIMEOUT: Final = 10.0
_OFFLINE_HINT: Final = "download config.json where there is a network, and give its path instead of the id"


class HubModel(Record):
    """A model as the hub holds it.

    weight_bytes: bytes of all tensors in its safetensors files, headers left out; None where it has none, or where only the cache
    could be asked.
    elements: tensor elements by the files' own name of their type (BF16, F8_E4M3, I32, ...); packed formats hold several
    parameters in one element, so that their sum is not the parameter count.
    """

    model: Model
    weight_bytes: float | None = None
    elements: dict[str, float] = Field(default_factory=dict)


def fetch_model(hub_id: str, *, revision: str | None = None) -> HubModel:
    """Fetch and read one model's config.json, and hf_quant_config.json and the weights' headers where it has them.

    Raises InputError where the id is none, does not exist, is not open to this user or cannot be reached; ModelConfigError
    where what it holds is not a language model's configuration; MissingExtraError without huggingface_hub.
    """
    if not _ID.match(hub_id):
        raise InputError(f'"{hub_id}" is not a hub id; expected owner/name', where="model", hint="as in meta-llama/Llama-3.1-8B")
    hub = _client()
    config = _file(hub, hub_id, CONFIG_NAME, revision)
    if config is None:
        raise ModelConfigError(
            f"the hub's {hub_id} holds no {CONFIG_NAME}",
            where="model",
            hint="it may hold only GGUF files, an adapter or a diffusion model: give the original model's id",
        )
    beside = _file(hub, hub_id, QUANTIZATION_NAME, revision)
    quantization = None if beside is None else read_object(beside)
    model = build_model(read_object(config), name=hub_id, where=CONFIG_NAME, quantization=quantization)
    weight_bytes, elements = _weights(hub, hub_id, revision)
    return HubModel(model=model, weight_bytes=weight_bytes, elements=elements)


def _client() -> "HfApi":
    try:
        from huggingface_hub import HfApi
    except ImportError:
        raise MissingExtraError("fetching a model from the hub", "hub") from None
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)


def _file(hub: "HfApi", hub_id: str, name: str, revision: str | None) -> Path | None:
    """A file in huggingface_hub's own cache; None where the repository does not have it.

    Its header is asked for first, since the download itself tries for half a minute before it gives up on an absent network.
    """
    from huggingface_hub import hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError

    url = hf_hub_url(hub_id, name, revision=revision, endpoint=hub.endpoint)
    reached = True
    try:
        hub.get_hf_file_metadata(url=url, timeout=_TIMEOUT)
    except EntryNotFoundError:
        return None
    except (HfHubHTTPError, ValueError) as error:
        raise _refusal(hub_id, error) from error
    except Exception:  # the HTTP library underneath, and so the type of its errors, differs between versions
        reached = False
    try:
        return Path(hub.hf_hub_download(hub_id, name, revision=revision, local_files_only=not reached))
    except LocalEntryNotFoundError as error:
        if name != CONFIG_NAME and not reached:
            return None
        raise _refusal(hub_id, error) from error
    except (OSError, ValueError) as error:
        raise _refusal(hub_id, error) from error


def _weights(hub: "HfApi", hub_id: str, revision: str | None) -> tuple[float | None, dict[str, float]]:
    """Bytes and elements from the headers of the safetensors files, a few kilobytes each."""
    from huggingface_hub.errors import HfHubHTTPError, NotASafetensorsRepoError, SafetensorsParsingError

    try:
        metadata = hub.get_safetensors_metadata(hub_id, revision=revision)
    except NotASafetensorsRepoError:
        return None, {}
    except SafetensorsParsingError as error:
        raise InputError(f"the weights of {hub_id} have a header that cannot be read: {error}", where="model") from error
    except Exception as error:  # as above; without a network the cached configuration still tells the rest
        if isinstance(error, HfHubHTTPError | ValueError):
            raise _refusal(hub_id, error) from error
        return None, {}
    size = 0.0
    for file in metadata.files_metadata.values():
        for tensor in file.tensors.values():
            start, end = tensor.data_offsets
            size += end - start
    return size, {str(name): float(count) for name, count in metadata.parameter_count.items()}


def _refusal(hub_id: str, error: Exception) -> InputError:
    """Why the hub did not give the file, in words a person can act on."""
    from huggingface_hub import errors

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, errors.GatedRepoError):
            return InputError(
                f"{hub_id} is open only to those who accepted its terms",
                where="model",
                hint="accept them on the hub and log in with huggingface_hub, or give the path of its config.json",
            )
        if isinstance(cause, errors.RevisionNotFoundError):
            return InputError(f"{hub_id} has no such revision", where="model", hint="leave the revision out for the newest")
        if isinstance(cause, errors.RepositoryNotFoundError):
            return InputError(
                f"the hub has no model {hub_id}, or none that this user may see",
                where="model",
                hint="check owner and name; for a private model log in with huggingface_hub",
            )
        if isinstance(cause, errors.HFValidationError):
            return InputError(f'"{hub_id}" is not a hub id; expected owner/name', where="model")
        if isinstance(cause, errors.OfflineModeIsEnabled):
            return InputError(
                f"huggingface_hub is set to work offline, and {hub_id} is not in its cache", where="model", hint=_OFFLINE_HINT
            )
        if isinstance(cause, errors.HfHubHTTPError):
            status = 0
            with suppress(AttributeError):
                status = int(cause.response.status_code)
            return InputError(f"the hub answered with status {status} for {hub_id}", where="model", hint=_OFFLINE_HINT)
        cause = cause.__cause__ or cause.__context__
    return InputError(f"the hub cannot be reached, and {hub_id} is not in the cache", where="model", hint=_OFFLINE_HINT)
