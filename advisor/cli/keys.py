"""`advisor keys`: keys of the REST API."""

import json
import re
import time
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from advisor.cli.options import emit, json_option
from advisor.errors import InputError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from advisor.api.keeping import Keeping

_PERIOD = re.compile(r"([1-9][0-9]{0,4})\s*(d|days?|h|hours?)")


@click.group()
def keys() -> None:
    """Keys of the REST API: only their hashes are kept, so a key is shown once, when it is made.

    \b
    Example: advisor keys create --owner portal --scope knowledge --scope plan --expires 90d
    """


@keys.command()
@click.option("--owner", required=True, help="Whose key it is; keys of one owner see the same kept plans.")
@click.option(
    "--scope", "scopes", multiple=True, help="What it may do: knowledge, plan, keep, metrics; all but metrics by default."
)
@click.option("--expires", default="365d", show_default=True, help="How long it is valid, in days (90d) or hours (12h).")
@json_option
def create(owner: str, scopes: tuple[str, ...], expires: str, as_json: bool) -> None:
    """Make a key and print it.

    \b
    Example: advisor keys create --owner portal --expires 90d
    """
    from advisor.catalogue.names import nearest

    keeping = _keeping()
    from advisor.api.scopes import SCOPES

    for scope in scopes:
        if scope not in SCOPES:
            close = nearest(scope, SCOPES) or tuple(SCOPES)
            raise UnknownNameError(f'there is no scope "{scope}"', nearest=close, where="--scope")
    if not re.fullmatch(r"[\w@.:/-]{1,100}", owner) or owner == "local":
        raise InputError(f'"{owner}" cannot be an owner', where="--owner", hint="write up to 100 letters, digits and @ . : / -")
    until = time.time() + _seconds(expires)
    text = keeping.add_key(owner, frozenset(scopes or set(SCOPES) - {"metrics"}), until)
    keeping.close()
    told = {"key": text, "owner": owner, "expires": _day(until)}
    emit(json.dumps(told, indent=2) if as_json else text, None)


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List keys: id, owner, scopes, and until when they are valid.

    \b
    Example: advisor keys list
    """
    keeping = _keeping()
    found: list[dict[str, Any]] = [
        {
            "id": id,
            "owner": owner,
            "scopes": scopes.split(),
            "created": _day(created),
            "expires": _day(expires) if expires else None,
            "state": "revoked" if revoked else "expired" if expires and expires <= time.time() else "valid",
        }
        for id, owner, scopes, created, expires, revoked in keeping.keys()
    ]
    keeping.close()
    if as_json:
        emit(json.dumps(found, indent=2), None)
        return
    rows = (f"{each['id']}  {each['state']:8}  {each['expires']}  {each['owner']}  {' '.join(each['scopes'])}" for each in found)
    emit("\n".join(rows) or "there are no keys", None)


@keys.command()
@click.argument("id")
@json_option
def revoke(id: str, as_json: bool) -> None:
    """Revoke the key with this ID (advisor keys list): it counts from the next request on.

    \b
    Example: advisor keys revoke 5f0c1b2a9d8e
    """
    from advisor.catalogue.names import nearest

    keeping = _keeping()
    known = [each[0] for each in keeping.keys()]
    done = keeping.revoke(id)
    keeping.close()
    if not done:
        raise UnknownNameError(f'no key has the id "{id}"', nearest=nearest(id, known), where="ID")
    emit(json.dumps({"id": id, "state": "revoked"}, indent=2) if as_json else f"{id} is revoked", None)


def _keeping() -> "Keeping":
    try:
        import_module("fastapi")
        import_module("uvicorn")
        import_module("prometheus_client")
    except ModuleNotFoundError:
        raise MissingExtraError("advisor keys", "api") from None
    from advisor.api.keeping import Keeping
    from advisor.api.serving import default_database
    from advisor.api.settings import read_settings

    return Keeping(read_settings().database or default_database())


def _seconds(text: str) -> float:
    found = _PERIOD.fullmatch(text.strip().lower())
    if found is None:
        raise InputError(f'"{text}" is no period', where="--expires", hint="write days or hours, such as 90d or 12h")
    return int(found[1]) * (86_400.0 if found[2].startswith("d") else 3_600.0)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="seconds")
