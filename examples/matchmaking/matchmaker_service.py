"""The matchmaker of a pool: machines and jobs advertise, and it tells who fits whom.

python matchmaker_service.py [--port 8080]
"""

from __future__ import annotations

import argparse

import castile

from broker import BadAd, BadConstraint, Broker, ClassAd, Match


@castile.service(namespace="urn:example:matchmaking")
class Matchmaker:
    """The ads of one pool. An ad replaces the last one of the same type and name."""

    def __init__(self) -> None:
        self._broker = Broker()

    @castile.operation(faults=[BadAd])
    def advertise(self, ads: list[ClassAd]) -> int:
        """Takes ads, all or none; gives how many the pool has now."""
        return self._broker.advertise(ads)

    @castile.operation
    def withdraw(self, type: str, names: list[str]) -> int:
        """Takes ads back; gives how many there were."""
        return self._broker.withdraw(type, names)

    @castile.operation(faults=[BadConstraint])
    def query(self, constraint: str) -> list[ClassAd]:
        """The ads for which the constraint holds, by type and name."""
        return self._broker.query(constraint)

    @castile.operation
    def negotiate(self) -> list[Match]:
        """Gives each job the machine that it likes best; both then leave the pool."""
        return self._broker.negotiate()


def main() -> None:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8080)
    arguments = parser.parse_args()
    print(f"http://127.0.0.1:{arguments.port}/?wsdl", flush=True)
    castile.serve(Matchmaker(), port=arguments.port)


if __name__ == "__main__":
    main()
