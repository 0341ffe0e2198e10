"""zeep's tokens of WS-Security."""

from .compose import Compose
from .username import UsernameToken

__all__ = ["Compose", "UsernameToken"]
