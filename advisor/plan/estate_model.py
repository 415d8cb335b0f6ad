"""Which option carries each item, and how many servers of each kind stand for it, at the least cost.

Servers of a kind are alike, so they are counted rather than told apart. A replica takes a place of one, two, four … accelerators
(its own number, rounded up). Such places divide one another, and then replicas fit on servers exactly when, for every size of
place, those of that size and above take no more of it than the servers have: a server of ten has five places of two and one of
eight. A replica larger than every server takes whole ones.

Runs that end may take turns on the same accelerators. One leads, the one with the shortest time to be done in, and others ride:
each may have to wait for one run of every other and is still done in time, and together they do not fill the year. Or a run rents
its accelerators while it lasts.

Of plans of equal cost the one on the fewest accelerators is taken, then the one with the recommended options.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from advisor.plan.estate_items import Item, busy
from advisor.plan.estate_options import Option
from advisor.plan.estate_programme import Programme, Solution
from advisor.plan.estate_supply import Kind
from advisor.workload.budget import YEAR

# A replica over several servers takes whole ones; smaller ones have no network for that.
_SPREADS_FROM = 8
# Weights of what decides between equal costs, as parts of the cheapest accelerator's price: one that stands, a later option.
_STANDING, _LATER = 1e-3, 1e-4
# So many runs may ride with one that has less time; more would make the programme grow with the square of the runs.
_RIDERS = 8
# What an accelerator without a price counts as, over the dearest that has one.
_UNPRICED = 2.0
# What an item that stands nowhere counts as, over its own accelerators at the dearest price.
_LEFT_OUT = 1000.0
# What power beyond the site's counts as, over that of the smallest accelerator at the dearest price.
_BEYOND = 10.0


@dataclass(frozen=True)
class Chosen:
    """How one item is carried. lane: the item whose accelerators it takes turns on; alone: it rents them while it lasts."""

    item: Item
    option: Option
    lane: str | None = None
    alone: Kind | None = None
    whole: tuple[tuple[Kind, int], ...] = ()


@dataclass(frozen=True)
class Choice:
    """The choice for all items. servers: how many of a kind are taken by those of one sharing."""

    chosen: tuple[Chosen, ...]
    kinds: tuple[Kind, ...]
    servers: dict[tuple[str, str], int]
    solution: Solution


def place_of(accelerators: int) -> int:
    """Accelerators of the place that so many take: the next power of two."""
    return 1 << max(0, accelerators - 1).bit_length()


def holds(kind: Kind, accelerators: int) -> bool:
    """Whether a server of the kind has a place for so many."""
    return place_of(accelerators) <= kind.size


def servers_for(kind: Kind, accelerators: int) -> int | None:
    """Whole servers of a kind that so many take, or None where they do not divide onto them."""
    if accelerators <= kind.size:
        return 1
    divides = accelerators % kind.size == 0 and kind.size >= _SPREADS_FROM
    return accelerators // kind.size if divides and kind.server is None else None


def run_alone(kinds: Iterable[Kind], option: Option) -> tuple[Kind, int] | None:
    """The cheapest priced servers that hold one run, and how many of them."""
    found = [
        (kind.rate * number, number, kind)
        for kind in kinds
        if kind.accelerator == option.accelerator
        and kind.rate is not None
        and not kind.owned
        and kind.server is None
        and (number := servers_for(kind, option.accelerators)) is not None
    ]
    if not found:
        return None
    _, number, kind = min(found, key=lambda each: (each[0], each[2].id))
    return kind, number


@dataclass(frozen=True)
class Lane:
    """Accelerators that runs take turns on already. slack: seconds of further runs that all of them can wait for. within: the
    shortest time that one of them must be done in. room: part of the year that is left."""

    leader: str
    sharing: str
    accelerator: str
    accelerators: int
    within: float
    slack: float
    room: float


def choose(
    items: Sequence[Item], kinds: Sequence[Kind], lanes: Sequence[Lane] = (), *, power_left: float | None = None
) -> Choice:
    """The cheapest choice for all items; one that no server takes is left out of `chosen`.

    power_left: watts of design power for the accelerators of further servers; where no choice keeps it, the one that needs least
    more.
    """
    return _Model(items, kinds, lanes, power_left).solve()


class _Model:
    """The programme of some items on some kinds of servers."""

    def __init__(self, items: Sequence[Item], kinds: Sequence[Kind], lanes: Sequence[Lane], power_left: float | None) -> None:
        self._items, self._kinds, self._lanes, self._power_left = items, kinds, lanes, power_left
        self._programme = Programme()
        self._by_item: dict[str, list[tuple[int, Chosen]]] = {item.name: [] for item in items}
        # Places that a variable takes: for each sharing and accelerator, (variable, place, how many).
        self._places: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
        self._whole: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
        self._spread: dict[int, list[tuple[int, Kind]]] = {}
        per_accelerator = [kind.rate / kind.size for kind in kinds if kind.rate]
        self._least = min(per_accelerator, default=1.0)
        self._dearest = max(per_accelerator, default=self._least)

    def solve(self) -> Choice:
        for item in self._items:
            for position, option in enumerate(item.options):
                self._stand(item, option, position)
        self._take_turns()
        unplaced = self._assign()
        servers = self._count_servers()
        self._keep_power(servers)
        solution = self._programme.solve()
        assert solution is not None, "items may be left out, so something always keeps every row"
        values = solution.values
        chosen = []
        for item in self._items:
            for variable, one in self._by_item[item.name]:
                if values[variable] > 0.5 and variable not in unplaced:
                    spread = self._spread.get(variable, ())
                    whole = tuple((kind, int(values[place])) for place, kind in spread if values[place] > 0.5)
                    chosen.append(replace(one, whole=whole))
        counts = {key: int(values[variable]) for key, variable in servers.items() if values[variable] > 0.5}
        return Choice(tuple(chosen), tuple(self._kinds), counts, solution)

    def _stand(self, item: Item, option: Option, position: int) -> None:
        """An option on servers of its own all year; and, for runs, on servers rented while they last."""
        kinds = [kind for kind in self._kinds if kind.accelerator == option.accelerator and kind.sharing in (None, item.sharing)]
        cost = _LATER * position * option.accelerators * item.replicas(option)
        if any(holds(kind, option.accelerators) for kind in kinds):
            variable = self._add(item, Chosen(item, option, lane=item.name if item.runs else None), cost)
            place = place_of(option.accelerators)
            self._places[item.sharing, option.accelerator].append((variable, place, item.replicas(option)))
        else:
            self._stand_on_whole(item, option, cost, kinds)
        alone = run_alone(kinds, option) if item.runs else None
        if alone is not None:
            kind, number = alone
            assert kind.rate is not None
            self._add(item, Chosen(item, option, alone=kind), kind.rate * number * busy(item, option) / self._least + cost)

    def _stand_on_whole(self, item: Item, option: Option, cost: float, kinds: Sequence[Kind]) -> None:
        fitting = [(kind, number) for kind in kinds if (number := servers_for(kind, option.accelerators)) is not None]
        if not fitting:
            return
        variable = self._add(item, Chosen(item, option, lane=item.name if item.runs else None), cost)
        replicas = item.replicas(option)
        spread = [(self._programme.variable(high=replicas), kind) for kind, _ in fitting]
        self._programme.row({variable: -replicas, **{place: 1.0 for place, _ in spread}}, 0.0, 0.0)
        for (place, kind), (_, number) in zip(spread, fitting, strict=True):
            self._whole[kind.id, item.sharing][place] = float(number)
        self._spread[variable] = spread

    def _add(self, item: Item, chosen: Chosen, cost: float) -> int:
        variable = self._programme.variable(cost)
        self._by_item[item.name].append((variable, chosen))
        return variable

    def _take_turns(self) -> None:
        """Who may ride on whose accelerators; the leader is the one with the shortest time to be done in."""
        runs = [(position, item) for position, item in enumerate(self._items) if item.runs is not None]
        runs.sort(key=lambda each: (within(each[1]), each[0]))
        ordered = [item for _, item in runs]
        for number, leader in enumerate(ordered):
            for variable, lead in [each for each in self._by_item[leader.name] if each[1].lane == leader.name]:
                assert lead.option.time is not None
                slack = within(leader) - lead.option.time
                lane = Lane(
                    leader.name,
                    leader.sharing,
                    lead.option.accelerator,
                    lead.option.accelerators,
                    within(leader),
                    slack,
                    1.0 - busy(leader, lead.option),
                )
                self._ride(lane, ordered[number + 1 : number + 1 + _RIDERS], variable)
        for lane in self._lanes:
            self._ride(lane, ordered, None)

    def _ride(self, lane: Lane, riders: Iterable[Item], leading: int | None) -> None:
        times: dict[int, float] = {}
        years: dict[int, float] = {}
        for item in riders:
            if item.sharing != lane.sharing or within(item) < lane.within:
                continue
            for position, option in enumerate(item.options):
                part = busy(item, option)
                assert option.time is not None
                fits = option.accelerator == lane.accelerator and option.accelerators <= lane.accelerators
                if fits and option.time <= lane.slack and part <= lane.room:
                    cost = _LATER * (position + 0.5) * option.accelerators
                    variable = self._add(item, Chosen(item, option, lane=lane.leader), cost)
                    times[variable], years[variable] = option.time / lane.slack, part / lane.room
                    if leading is not None:
                        self._programme.row({variable: 1.0, leading: -1.0}, high=0.0)
        for used in (times, years):
            if leading is None:
                self._programme.row(used, high=1.0)
            else:
                self._programme.row({**used, leading: -1.0} if used else {}, high=0.0)

    def _assign(self) -> frozenset[int]:
        """Every item once, by itself or in one that stands in its place; or left out, at a price that nothing else reaches."""
        shared: dict[str, list[int]] = defaultdict(list)
        for item in self._items:
            for name in item.instead_of:
                shared[name] += [variable for variable, _ in self._by_item[item.name]]
        unplaced = set()
        for item in self._items:
            if item.instead_of:
                self._programme.row({variable: 1.0 for variable, _ in self._by_item[item.name]}, high=1.0)
                continue
            most = max((option.accelerators * item.replicas(option) for option in item.options), default=1)
            left_out = self._programme.variable(_LEFT_OUT * most * self._dearest / self._least)
            unplaced.add(left_out)
            ways = [variable for variable, _ in self._by_item[item.name]] + shared[item.name]
            self._programme.row({left_out: 1.0, **dict.fromkeys(ways, 1.0)}, 1.0, 1.0)
        return frozenset(unplaced)

    def _count_servers(self) -> dict[tuple[str, str], int]:
        counts: dict[tuple[str, str], int] = {}
        users = dict.fromkeys((item.sharing, option.accelerator) for item in self._items for option in item.options)
        by_kind: dict[str, dict[int, float]] = defaultdict(dict)
        for kind in self._kinds:
            for sharing, accelerator in users:
                if accelerator != kind.accelerator or kind.sharing not in (None, sharing):
                    continue
                most = sum(number * max(1, place) for _, place, number in self._places[sharing, accelerator])
                whole = self._whole[kind.id, sharing]
                most += sum(round(number * self._programme.highs[place]) for place, number in whole.items())
                high = min(kind.limit if kind.limit is not None else np.inf, max(1, most))
                rate = kind.rate if kind.rate is not None else _UNPRICED * self._dearest * kind.size
                standing = 0.0 if kind.server is not None else _STANDING * kind.size
                variable = self._programme.variable(rate / self._least + standing, high)
                counts[kind.id, sharing] = variable
                by_kind[kind.id][variable] = 1.0
                if whole:
                    self._programme.row({**whole, variable: -1.0}, high=0.0)
            if kind.limit is not None and len(by_kind[kind.id]) > 1:
                self._programme.row(by_kind[kind.id], high=float(kind.limit))
        for (sharing, accelerator), takes in self._places.items():
            self._fit(sharing, accelerator, takes, counts)
        return counts

    def _keep_power(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Design power of what is added; more than is left is worse than any price and better than leaving something out."""
        if self._power_left is None:
            return
        draw = {kind.id: kind.power * kind.size for kind in self._kinds if kind.server is None and kind.power}
        terms = {variable: draw[id] for (id, _), variable in counts.items() if id in draw}
        if not terms:
            return
        per_watt = _BEYOND * self._dearest / self._least / min(kind.power for kind in self._kinds if kind.power)
        beyond = self._programme.variable(per_watt, np.inf, whole=False)
        self._programme.row({**terms, beyond: -1.0}, high=max(0.0, self._power_left))

    def _fit(
        self, sharing: str, accelerator: str, takes: Sequence[tuple[int, int, int]], counts: dict[tuple[str, str], int]
    ) -> None:
        """For every size of place: what takes at least it, in places of that size, is no more than the servers have of them."""
        for size in sorted({place for _, place, _ in takes}):
            terms: dict[int, float] = defaultdict(float)
            for variable, place, number in takes:
                if place >= size:
                    terms[variable] += number * place / size
            for kind in self._kinds:
                standing = counts.get((kind.id, sharing)) if kind.accelerator == accelerator else None
                if standing is not None:
                    terms[standing] -= kind.size // size
                    for place, number_of in self._whole[kind.id, sharing].items():
                        terms[place] += number_of * (kind.size // size)
            self._programme.row(terms, high=0.0)


def within(item: Item) -> float:
    """Seconds in which a run must be done; without a deadline it can wait for a twelfth of a year."""
    assert item.runs is not None
    return item.runs.within if item.runs.within is not None else YEAR / 12
