"""Rounds as the engine gives them to a verdict, made from a few numbers: IOPS, latencies, counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from collectors.fio.histogram import Histogram
from sessions.times import TimeRange
from wizards.flows.measured import Observed, Role, Round, Transfers, WorkerRound
from workloads.environment import Disturbance, WorkSample

SECONDS = 240
BLOCK = 8192


@dataclass
class Storage:
    """A storage whose rounds scatter by ``scatter`` (of 1), and whose seconds by ``noise``."""

    seed: int = 1
    scatter: float = 0.005
    noise: float = 0.01
    clock: int = 1_000_000_000_000
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def measure(
        self,
        step: str,
        number: int,
        iops: Mapping[str, float],
        *,
        latency_ms: Mapping[str, float] | float = 10.0,
        write_ms: float | None = None,
        roles: Mapping[str, Role] | None = None,
        hosts: Mapping[str, str] | None = None,
        counters: Mapping[tuple[str, str], Sequence[float]] | None = None,
        reads: float = 0.7,
        setting: float = float("nan"),
        facts: Mapping[str, float] | None = None,
        disturbed: str = "",
        outstanding: float | None = None,
        block: int = BLOCK,
    ) -> Round:
        """A round of four minutes with one sample a second; the next one begins a minute later."""
        window = TimeRange(self.clock, self.clock + SECONDS * 1000)
        self.clock += (SECONDS + 60) * 1000
        level = float(np.exp(self.scatter * self.random.standard_normal()))
        workers = []
        for name, one in iops.items():
            read_ms = latency_ms if isinstance(latency_ms, float) else latency_ms[name]
            workers.append(
                self._worker(
                    name,
                    one * level,
                    window,
                    (read_ms / level, (write_ms or read_ms) / level),
                    reads,
                    (roles or {}).get(name, ""),
                    (hosts or {}).get(name, ""),
                    outstanding,
                    block,
                )
            )
        times = np.arange(window.start, window.end, 20_000, dtype=np.int64)
        observed = tuple(
            Observed(counter, of, times, np.resize(np.array(values, np.float64), times.size))
            for (counter, of), values in (counters or {}).items()
        )
        events = (Disturbance(window.start, "vMotion", disturbed),) if disturbed else ()
        return Round(
            step,
            number,
            window,
            tuple(workers),
            setting,
            float(SECONDS),
            observed,
            events,
            facts or {},
        )

    def _worker(
        self,
        name: str,
        iops: float,
        window: TimeRange,
        latencies: tuple[float, float],
        reads: float,
        role: Role,
        host: str,
        outstanding: float | None,
        block: int,
    ) -> WorkerRound:
        noise = 1 + self.noise * self.random.standard_normal(SECONDS)
        samples = tuple(
            WorkSample(window.start + 1000 * (at + 1), *self._second(iops * noise[at], reads, latencies))
            for at in range(SECONDS)
        )
        total = int(iops * SECONDS)
        sides = [
            self._side(int(total * part), ms, block)
            for part, ms in zip((reads, 1 - reads), latencies, strict=True)
        ]
        mean = reads * latencies[0] + (1 - reads) * latencies[1]
        depth = outstanding if outstanding is not None else iops * mean / 1000
        return WorkerRound(
            name,
            sides[0],
            sides[1],
            role,
            host,
            outstanding=depth,
            samples=samples,
            depth_reached=0.99,
            cpu=30.0,
        )

    def _second(
        self, iops: float, reads: float, latencies: tuple[float, float]
    ) -> tuple[float, float, float, float, float, float]:
        mb = BLOCK / (1 << 20)
        read, write = iops * reads, iops * (1 - reads)
        return read, write, read * mb, write * mb, latencies[0], latencies[1]

    @staticmethod
    def _side(ios: int, ms: float, block: int) -> Transfers:
        """Latencies spread from a half to three times their mean, so that p95 is about 2.4 times as high."""
        if not ios:
            return Transfers()
        spread = np.linspace(0.4, 1.6, 200) ** 2
        spread = spread / spread.mean()
        latencies = Histogram.of_latencies((spread * ms * 1e6).astype(np.int64))
        return Transfers(ios, ios * block, ms, latencies)
