"""Servers by name and what stands on each: a choice made of counts becomes places, and what stands already stays where it is."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from advisor.plan.estate_items import Item, busy
from advisor.plan.estate_model import Choice, Chosen, Lane, place_of, servers_for, within
from advisor.plan.estate_options import Option
from advisor.plan.estate_supply import Kind


@dataclass(frozen=True)
class Standing:
    """One server. used: accelerators of it that somebody uses."""

    name: str
    kind: Kind
    sharing: str
    used: int = 0


@dataclass(frozen=True)
class Placed:
    """One item where it stands. on: (server, accelerators). lane: whose accelerators it takes turns on; alone: rents its own."""

    item: Item
    option: Option
    replicas: int
    on: tuple[tuple[str, int], ...] = ()
    lane: str | None = None
    alone: Kind | None = None


@dataclass
class Floor:
    """All servers and everything placed, by name, in the order they came."""

    servers: dict[str, Standing] = field(default_factory=dict)
    placed: dict[str, Placed] = field(default_factory=dict)

    def copy(self) -> "Floor":
        """The same floor, to go on from."""
        return Floor(dict(self.servers), dict(self.placed))

    @property
    def power(self) -> float:
        """Design power of all accelerators that stand, in watts."""
        return sum(server.kind.size * server.kind.power for server in self.servers.values())

    def kinds(self, supply: Sequence[Kind]) -> tuple[Kind, ...]:
        """What can still be stood on: room on servers that stand, then those not taken yet."""
        taken: dict[str, int] = defaultdict(int)
        for server in self.servers.values():
            taken[server.kind.id] += 1
        rooms = [
            server.kind.room(server.name, server.sharing, server.kind.size - server.used)
            for server in self.servers.values()
            if server.kind.size > server.used
        ]
        left = (
            kind if kind.limit is None else replace(kind, limit=kind.limit - taken[kind.id])
            for kind in supply
            if kind.limit is None or kind.limit > taken[kind.id]
        )
        return (*rooms, *left)

    def add(self, choice: Choice) -> None:
        """Put what was chosen in its place: the largest first, each on the server that it fills best."""
        kinds = {kind.id: kind for kind in choice.kinds}
        for (id, sharing), number in choice.servers.items():
            kind = kinds[id]
            if kind.server is None:
                for _ in range(number):
                    self._open(kind, sharing)
        room: dict[str, int] = {name: server.kind.size - server.used for name, server in self.servers.items()}
        for each in choice.chosen:
            for kind, replicas in each.whole:
                self._put_whole(each, kind, replicas, room)
        standing = [
            each for each in choice.chosen if not each.whole and each.alone is None and each.lane in (None, each.item.name)
        ]
        for each in sorted(standing, key=lambda one: -place_of(one.option.accelerators)):
            self._put(each, room)
        for each in choice.chosen:
            if each.alone is not None or each.lane not in (None, each.item.name):
                on = self.placed[each.lane].on if each.lane is not None else ()
                self.placed[each.item.name] = Placed(each.item, each.option, 1, on, each.lane, each.alone)
        self.drop_empty()

    def drop_empty(self) -> None:
        """Servers that nobody uses do not stand."""
        self.servers = {name: server for name, server in self.servers.items() if server.used}

    def lanes(self) -> tuple[Lane, ...]:
        """Accelerators that runs take turns on, with what is left of their time."""
        found = []
        for leader in self.placed.values():
            if leader.item.runs is None or leader.lane != leader.item.name or leader.option.time is None:
                continue
            riding = self.riding(leader.item.name)
            shortest = min(within(each.item) for each in riding)
            times = sum(each.option.time or 0.0 for each in riding)
            left = 1.0 - sum(busy(each.item, each.option) for each in riding)
            if shortest > times and left > 0:
                found.append(
                    Lane(
                        leader.item.name,
                        leader.item.sharing,
                        leader.option.accelerator,
                        leader.option.accelerators,
                        shortest,
                        shortest - times,
                        left,
                    )
                )
        return tuple(found)

    def riding(self, leader: str) -> list[Placed]:
        """All runs that take turns on a leader's accelerators, itself among them."""
        return [each for each in self.placed.values() if each.lane == leader]

    def _open(self, kind: Kind, sharing: str) -> None:
        number = 1
        while f"{kind.id} #{number}" in self.servers:
            number += 1
        name = f"{kind.id} #{number}"
        self.servers[name] = Standing(name, kind, sharing)

    def _put_whole(self, each: Chosen, kind: Kind, replicas: int, room: dict[str, int]) -> None:
        number = servers_for(kind, each.option.accelerators)
        assert number is not None
        fitting = [
            name
            for name, server in self.servers.items()
            if server.sharing == each.item.sharing
            and (name == kind.server or (server.kind.id == kind.id and room[name] == kind.size))
        ]
        for name in fitting[: replicas * number]:
            self._use(each, name, each.option.accelerators // number)
            room[name] = 0
        self._count(each, replicas)

    def _put(self, each: Chosen, room: dict[str, int]) -> None:
        place, replicas = place_of(each.option.accelerators), each.item.replicas(each.option)
        mine = [
            name
            for name, server in self.servers.items()
            if server.sharing == each.item.sharing and server.kind.accelerator == each.option.accelerator
        ]
        order = {name: position for position, name in enumerate(mine)}
        for _ in range(replicas):
            name = min((name for name in mine if room[name] >= place), key=lambda name: (room[name], order[name]))
            room[name] -= place
            self._use(each, name, each.option.accelerators)
        self._count(each, replicas)

    def _use(self, each: Chosen, name: str, accelerators: int) -> None:
        server = self.servers[name]
        self.servers[name] = replace(server, used=server.used + accelerators)
        known = self.placed.get(each.item.name) or Placed(each.item, each.option, 0, lane=each.lane)
        on = dict(known.on)
        on[name] = on.get(name, 0) + accelerators
        self.placed[each.item.name] = replace(known, on=tuple(on.items()))

    def _count(self, each: Chosen, replicas: int) -> None:
        known = self.placed[each.item.name]
        self.placed[each.item.name] = replace(known, replicas=known.replicas + replicas)
