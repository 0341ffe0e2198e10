"""Two pools that flock: what finds no machine at home is advertised at the neighbour."""

from __future__ import annotations

import random
from typing import Any

Attributes = list[dict[str, str]]
Found = list[tuple[str, str, float]]


def ad(type_: str, name: str, attributes: list[tuple[str, str, Any]]) -> dict[str, Attributes]:
    """An ad as `advertise` takes it."""
    own = [("MyType", "string", type_), ("Name", "string", name), *attributes]
    return {"attributes": [{"name": n, "type": t, "value": str(v)} for n, t, v in own]}


class Pool:
    """The machines and the users of one pool; the same seed makes the same pool."""

    def __init__(self, name: str, machines: int, seed: int) -> None:
        self.name = name
        self.random = random.Random(seed)
        self.hosts = [self._host(number) for number in range(machines)]
        self.submitted = 0

    def _host(self, number: int) -> dict[str, Any]:
        return {
            "Name": f"node{number:04d}.{self.name}.example.org",
            "Memory": self.random.choice([512, 1024, 2048, 4096, 8192]),
            "Arch": self.random.choice(["INTEL", "X86_64", "PPC"]),
            "OpSys": self.random.choice(["LINUX", "LINUX", "SOLARIS"]),
            "Disk": self.random.randrange(10_000, 1_000_000),
            "Mips": self.random.randrange(500, 5000),
            "KFlops": self.random.randrange(100_000, 2_000_000),
        }

    def machines(self, busy: set[str], hour: int) -> list[dict[str, Attributes]]:
        """The ads of the machines that are free: little changes from one hour to the next."""
        return [self._machine(host, hour) for host in self.hosts if host["Name"] not in busy]

    def _machine(self, host: dict[str, Any], hour: int) -> dict[str, Attributes]:
        load = round(self.random.random() / 2, 6)
        host["LoadAvg"] = load
        return ad(
            "Machine",
            host["Name"],
            [
                ("Machine", "string", host["Name"]),
                ("Arch", "string", host["Arch"]),
                ("OpSys", "string", host["OpSys"]),
                ("Memory", "int", host["Memory"]),
                ("VirtualMemory", "int", 2 * host["Memory"] * 1024),
                ("Disk", "int", host["Disk"]),
                ("Mips", "int", host["Mips"]),
                ("KFlops", "int", host["KFlops"]),
                ("LoadAvg", "double", load),
                ("CondorLoadAvg", "double", 0.0),
                ("KeyboardIdle", "int", 3600 * hour + 15),
                ("ConsoleIdle", "int", 3600 * hour + 15),
                ("State", "string", "Unclaimed"),
                ("Activity", "string", "Idle"),
                ("EnteredCurrentState", "int", 1_100_000_000),
                ("MyCurrentTime", "int", 1_100_000_000 + 3600 * hour),
                ("FileSystemDomain", "string", f"{self.name}.example.org"),
                ("UidDomain", "string", f"{self.name}.example.org"),
                ("HasCheckpointing", "boolean", "true"),
                ("StartdIpAddr", "string", "<192.0.2.1:9618>"),
                ("Requirements", "expression", "TARGET.ImageSize <= MY.Memory && MY.LoadAvg < 0.45"),
                ("Rank", "expression", "0"),
            ],
        )

    def jobs(self, count: int) -> list[dict[str, Any]]:
        """New jobs, as plain facts."""
        made = []
        for _ in range(count):
            made.append(
                {
                    "Name": f"{self.name}#{self.submitted:06d}",
                    "ImageSize": self.random.choice([256, 900, 1500, 3000, 6000]),
                    "Arch": self.random.choice(["INTEL", "X86_64"]),
                    "MipsLeast": self.random.choice([0, 1000, 3000]),
                    "Likes": self.random.choice(["KFlops", "Memory"]),
                }
            )
            self.submitted += 1
        return made


def job_ad(job: dict[str, Any]) -> dict[str, Attributes]:
    """The ad of a job."""
    return ad(
        "Job",
        job["Name"],
        [
            ("Owner", "string", "ada"),
            ("Cmd", "string", "bin/simulate"),
            ("Args", "string", f'--case "{job["Name"]}" < in & > out'),
            ("ImageSize", "int", job["ImageSize"]),
            (
                "Requirements",
                "expression",
                f'TARGET.Arch == "{job["Arch"].lower()}" && OpSys == "LINUX" && Mips >= {job["MipsLeast"]}'
                " && !(TARGET.HasCheckpointing =?= false)",
            ),
            ("Rank", "expression", f"TARGET.{job['Likes']} / 1024 - 100 * LoadAvg"),
        ],
    )


def run(matchmakers: list[Any], pools: list[Pool], rounds: int) -> list[Found]:
    """Hours of two pools; gives the matches of each negotiation. A matchmaker is `client.service` of one."""
    found: list[Found] = []
    busy: set[str] = set()
    waiting: list[list[dict[str, Any]]] = [[] for _ in pools]
    for hour in range(rounds):
        for index, (matchmaker, pool) in enumerate(zip(matchmakers, pools, strict=True)):
            waiting[index] += pool.jobs(max(len(pool.hosts) // 4, 1))
            matchmaker.advertise(ads=pool.machines(busy, hour))
            matchmaker.advertise(ads=[job_ad(job) for job in waiting[index]])
        # At home first, then at the neighbour's, who has what is left.
        for index in range(len(pools)):
            found.append(negotiated(matchmakers[index], busy, waiting))
        for index, pool in enumerate(pools):
            neighbour = matchmakers[(index + 1) % len(pools)]
            flocking = [job for job in waiting[index] if job["Name"].startswith(pool.name)]
            neighbour.advertise(ads=[job_ad(job) for job in flocking])
            found.append(negotiated(neighbour, busy, waiting))
            neighbour.withdraw(type="Job", names=[job["Name"] for job in flocking])
        for matchmaker, pool in zip(matchmakers, pools, strict=True):
            matchmaker.withdraw(type="Job", names=[f"{pool.name}#{n:06d}" for n in range(pool.submitted)])
    return found


def negotiated(matchmaker: Any, busy: set[str], waiting: list[list[dict[str, Any]]]) -> Found:
    """One negotiation: its machines become busy, its jobs wait no longer."""
    matches = [(m.job, m.machine, m.rank) for m in matchmaker.negotiate()]
    busy.update(machine for _, machine, _ in matches)
    served = {job for job, _, _ in matches}
    for jobs in waiting:
        jobs[:] = [job for job in jobs if job["Name"] not in served]
    return matches
