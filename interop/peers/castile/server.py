"""Castile's server in the suite: echoes what it decoded, the contracts on a port each.

Prints "READY" and five ports (interop, rpc, shapes, interop where addressing is required, every) once it
accepts; ends when its standard input is closed.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

import castile

HERE = Path(__file__).resolve().parents[2]


class Interop:
    """One method an operation of interop.wsdl; arguments and results are named as in the contract."""

    def __init__(self) -> None:
        self.notices: dict[str, tuple[int, str, float]] = {}
        self.lock = threading.Lock()

    def echoVoid(self) -> None:
        pass

    def echoDoubles(self, value: Any) -> Any:
        return value

    echoInts = echoStrings = echoDoubles

    def echoString(self, text: str | None = None) -> str | None:
        return text

    def echoMios(self, mio: Any) -> Any:
        return mio

    def echoEvents(self, event: Any) -> Any:
        return event

    def echoPerson(self, person: Any) -> Any:
        return person

    def echoScalars(self, scalars: Any) -> Any:
        return scalars

    def failDeclared(self, code: int, reason: str, path: list[str]) -> NoReturn:
        detail = {"code": code, "reason": reason, "path": path}
        raise castile.Fault(reason, detail=("{urn:castile:interop}ServiceFault", detail))

    def failUndeclared(self, reason: str) -> NoReturn:
        raise castile.Fault(reason)

    def useSession(self, text: str) -> str:
        call = castile.current_call()
        token = call.headers["SessionToken"]
        call.reply_headers = {"SessionState": {"token": token.token, "sequence": token.sequence + 1}}
        return text

    def notify(self, key: str, text: str, value: float) -> None:
        with self.lock:
            self.notices[key] = (self.notices.get(key, (0,))[0] + 1, text, value)

    def lastNotice(self, key: str) -> dict[str, Any]:
        with self.lock:
            count, text, value = self.notices.get(key, (0, None, None))
        return {"count": count, "text": text, "value": value}


class Rpc:
    """One method an operation of rpc.wsdl."""

    def rpcVoid(self) -> None:
        pass

    def rpcScalars(self, number: int, amount: float, text: str) -> dict[str, Any]:
        return {"number": number, "amount": amount, "text": text}

    def rpcDoubles(self, doubles: Any) -> Any:
        return doubles

    def rpcMios(self, mios: Any) -> Any:
        return mios

    def rpcFail(self, reason: str) -> NoReturn:
        detail = {"reason": reason}
        raise castile.Fault(reason, detail=("{urn:castile:interop:rpc:types}RpcFault", detail))


class Shapes:
    """One method an operation of shapes.wsdl."""

    def echoShapes(self, shape: Any) -> Any:
        return shape

    def echoFigures(self, figure: Any) -> Any:
        return figure

    def echoNumber(self, Number: float) -> float:
        return Number

    def echoDrawing(self, title: str, figure: Any, cover: Any = None) -> dict[str, Any]:
        return {"title": title, "figure": figure, **({} if cover is None else {"cover": cover})}

    def failShape(self, shape: Any = None, text: str | None = None) -> NoReturn:
        if shape is None:
            raise castile.Fault("text", detail=("{urn:castile:interop:shapes}TextFault", text))
        raise castile.Fault("shape", detail=("{urn:castile:interop:shapes}ShapeFault", {"shape": shape}))


def main() -> None:
    interop = castile.serve(Interop(), port=0, wsdl=HERE / "interop.wsdl", background=True)
    rpc = castile.serve(Rpc(), port=0, wsdl=HERE / "rpc.wsdl", background=True)
    shapes = castile.serve(Shapes(), port=0, wsdl=HERE / "shapes.wsdl", background=True)
    addressing = castile.CheckAddressing(required=True, reply_hosts=["127.0.0.1"])
    addressed = castile.serve(
        Interop(), port=0, wsdl=HERE / "interop.wsdl", background=True, layers=[addressing]
    )
    # What an operation is given goes back as it is.
    every = castile.serve(
        {"echoEvery": lambda every: every}, port=0, wsdl=HERE / "every.wsdl", background=True
    )
    print("READY", *(it.port for it in (interop, rpc, shapes, addressed, every)), flush=True)
    sys.stdin.read()


main()
