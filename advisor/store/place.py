"""Where what is kept stands, and whether anything is kept."""

import os
from pathlib import Path

from advisor.errors import InputError
from advisor.library.folders import APPLICATION

FILE = "kept.sqlite"
_ON = ("", "on", "yes", "true", "1")
_OFF = ("off", "no", "false", "0")


def store_folder() -> Path:
    """The folder of the store: ADVISOR_STORE, or the user's data folder."""
    if given := os.environ.get("ADVISOR_STORE"):
        return Path(given)
    from platformdirs import user_data_path

    return user_data_path(APPLICATION, appauthor=False)


def keeps() -> bool:
    """Whether anything is kept: not where ADVISOR_KEEP is off. Raises InputError for another word than on or off."""
    given = os.environ.get("ADVISOR_KEEP", "").strip().casefold()
    if given not in (*_ON, *_OFF):
        raise InputError(
            f'"{given}" is neither on nor off', where="the environment variable ADVISOR_KEEP", hint="write on or off"
        )
    return given in _ON
