"""One replica under continuous batching, as vLLM's scheduler does it, advanced from one event to the next.

In every step each decoding request gets a token, and prompts, first come first served, share what is left of the step's token
limit. A request is admitted when a seat and the blocks of its whole prompt are free; when a decode finds no block, whoever was
admitted last gives its blocks up and waits at the front to be computed again.

All decoding requests advance together, one token a step. So a count of steps says everything: a request that starts decoding
now finishes at a count known now, and takes a new block whenever the count leaves the same remainder. Between events nothing
but the count changes, and any number of steps is one multiplication.
"""

from collections import deque
from heapq import heapify, heappop, heappush
from math import inf

from advisor.sizing.serving.simulation.requests import Requests
from advisor.sizing.serving.simulation.samples import Samples
from advisor.sizing.serving.simulation.speed import ReplicaSpeed


class Replica:
    """State of one replica between two steps.

    now: the end of the last step taken; what falls due then is done when the replica is next advanced.
    left: requests that finished or were rejected, in order; whoever advances the replica may empty it.
    """

    def __init__(self, speed: ReplicaSpeed, requests: Requests, queue_limit: int | None, sample_interval: float) -> None:
        self.requests = requests
        self.queue_limit = inf if queue_limit is None else queue_limit
        self.step_times = speed.step_times
        self.prompt_time_alone = speed.prompt_time_per_token
        self.prompt_time_beside = speed.prompt_time_per_token * speed.interference
        self.prompt_fixed_time = speed.prompt_fixed_time
        self.seats = int(speed.max_num_seqs)
        self.token_limit = int(speed.max_num_batched_tokens)
        self.blocks = int(speed.blocks)
        self.block_tokens = int(speed.block_tokens)
        self.fixed_blocks = int(speed.fixed_blocks)

        self.now = 0.0
        self.steps = 0
        self.free = self.blocks
        self.inbox: list[int] = []
        self.inbox_ready: list[float] = []
        self.inbox_read = 0
        self.next_ready = inf
        self.waiting: deque[int] = deque()
        self.blocked = False  # whoever waits first needs a finish before it can be admitted
        self.running: dict[int, None] = {}  # in order of admission
        self.decoding: list[int] = []  # a heap of finishing counts, each with its request in the low bits
        self.request_bits = max(1, requests.count.bit_length())
        self.request_mask = (1 << self.request_bits) - 1
        self.partial = -1  # the one request whose prompt has been read in part; it was admitted last
        self.partial_left = 0
        self.growth = [0] * self.block_tokens  # decoding requests by the remainder of the count at which they take a block

        self.left: list[int] = []
        self.lowest_free = self.blocks
        self.block_seconds = 0.0
        self.busy_seconds = 0.0
        self.samples = Samples(sample_interval)
        self.sample_due = 0.0

    @property
    def in_flight(self) -> int:
        """Requests here that have neither finished nor been rejected."""
        return len(self.running) + len(self.waiting) + len(self.inbox) - self.inbox_read

    def accept(self, request: int, ready: float) -> None:
        """Hand over a request and when a step may admit it; requests come in the order in which they are ready."""
        self.inbox.append(request)
        self.inbox_ready.append(ready)
        self.next_ready = self.inbox_ready[self.inbox_read]

    def next_departure(self) -> float:
        """A time before which no request leaves, if none arrives. Advancing to it always takes a step or brings a departure."""
        if not self.running and not self.waiting:
            return max(self.now, self.next_ready)
        if self.next_ready < inf or self.partial >= 0 or (self.waiting and not self.blocked) or not self.decoding:
            return self.now
        count, batch = (self.decoding[0] >> self.request_bits) - self.steps, len(self.decoding)
        at_most = (count // self.block_tokens + 1) * batch  # quick to count, and nearly always enough
        if count <= 0 or (at_most > self.free and self._blocks_taken(count) > self.free):
            return self.now
        return self.now + count * self.step_times[batch]

    def advance(self, horizon: float) -> None:
        """Take every step that begins up to `horizon`. All requests that are ready by then must have been accepted."""
        decoding, growth, bits, block_tokens = self.decoding, self.growth, self.request_bits, self.block_tokens
        while self.now <= horizon:
            if decoding and decoding[0] >> bits <= self.steps:
                self._finish()
            if self.next_ready <= self.now:
                self._arrive()
            if growth[self.steps % block_tokens] > self.free:
                self._preempt()
                self._take_steps(1, self.step_times[len(decoding)])
            elif self.partial >= 0:
                self._continue_prompt(horizon)
            elif self.waiting and self._admit(0, []):
                pass
            elif decoding:
                self._decode(horizon)
            elif self.next_ready > horizon or self.next_ready == inf:
                return
            else:
                self.now = self.next_ready

    def _finish(self) -> None:
        """Everybody whose last token came with the last step leaves."""
        requests, decoding, steps, now = self.requests, self.decoding, self.steps, self.now
        leaving = (steps + 1) << self.request_bits
        while decoding and decoding[0] < leaving:
            request = heappop(decoding) & self.request_mask
            requests.finish[request] = now
            self.left.append(request)
            del self.running[request]
            self.free += requests.blocks_at_end[request]
            self.growth[(steps - requests.held_at_end[request]) % self.block_tokens] -= 1
        self.blocked = False

    def _arrive(self) -> None:
        """Requests that became ready during the last step line up, or are rejected where too many wait already."""
        requests, waiting, now = self.requests, self.waiting, self.now
        inbox_ready, read = self.inbox_ready, self.inbox_read
        last = len(inbox_ready)
        while read < last and inbox_ready[read] <= now:
            request = self.inbox[read]
            if requests.too_long[request] or len(waiting) >= self.queue_limit:
                requests.rejected[request] = 1
                self.left.append(request)
            else:
                waiting.append(request)
            read += 1
        self.inbox_read = read
        self.next_ready = inbox_ready[read] if read < last else inf

    def _preempt(self) -> None:
        """Whoever was admitted last gives up its blocks, until the next step's decodes find theirs."""
        requests, bits, place = self.requests, self.request_bits, self.steps % self.block_tokens
        finishing = {each & self.request_mask: each >> bits for each in self.decoding}
        while self.growth[place] > self.free:
            request, _ = self.running.popitem()
            if request in finishing:
                count = finishing.pop(request)
                held = requests.held_at_end[request] - (count - self.steps)
                self.growth[(count - requests.held_at_end[request]) % self.block_tokens] -= 1
                self.free += self._blocks_of(held)
                # Its answer so far is computed again like a prompt, up to the last token, which was never stored.
                requests.prompt[request] = held + 1
                requests.prompt_blocks[request] = self._blocks_of(held + 1)
            else:
                self.free += requests.prompt_blocks[request]
                self.partial = -1
            requests.preemptions[request] += 1
            self.waiting.appendleft(request)
        self.decoding[:] = [count << bits | request for request, count in finishing.items()]
        heapify(self.decoding)
        self.blocked = False

    def _continue_prompt(self, horizon: float) -> None:
        """The next piece of a prompt, or as many pieces as fill whole steps; its last piece leaves room for others."""
        batch = len(self.decoding)
        room = self.token_limit - batch
        if self.partial_left <= room:
            request, self.partial = self.partial, -1
            self._admit(self.partial_left, [request])
            return
        count = (self.partial_left - 1) // room
        if batch:
            count = min(count, (self.decoding[0] >> self.request_bits) - self.steps)
            step_time = self.step_times[batch] + self.prompt_time_beside * room
        else:
            step_time = self.prompt_time_alone * room
        self.partial_left -= room * self._take_steps(count, step_time, horizon)

    def _admit(self, tokens: int, ended: list[int]) -> bool:
        """One step with prompts: `tokens` of one already begun, and whoever can be admitted. False, and no step, without any.

        ended: requests whose prompts this step ends; each then has its next token.
        """
        requests, waiting, running, now = self.requests, self.waiting, self.running, self.now
        batch = len(self.decoding)
        room = self.token_limit - batch - tokens
        free = self.free - self.growth[self.steps % self.block_tokens]
        fixed = 0.0
        while waiting and room > 0 and len(running) < self.seats:
            request = waiting[0]
            blocks = requests.prompt_blocks[request]
            if blocks > free:
                break
            waiting.popleft()
            free -= blocks
            self.free -= blocks
            running[request] = None
            fixed = self.prompt_fixed_time
            if requests.admitted[request] != requests.admitted[request]:
                requests.admitted[request] = now
            size = requests.prompt[request]
            if size > room:
                self.partial, self.partial_left = request, size - room
                size = room
            else:
                ended.append(request)
            tokens += size
            room -= size
        if not tokens:
            return False
        if batch:
            self._take_steps(1, self.step_times[batch] + self.prompt_time_beside * tokens)
        else:
            self._take_steps(1, self.prompt_time_alone * tokens + fixed)
        for request in ended:
            if requests.first_token[request] != requests.first_token[request]:
                requests.first_token[request] = self.now
            count = self.steps + requests.held_at_end[request] - requests.prompt[request]
            heappush(self.decoding, count << self.request_bits | request)
            self.growth[(count - requests.held_at_end[request]) % self.block_tokens] += 1
        return True

    def _decode(self, horizon: float) -> None:
        """Steps that only decode, up to the next finish or, where the queue is empty, the next arrival."""
        count = (self.decoding[0] >> self.request_bits) - self.steps
        step_time = self.step_times[len(self.decoding)]
        if self.waiting:
            self.blocked = True
        elif self.now + count * step_time > self.next_ready:
            count = min(count, -int((self.now - self.next_ready) // step_time))
        self._take_steps(count, step_time, horizon)

    def _take_steps(self, count: int, step_time: float, horizon: float = inf) -> int:
        """Take up to `count` equal steps, one at least, that begin by the horizon and find their blocks. Returns how many."""
        if count > 1:
            if self.now + count * step_time > horizon:
                count = min(count, int((horizon - self.now) / step_time) + 1)
            taken = self._blocks_taken(count)
            if taken > self.free:
                count, taken = self._steps_with_blocks()
        else:
            taken = self.growth[self.steps % self.block_tokens]
        time = count * step_time
        end = self.now + time
        used = self.blocks - self.free
        if end >= self.sample_due:
            self.sample_due = self.samples.take(self.now, end, used, taken, len(self.waiting), len(self.running))
        self.now = end
        self.steps += count
        self.free -= taken
        if self.free < self.lowest_free:
            self.lowest_free = self.free
        self.busy_seconds += time
        self.block_seconds += (used + taken / 2) * time
        return count

    def _blocks_of(self, tokens: int) -> int:
        return -(-tokens // self.block_tokens) + self.fixed_blocks

    def _blocks_taken(self, count: int) -> int:
        """Blocks that the decoding requests take in the next `count` steps."""
        growth, block_tokens = self.growth, self.block_tokens
        whole, rest = divmod(count, block_tokens)
        begin = self.steps % block_tokens
        end = begin + rest
        taken = whole * len(self.decoding) + sum(growth[begin:end])
        return taken + sum(growth[: end - block_tokens]) if end > block_tokens else taken

    def _steps_with_blocks(self) -> tuple[int, int]:
        """How many steps can be taken before a decode finds no block, and the blocks they take."""
        whole = self.free // len(self.decoding)
        count, taken = whole * self.block_tokens, whole * len(self.decoding)
        while taken + (more := self.growth[(self.steps + count) % self.block_tokens]) <= self.free:
            count, taken = count + 1, taken + more
        return count, taken
