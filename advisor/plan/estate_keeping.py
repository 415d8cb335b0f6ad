"""A plan that was kept, as the floor that a new one starts from: what still does what is asked stays exactly where it is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.plan.estate_floor import Floor, Placed, Standing
from advisor.plan.estate_items import Item, busy
from advisor.plan.estate_model import run_alone, within
from advisor.plan.estate_options import Option
from advisor.plan.estate_records import EstateChange, EstatePlacement, EstateReport
from advisor.plan.estate_supply import Kind
from advisor.units import show_base


@dataclass
class Kept:
    """What stays, what is still to be placed, and why that is."""

    floor: Floor
    waiting: tuple[Item, ...]
    reasons: dict[str, str] = field(default_factory=dict)


def keep(previous: EstateReport, items: Sequence[Item], kinds: Sequence[Kind]) -> Kept:
    """The part of an earlier plan that still stands. Items that need more replicas than they have wait for the rest alone."""
    return _Keeping(previous, items, kinds).kept()


def changes(previous: EstateReport, now: Sequence[EstatePlacement], reasons: Mapping[str, str]) -> tuple[EstateChange, ...]:
    """Every placement that is not as it was, with the reason, in the order of the new plan; then those that are gone."""
    before = {placement.workload: placement for placement in previous.placements}
    after = {placement.workload: placement for placement in now}
    found = []
    for name in (*after, *(name for name in before if name not in after)):
        old, new = before.get(name), after.get(name)
        if old is not None and new is not None and _where(old) == _where(new):
            continue
        why = reasons.get(name) or _came_or_went(new, old, before.values(), after.values())
        found.append(EstateChange(workload=name, before=_says(old), after=_says(new), because=why))
    return tuple(found)


class _Keeping:
    def __init__(self, previous: EstateReport, items: Sequence[Item], kinds: Sequence[Kind]) -> None:
        self._previous, self._items, self._kinds = previous, items, kinds
        self._known = {kind.id: kind for kind in kinds}
        self._by_name = {item.name: item for item in items}
        self._reasons: dict[str, str] = {}

    def kept(self) -> Kept:
        servers = self._servers()
        placed = {name: each for name, each in self._placed(servers)}
        for leader in dict.fromkeys(each.lane for each in placed.values() if each.lane is not None):
            self._lane(leader, placed)
        floor = Floor(servers, placed)
        used: dict[str, int] = defaultdict(int)
        for each in placed.values():
            if each.lane in (None, each.item.name):
                for name, accelerators in each.on:
                    used[name] += accelerators
        floor.servers = {name: replace(server, used=used[name]) for name, server in servers.items()}
        floor.drop_empty()
        return Kept(floor, tuple(self._waiting(placed)), self._reasons)

    def _servers(self) -> dict[str, Standing]:
        """Servers that are still there; of owned ones that have become fewer, those with the most on them."""
        users: dict[str, int] = defaultdict(int)
        for placement in self._previous.placements:
            for each in placement.on:
                users[each.server] += 1
        left = {kind.id: kind.limit for kind in self._kinds}
        found: dict[str, Standing] = {}
        for server in sorted(self._previous.servers, key=lambda each: -users[each.name]):
            kind = self._known.get(server.kind)
            if kind is None or kind.size != server.accelerators or kind.accelerator != server.accelerator:
                continue
            limit = left[kind.id]
            if limit is not None:
                if limit < 1:
                    continue
                left[kind.id] = limit - 1
            found[server.name] = Standing(server.name, kind, server.sharing)
        return {server.name: found[server.name] for server in self._previous.servers if server.name in found}

    def _placed(self, servers: Mapping[str, Standing]) -> Iterator[tuple[str, Placed]]:
        for old in self._previous.placements:
            item = self._by_name.get(old.workload)
            if item is None or not self._still_pooled(item, old):
                continue
            option = self._option(item, old)
            if isinstance(option, str):
                self._reasons[item.name] = option
            elif any(each.server not in servers for each in old.on):
                self._reasons[item.name] = "a server it stood on is no longer there"
            elif old.sharing != item.sharing:
                self._reasons[item.name] = "with whom it may share servers has changed"
            elif old.on:
                yield item.name, self._as_it_stands(item, option, old)
            elif (alone := run_alone(self._kinds, option)) is None:
                self._reasons[item.name] = "what it rented has no dated price any more"
            else:
                yield item.name, Placed(item, option, 1, alone=alone[0])

    def _still_pooled(self, item: Item, old: EstatePlacement) -> bool:
        return not item.instead_of or item.members == old.members

    def _option(self, item: Item, old: EstatePlacement) -> Option | str:
        """The option that it stands as, or why it no longer does."""
        same = item.asked == old.asked
        option = next(
            (one for one in item.options if (one.accelerator, one.accelerators) == (old.accelerator, old.accelerators)), None
        )
        if same or option is None:
            stands = Option(old.accelerator, old.accelerators, old.replicas - old.spares, old.precision, old.time)
            option = option if option is not None and not item.runs else stands if same else None
        if option is None:
            return "what stood before no longer does what is asked"
        if item.runs is not None and option.time is not None and option.time > within(item):
            took, wanted = show_base(option.time, "second"), show_base(within(item), "second")
            return f"a run there takes {took} and must now be done in {wanted}"
        return option

    def _as_it_stands(self, item: Item, option: Option, old: EstatePlacement) -> Placed:
        """As it stands, without replicas that are no longer needed: the last ones go."""
        surplus = max(0, old.replicas - item.replicas(option)) * option.accelerators
        on = [(each.server, each.accelerators) for each in old.on]
        if surplus:
            self._reasons[item.name] = "it needs fewer replicas"
        while surplus:
            server, accelerators = on.pop()
            taken = min(accelerators, surplus)
            surplus -= taken
            if accelerators > taken:
                on.append((server, accelerators - taken))
        return Placed(item, option, min(old.replicas, item.replicas(option)), tuple(on), old.lane)

    def _lane(self, leader: str, placed: dict[str, Placed]) -> None:
        """Let go of what makes a run late, and name another leader where the first has gone."""
        while True:
            riding = [each for each in placed.values() if each.lane == leader]
            if not riding or _in_time(riding):
                break
            first = sorted(riding, key=lambda each: within(each.item))
            enough = [each for each in first if _in_time([other for other in riding if other is not each])]
            gone = enough[0] if enough else max(riding, key=lambda each: each.option.time or 0.0)
            del placed[gone.item.name]
            self._reasons[gone.item.name] = "taking turns as before, a run would be late"
        if not riding or leader in placed:
            return
        head = max(riding, key=lambda each: each.option.accelerators)
        for each in riding:
            on = each.on
            if each is head and sum(number for _, number in on) != each.option.accelerators:
                on = ((on[0][0], each.option.accelerators),)
            placed[each.item.name] = replace(each, lane=head.item.name, on=on)

    def _waiting(self, placed: Mapping[str, Placed]) -> Iterator[Item]:
        pooled = {name for each in placed.values() for name in each.item.instead_of}
        for item in self._items:
            each = placed.get(item.name)
            if each is None:
                alone = not any(name in placed for name in item.instead_of)
                if item.name not in pooled and alone:
                    yield item
            elif item.runs is None and each.replicas < item.replicas(each.option):
                self._reasons[item.name] = "it needs more replicas"
                more = item.replicas(each.option) - each.replicas
                yield replace(item, options=(replace(each.option, replicas=more),), spares={})


def _came_or_went(
    new: EstatePlacement | None,
    old: EstatePlacement | None,
    before: Iterable[EstatePlacement],
    after: Iterable[EstatePlacement],
) -> str:
    """Why a placement is there or gone: its workload came or went, or shares replicas with others than before."""
    there = new or old
    others = {member for placement in (before if old is None else after) for member in placement.members}
    if there is not None and others.intersection(there.members):
        return "with whom it shares replicas has changed"
    return "it was not in the plan before" if old is None else "it is no longer in the document"


def _in_time(riding: Sequence[Placed]) -> bool:
    times = sum(each.option.time or 0.0 for each in riding)
    return times <= min((within(each.item) for each in riding), default=times) and (
        len(riding) == 1 or sum(busy(each.item, each.option) for each in riding) <= 1
    )


def _where(placement: EstatePlacement) -> tuple[object, ...]:
    stands = tuple(sorted((each.server, each.accelerators) for each in placement.on))
    return placement.accelerator, placement.accelerators, placement.replicas, stands


def _says(placement: EstatePlacement | None) -> str:
    if placement is None:
        return "nowhere"
    what = f"{placement.replicas} × {placement.accelerators} {placement.accelerator}"
    where = ", ".join(dict.fromkeys(each.server for each in placement.on))
    return f"{what} on {where}" if where else f"{what}, rented while it runs"
