"""Calculations in threads: so many at once, so many waiting, so long; and the answers of plans asked for again."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from advisor.api.errors import refused

Result = TypeVar("Result")


class Computing:
    """A few threads for all calculations of one worker."""

    def __init__(self, *, computing: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(computing, thread_name_prefix="advisor-plan")
        self._most = computing + waiting
        self._seconds = seconds
        self._lock = threading.Lock()
        self.under_way = 0

    async def __call__(self, task: Callable[[], Result]) -> Result:
        """The result of a task.

        Raises Refused (`busy`) where too many wait already, and (`took-too-long`) after the time that is allowed; a thread
        cannot be stopped, so a task given up still counts until it ends.
        """
        with self._lock:
            if self.under_way >= self._most:
                raise refused("busy", f"{self.under_way} calculations are under way", hint="try again after Retry-After seconds")
            self.under_way += 1
        done = self._pool.submit(task)
        done.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), self._seconds)
        except TimeoutError:
            done.cancel()
            raise refused(
                "took-too-long", f"it was not done after {self._seconds:g} seconds", hint="ask for less at once, or later"
            ) from None

    @property
    def full(self) -> bool:
        """Whether another task would be refused."""
        return self.under_way >= self._most

    def close(self) -> None:
        """Start nothing any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ended(self, done: "Future[Result]") -> None:
        with self._lock:
            self.under_way -= 1


class Answers:
    """The answers given last, each with its media type, up to so many bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._answers: OrderedDict[bytes, tuple[bytes, bytes]] = OrderedDict()

    def get(self, key: bytes) -> tuple[bytes, bytes] | None:
        """The media type and the answer of a key."""
        found = self._answers.get(key)
        if found is not None:
            self._answers.move_to_end(key)
        return found

    def put(self, key: bytes, answer: tuple[bytes, bytes]) -> None:
        """Remember an answer, and forget those not asked for the longest."""
        self._held += len(answer[1]) - len(self._answers.pop(key, (b"", b""))[1])
        self._answers[key] = answer
        while self._held > self._most:
            _, forgotten = self._answers.popitem(last=False)
            self._held -= len(forgotten[1])
