"""Who calls: a key of our own, or a token (JWT) of the portal's identity provider."""

import asyncio
import hashlib
import json
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from advisor.api.errors import Refused, refused
from advisor.api.keeping import Keeping
from advisor.api.scopes import SCOPES, Caller
from advisor.api.settings import Settings
from advisor.errors import InputError, MissingExtraError

# Only signatures that the provider alone can make; a shared secret would let whoever checks tokens also write them.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_REMEMBERED = 1024
_REMEMBERED_SECONDS = 60


class Identity:
    """Tells the caller of a request by its credential."""

    def __init__(self, settings: Settings, keeping: Keeping) -> None:
        """Raises InputError where the issuer's keys cannot be read, and MissingExtraError without what reads tokens."""
        self._keeping = keeping
        self._tokens = _Tokens(settings) if settings.token_issuer else None

    async def caller(self, credential: str) -> Caller:
        """The caller with this credential. Raises Refused for one that is unknown, expired or revoked."""
        if credential.startswith("adv_") or self._tokens is None:
            return self._of_key(credential)
        return await self._tokens.caller(credential)

    def _of_key(self, text: str) -> Caller:
        known = self._keeping.key_of(text)
        if known is None:
            raise _not_accepted("nobody has this key")
        id, owner, scopes, expires, revoked = known
        if revoked is not None:
            raise _not_accepted("the key was revoked")
        if expires is not None and expires <= time.time():
            raise _not_accepted("the key has expired")
        return Caller(owner=owner, scopes=scopes, key=id)


class _Tokens:
    """Tokens of one issuer; those found good are remembered for a minute at most."""

    def __init__(self, settings: Settings) -> None:
        try:
            import jwt
        except ModuleNotFoundError:
            raise MissingExtraError("accepting tokens", "api") from None
        assert settings.token_keys is not None
        self._settings = settings
        self._good: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()
        self._lock = threading.Lock()
        self._client: jwt.PyJWKClient | None = None
        self._keys: jwt.PyJWKSet | None = None
        address = urlsplit(settings.token_keys)
        if address.scheme == "https":
            self._client = jwt.PyJWKClient(settings.token_keys, cache_jwk_set=True, lifespan=600, timeout=5)
            return
        try:
            self._keys = jwt.PyJWKSet.from_dict(json.loads(Path(settings.token_keys).read_bytes()))
        except (OSError, ValueError, AttributeError, TypeError, jwt.PyJWTError):
            raise InputError(
                "no keys can be read from it", where="setting token_keys", hint="give an https address or the file of a JWKS"
            ) from None

    async def caller(self, token: str) -> Caller:
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        known = self._good.get(digest)
        if known is not None and known[0] > time.time():
            return known[1]
        until, caller = await asyncio.to_thread(self._read, token)
        with self._lock:
            self._good[digest] = (min(until, time.time() + _REMEMBERED_SECONDS), caller)
            while len(self._good) > _REMEMBERED:
                self._good.popitem(last=False)
        return caller

    def _read(self, token: str) -> tuple[float, Caller]:
        import jwt

        try:
            claims = jwt.decode(
                token,
                self._key(token),
                algorithms=list(_ALGORITHMS),
                issuer=self._settings.token_issuer,
                audience=self._settings.token_audience,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise _not_accepted("the token has expired") from None
        except jwt.PyJWKClientConnectionError:
            raise refused("busy", "the issuer's keys cannot be fetched", hint="try again shortly") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise _not_accepted("the token is not one of the accepted issuer") from None
        given = claims.get(self._settings.token_scopes, ())
        names = given.split() if isinstance(given, str) else [str(each) for each in given] if isinstance(given, list) else []
        owner = f"{claims['iss']} {claims['sub']}"
        return float(claims["exp"]), Caller(owner=owner, scopes=frozenset(names) & frozenset(SCOPES))

    def _key(self, token: str) -> Any:
        import jwt

        if self._client is not None:
            return self._client.get_signing_key_from_jwt(token).key
        assert self._keys is not None
        wanted = jwt.get_unverified_header(token).get("kid")
        for key in self._keys.keys:
            if wanted is None or key.key_id == wanted:
                return key.key
        raise jwt.InvalidKeyError


def _not_accepted(message: str) -> Refused:
    return refused(
        "not-authenticated", message, where="Authorization", hint="send Authorization: Bearer with a key that is valid"
    )
