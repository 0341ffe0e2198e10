"""Two pools that flock: what finds no machine at home is advertised at the neighbour.

    python flock.py [--url http://127.0.0.1:8080/ --url http://127.0.0.1:8081/] [--machines 100] [--rounds 5]

Without two addresses it starts both matchmakers itself.
"""

from __future__ import annotations

import argparse
import contextlib
import time

import castile

from matchmaker_service import Matchmaker
from pools import Pool, run


def main() -> None:
    """Runs two pools and says how many jobs each negotiation placed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", action="append", default=[], help="where a matchmaker is; give it twice")
    parser.add_argument("--machines", type=int, default=100, help="in each pool")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if len(arguments.url) not in (0, 2):
        parser.error("two matchmakers are needed, or none")
    with contextlib.ExitStack() as stack:
        urls = arguments.url or [
            stack.enter_context(castile.serve(Matchmaker(), port=0, background=True)).url for _ in range(2)
        ]
        matchmakers = [castile.Client(f"{url}?wsdl").service for url in urls]
        pools = [Pool("north", arguments.machines, 1), Pool("south", arguments.machines, 2)]
        began = time.perf_counter()
        found = run(matchmakers, pools, arguments.rounds)
        seconds = time.perf_counter() - began
        left = matchmakers[0].query(constraint='MyType == "Machine" && Memory >= 4096')
    for hour in range(arguments.rounds):
        home, away = found[4 * hour : 4 * hour + 2], found[4 * hour + 2 : 4 * hour + 4]
        print(f"hour {hour}: {sum(map(len, home))} jobs at home, {sum(map(len, away))} at the neighbour's")
    print(
        f"{sum(map(len, found))} of {sum(pool.submitted for pool in pools)} jobs in {seconds:.2f} s;"
        f" {len(left)} large machines are still free in the north"
    )


if __name__ == "__main__":
    main()
