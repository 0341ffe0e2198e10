"""The spyne server of the suite: our contract written again in spyne's classes (it can't read a WSDL).

Prints "READY <port>" once it accepts; ends when its standard input is closed.
"""
# ruff: noqa: ANN001, ANN002, ANN201, ANN202 - spyne takes the types in its decorators

from __future__ import annotations

import os
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from spyne import Application, ComplexModel, Fault, ServiceBase, rpc
from spyne.model import (
    AnyUri,
    Boolean,
    Byte,
    ByteArray,
    Date,
    DateTime,
    Decimal,
    Double,
    Enum,
    Float,
    Int,
    Integer,
    Long,
    Short,
    Time,
    Unicode,
    UnsignedByte,
    UnsignedInt,
    UnsignedLong,
    UnsignedShort,
    XmlAttribute,
    primitive,
)
from spyne.protocol.soap import Soap11, Soap12
from spyne.util.wsgi_wrapper import WsgiMounter

SERVICE = "urn:castile:interop"
TYPES = "urn:castile:interop:types"


class Typed(ComplexModel):
    __namespace__ = TYPES


def many(type_):
    return type_.customize(min_occurs=0, max_occurs="unbounded", nillable=False)


Text = Unicode(nillable=False, min_occurs=1, trim=False)
OptionalText = Unicode(nillable=False, min_occurs=0)
Plain = Decimal(str_format="{:f}")  # else spyne writes an exponent, as str(Decimal) does


class Mio(Typed):
    x = Int(min_occurs=1)
    y = Int(min_occurs=1)
    value = Double(min_occurs=1)


class Event(Typed):
    id = Int(min_occurs=1)
    value = Double(min_occurs=1)
    text = Text


Colour = Enum("red", "green", "deep-blue", type_name="Colour", __namespace__=TYPES)


class Address(Typed):
    street = Text
    city = Text
    postcode = OptionalText
    country = XmlAttribute(Unicode)


class Member(Typed):
    name = Text
    score = many(Double)


class Group(Typed):
    label = Text
    member = many(Member)


class Person(Typed):
    name = Text
    nickname = OptionalText
    title = Unicode(nillable=True, min_occurs=1)
    born = Date(min_occurs=1)
    seen = DateTime(min_occurs=1)
    balance = Plain(min_occurs=1)
    photo = ByteArray(min_occurs=1)
    active = Boolean(min_occurs=1)
    colour = Colour.customize(min_occurs=1)
    height = Double(nillable=True, min_occurs=1)
    address = Address.customize(min_occurs=1)
    work = Address.customize(min_occurs=0)
    alias = many(Unicode)
    group = many(Group)
    id = XmlAttribute(Int, use="required")
    rank = XmlAttribute(Unicode)


class Scalars(Typed):
    int8 = Byte(min_occurs=1)
    int16 = Short(min_occurs=1)
    int32 = Int(min_occurs=1)
    int64 = Long(min_occurs=1)
    uint8 = UnsignedByte(min_occurs=1)
    uint16 = UnsignedShort(min_occurs=1)
    uint32 = UnsignedInt(min_occurs=1)
    uint64 = UnsignedLong(min_occurs=1)
    integer = Integer(min_occurs=1)
    float32 = Float(min_occurs=1)
    float64 = Double(min_occurs=1)
    decimal = Plain(min_occurs=1)
    flag = Boolean(min_occurs=1)
    day = Date(min_occurs=1)
    clock = Time(min_occurs=1)
    instant = DateTime(min_occurs=1)
    link = AnyUri(min_occurs=1)
    hex = Unicode(min_occurs=1, pattern="([0-9A-Fa-f]{2})*")  # spyne 2.14 can't read hexBinary on Python 3
    base64 = ByteArray(min_occurs=1)


class SessionToken(ComplexModel):
    __namespace__ = SERVICE
    token = Text
    sequence = Int(min_occurs=1)


class SessionState(ComplexModel):
    __namespace__ = SERVICE
    token = Text
    sequence = Int(min_occurs=1)


class ServiceFault(ComplexModel):
    __namespace__ = SERVICE
    code = Int(min_occurs=1)
    reason = Text
    path = many(Unicode)


NOTICES: dict[str, tuple[int, str, float]] = {}


def echo(name, field, type_):
    """An operation that takes one field and gives it back under the same name."""

    def operation(ctx, value):
        return value

    operation.__name__ = operation.__qualname__ = name
    return rpc(type_, _args=[field], _returns=type_, _out_variable_name=field)(operation)


