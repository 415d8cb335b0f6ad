"""What a replica holds over time, at even moments, in a list that stays short however long the simulation runs."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST = 2048


@dataclass
class Samples:
    """Blocks in use, waiting and running requests at 0, interval, 2 × interval…; of too many, every second one goes."""

    interval: float
    rows: list[tuple[float, int, int]] = field(default_factory=list)

    @property
    def due(self) -> float:
        """Time of the next sample."""
        return len(self.rows) * self.interval

    def take(self, begin: float, end: float, blocks: int, added: int, waiting: int, running: int) -> float:
        """Samples up to `end`: nothing before `begin`, then blocks that rise by `added` until the end. Returns the next due."""
        while (moment := self.due) <= end:
            if moment < begin:
                self.rows.append((0.0, 0, 0))
            else:
                share = (moment - begin) / (end - begin) if end > begin else 0.0
                self.rows.append((blocks + added * share, waiting, running))
            if len(self.rows) >= MOST:
                self.rows = self.rows[::2]
                self.interval *= 2
        return self.due


def together(samples: list[Samples]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times, and rows of blocks, waiting and running summed over replicas. All began with the same interval."""
    interval = max(each.interval for each in samples)
    series = [each.rows[:: round(interval / each.interval)] for each in samples]
    total = np.zeros((max(len(rows) for rows in series), 3))
    for rows in series:
        if rows:
            total[: len(rows)] += np.array(rows, dtype=float)
    return interval * np.arange(len(total), dtype=np.float64), total
