"""Settings of the service: the environment over a file over defaults, every one described where it is declared."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from advisor.catalogue.names import nearest
from advisor.errors import DocumentError, InputError
from advisor.workload.refusal import shorten

PREFIX = "ADVISOR_API_"
FILE = f"{PREFIX}SETTINGS"


class Settings(BaseModel):
    """How the service runs. A list in the environment is written with commas."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keys_required: bool = Field(default=False, description="Whether every request under /v1 needs a key or a token.")
    database: Path | None = Field(
        default=None, description="File of keys, audit and kept plans; `advisor serve` takes one in the user's data folder."
    )
    knowledge: Path | None = Field(default=None, description="A folder of your own entries, laid over what ships.")
    workers: int = Field(default=1, ge=1, le=64, description="Processes that answer.")
    requests_per_minute: float = Field(default=600, gt=0, le=1e6, description="Requests a minute of one key, over all workers.")
    burst: int = Field(default=60, ge=1, le=100_000, description="Requests of one key that may come at once, over all workers.")
    failed_logins_per_minute: float = Field(default=30, gt=0, le=1e6, description="Refused keys a minute from one address.")
    body_seconds: float = Field(default=15, gt=0, le=600, description="Seconds in which a body must have arrived.")
    compute_seconds: float = Field(default=30, gt=0, le=600, description="Seconds after which a calculation is given up.")
    computing: int = Field(default=2, ge=1, le=64, description="Calculations at once in one worker.")
    waiting: int = Field(default=64, ge=0, le=10_000, description="Calculations that may wait in one worker.")
    answers_kept: int = Field(default=64_000_000, ge=0, description="Bytes of plans remembered in one worker.")
    kept_plans: int = Field(default=10_000, ge=1, description="Plans that one owner may keep.")
    connections: int = Field(default=512, ge=1, le=100_000, description="Connections at once in one worker.")
    shutdown_seconds: int = Field(default=20, ge=0, le=600, description="Seconds that running requests get at shutdown.")
    hosts: tuple[str, ...] = Field(default=(), description="Host names that requests may be addressed to; empty: any.")
    cors_origins: tuple[str, ...] = Field(default=(), description="Origins whose pages may call; empty: none.")
    token_issuer: str | None = Field(default=None, description="`iss` of accepted tokens (JWT) of your identity provider.")
    token_audience: str | None = Field(default=None, description="`aud` of accepted tokens; needed with an issuer.")
    token_keys: str | None = Field(default=None, description="JWKS of the issuer: an https address, or a file.")
    token_scopes: str = Field(default="scope", description="Claim that lists the scopes of a token.")
    log_requests: bool = Field(default=True, description="Whether every request is a line of JSON on standard error.")

    def as_environment(self) -> dict[str, str]:
        """The same settings as variables, for the processes of the workers."""
        found = {}
        for name, value in self:
            if value is not None:
                found[PREFIX + name.upper()] = ",".join(value) if isinstance(value, tuple) else str(value)
        return found


def read_settings(environment: Mapping[str, str] | None = None, **chosen: Any) -> Settings:
    """The settings of an environment (the process's own by default), with what is chosen laid over them.

    Raises DocumentError or InputError, naming the variable or the key, for what is unknown or does not fit.
    """
    variables = os.environ if environment is None else environment
    found: dict[str, Any] = _of_file(Path(variables[FILE])) if variables.get(FILE) else {}
    for variable, text in variables.items():
        if not variable.startswith(PREFIX) or variable == FILE:
            continue
        name = variable.removeprefix(PREFIX).lower()
        _check_known(name, variable)
        is_list = Settings.model_fields[name].annotation == tuple[str, ...]
        found[name] = tuple(each.strip() for each in text.split(",") if each.strip()) if is_list else text
    found.update({name: value for name, value in chosen.items() if value is not None})
    try:
        settings = Settings.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise InputError(
            f'{first["msg"][:1].lower()}{first["msg"][1:]}; "{shorten(str(first["input"]))}" is given', where=f"setting {name}"
        ) from None
    if settings.token_issuer and not (settings.token_audience and settings.token_keys):
        raise InputError(
            "tokens of an issuer are accepted only with an audience and the issuer's keys",
            where="setting token_issuer",
            hint=f"set {PREFIX}TOKEN_AUDIENCE and {PREFIX}TOKEN_KEYS",
        )
    return settings


def _of_file(path: Path) -> dict[str, Any]:
    try:
        read = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise DocumentError(f"it cannot be opened: {error.strerror}", where=path.name) from None
    except (yaml.YAMLError, ValueError):
        raise DocumentError("it is not YAML", where=path.name, hint="write one setting a line, name: value") from None
    if not isinstance(read, dict):
        raise DocumentError("it holds no settings", where=path.name, hint="write one setting a line, name: value")
    for name in read:
        _check_known(str(name), f"{path.name}, {name}")
    return {str(name): value for name, value in read.items()}


def _check_known(name: str, where: str) -> None:
    if name not in Settings.model_fields:
        close = nearest(name, Settings.model_fields)
        hint = f'did you mean "{close[0]}"?' if close else "docs/api.md lists them"
        raise InputError(f'there is no setting "{shorten(name)}"', where=where, hint=hint)