class Interop(ServiceBase):
    echoDoubles = echo("echoDoubles", "value", many(Double))
    echoInts = echo("echoInts", "value", many(Int))
    echoStrings = echo("echoStrings", "value", many(Unicode))
    echoString = echo("echoString", "text", OptionalText)
    echoMios = echo("echoMios", "mio", many(Mio))
    echoEvents = echo("echoEvents", "event", many(Event))

    @rpc(Person.customize(min_occurs=1), _args=["person"], _returns=Person, _out_variable_name="person")
    def echoPerson(ctx, person):
        person.photo = person.photo or [b""]  # spyne reads an empty element as None, and would write nil
        return person

    @rpc(Scalars.customize(min_occurs=1), _args=["scalars"], _returns=Scalars, _out_variable_name="scalars")
    def echoScalars(ctx, scalars):
        scalars.base64 = scalars.base64 or [b""]
        return scalars

    @rpc()
    def echoVoid(ctx):
        return None

    @rpc(Int, Text, many(Unicode), _args=["code", "reason", "path"])
    def failDeclared(ctx, code, reason, path):
        # spyne takes a detail as a dict, whose members get no namespace of their own: spelled out here.
        ns = f"{{{SERVICE}}}"
        detail = {ns + "code": str(code), ns + "reason": reason}
        if path:
            detail[ns + "path"] = path
        raise Fault("Server", reason, detail={ns + "ServiceFault": detail})

    @rpc(Text, _args=["reason"])
    def failUndeclared(ctx, reason):
        raise Fault("Server", reason)

    @rpc(
        Text,
        _args=["text"],
        _returns=Text,
        _out_variable_name="text",
        _in_header=(SessionToken,),
        _out_header=(SessionState,),
    )
    def useSession(ctx, text):
        ctx.out_header = SessionState(token=ctx.in_header.token, sequence=ctx.in_header.sequence + 1)
        return text

    @rpc(Text, Text, Double, _args=["key", "text", "value"])
    def notify(ctx, key, text, value):
        count = NOTICES.get(key, (0,))[0]
        NOTICES[key] = (count + 1, text, value)

    @rpc(
        Text,
        _args=["key"],
        _returns=[Int(min_occurs=1), OptionalText, Double(min_occurs=0, nillable=False)],
        _out_variable_names=["count", "text", "value"],
    )
    def lastNotice(ctx, key):
        return NOTICES.get(key, (0, None, None))


# Every simple type that spyne has, by the name that XML Schema gives it.
EVERY = {
    "decimal": Plain,
    "integer": Integer,
    "long": Long,
    "int": Int,
    "short": Short,
    "byte": Byte,
    "nonNegativeInteger": primitive.NonNegativeInteger,
    "unsignedLong": UnsignedLong,
    "unsignedInt": UnsignedInt,
    "unsignedShort": UnsignedShort,
    "unsignedByte": UnsignedByte,
    "float": Float,
    "double": Double,
    "boolean": Boolean,
    "base64Binary": ByteArray,
    "anyURI": AnyUri,
    "QName": primitive.QName,
    "duration": primitive.Duration,
    "dateTime": DateTime,
    "time": Time,
    "date": Date,
    "token": primitive.Token,
    "language": primitive.Language,
    "NMTOKEN": primitive.NMToken,
    "Name": primitive.Name,
    "NCName": primitive.NCName,
    "ID": primitive.ID,
    "normalizedString": primitive.NormalizedString,
    "string": Unicode,
}
Every = type(
    "Every",
    (ComplexModel,),
    {
        "__namespace__": "urn:castile:interop:every",
        "_type_info": [(f"{name}Value", type_.customize(min_occurs=0)) for name, type_ in EVERY.items()],
    },
)


class EveryService(ServiceBase):
    @rpc(Every, _args=["every"], _returns=Every, _out_variable_name="every")
    def echoEvery(ctx, every):
        return every


def leave_empty(ctx):
    """spyne has no one-way operations over HTTP: it would answer with an empty notifyResponse."""
    if ctx.descriptor.name == "notify" and ctx.out_error is None:
        ctx.transport.resp_code = "202 Accepted"
        ctx.out_string = [b""]


Interop.event_manager.add_listener("method_return_string", leave_empty)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass


def application(protocol):
    return Application(
        [Interop], SERVICE, name="Interop", in_protocol=protocol(validator="lxml"), out_protocol=protocol()
    )


def leave_when_stdin_closes():
    sys.stdin.read()
    os._exit(0)


def main():
    every = Application(
        [EveryService],
        "urn:castile:interop:every",
        name="InteropEvery",
        in_protocol=Soap11(),
        out_protocol=Soap11(),
    )
    wsgi = WsgiMounter({"soap11": application(Soap11), "soap12": application(Soap12), "every11": every})
    server = make_server("127.0.0.1", 0, wsgi, Server, Quiet)
    threading.Thread(target=leave_when_stdin_closes, daemon=True).start()
    print("READY", server.server_address[1], flush=True)
    server.serve_forever()


main()
