"""What is logged, as the environment says: `CASTILE_LOG`, as for the command."""

from __future__ import annotations

import logging
import os

__all__ = ["set_levels"]

_LEVELS = {
    "off": logging.CRITICAL + 10,
    "error": logging.ERROR,
    "warn": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
    "trace": 5,
}


def set_levels(text: str | None) -> None:
    """Sets the levels of our loggers: `error`, or `castile_http=debug,warn`.

    >>> set_levels("castile_http=error,debug")
    >>> logging.getLogger("castile.http").level == logging.ERROR
    True
    >>> logging.getLogger("castile").level == logging.DEBUG
    True
    >>> for name in ("castile", "castile.http"):
    ...     logging.getLogger(name).setLevel(logging.NOTSET)
    """
    for part in text.split(",") if text else ():
        target, _, word = part.strip().rpartition("=")
        level = _LEVELS.get(word.strip().lower())
        name = target.strip().split("::")[0].replace("castile_", "castile.", 1) or "castile"
        if level is None or name.split(".")[0] != "castile":
            logging.getLogger("castile").warning("CASTILE_LOG: %r is not understood", part)
            continue
        logging.getLogger(name).setLevel(level)


set_levels(os.environ.get("CASTILE_LOG"))
