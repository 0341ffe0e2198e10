"""zeep's tokens of WS-Security."""

from .username import UsernameToken

__all__ = ["UsernameToken"]
