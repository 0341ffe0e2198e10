"""Classified ads: attributes, of which some are expressions over the ad itself and the one that it may match.

The part of Condor's language that pools need: numbers, texts, booleans, `MY.` and `TARGET.`, arithmetic,
comparisons, `&&`, `||`, `!`, and `=?=`, which is never undefined. What cannot be known is undefined, and `&&`
and `||` get along with it: `false && undefined` is false.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Brackets, signs and references within each other.
DEPTH_MAX = 50
#: Attributes that one question may evaluate: ads come from strangers.
STEPS_MAX = 1000


class BadExpression(ValueError):
    """A text that is no expression, or one of a type that there is not."""


@dataclass(frozen=True)
class Undefined:
    """The value of what is not known."""


UNDEFINED = Undefined()
Value = bool | int | float | str | Undefined


class Ad:
    """Attributes by name; the case of names does not matter."""

    def __init__(self, attributes: Mapping[str, tuple[str, str]]) -> None:
        """`attributes` are type and text by name; the types are those of `VALUES`."""
        self._values = {name.lower(): read(type_, text) for name, (type_, text) in attributes.items()}

    def get(self, name: str, target: Ad | None = None) -> Value:
        """The value of an attribute, for a match with `target`."""
        return Scope(self, target, 0, [0]).my_value(name)

    def said(self, name: str) -> Value | Expression:
        """What stands in the ad."""
        return self._values.get(name.lower(), UNDEFINED)


@dataclass(frozen=True)
class Scope:
    """What an expression can see."""

    my: Ad
    target: Ad | None
    depth: int
    steps: list[int]
    """How many attributes were evaluated so far."""

    def my_value(self, name: str) -> Value:
        """An attribute of the ad itself; undefined when there was too much to do for it."""
        value = self.my.said(name)
        if not callable(value):
            return value
        self.steps[0] += 1
        if self.depth > DEPTH_MAX or self.steps[0] > STEPS_MAX:
            return UNDEFINED
        return value(Scope(self.my, self.target, self.depth + 1, self.steps))

    def resolve(self, where: str, name: str) -> Value:
        """An attribute of one of the two ads; without a prefix of the first that has it."""
        if where != "target":
            value = self.my_value(name)
            if where == "my" or value != UNDEFINED:
                return value
        if self.target is None:
            return UNDEFINED
        return Scope(self.target, self.my, self.depth + 1, self.steps).my_value(name)


Expression = Callable[[Scope], Value]


def holds(constraint: str, ad: Ad) -> bool:
    """Whether an ad by itself fulfils a constraint."""
    return parse(constraint)(Scope(ad, None, 0, [0])) is True


def match(one: Ad, other: Ad) -> bool:
    """Whether the requirements of both hold, each with the other as its target."""
    return one.get("Requirements", other) is True and other.get("Requirements", one) is True


def rank(ad: Ad, target: Ad) -> float:
    """How much an ad likes another; 0 when it does not say."""
    value = ad.get("Rank", target)
    try:
        return float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0


# ---- reading ----


def boolean(text: str) -> bool:
    """`true` or `false`."""
    return {"true": True, "false": False}[text.lower()]


TOKEN = re.compile(
    r"""\s*(?: (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?) | "(?P<text>(?:[^"\\]|\\.)*)"
    | (?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?) | (?P<sign>=\?=|=!=|==|!=|<=|>=|&&|\|\||[-+*/<>!()]) )""",
    re.VERBOSE,
)


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The expression of a text."""
    reader = Reader(text)
    expression = reader.either()
    if reader.kind:
        raise BadExpression(f"{text!r}: nothing can follow here: {reader.token!r}")
    return expression


VALUES: dict[str, Callable[[str], Value | Expression]] = {
    "string": str,
    "int": int,
    "double": float,
    "boolean": boolean,
    "expression": parse,
}


def read(type_: str, text: str) -> Value | Expression:
    """The value of an attribute's text."""
    try:
        return VALUES[type_](text)
    except BadExpression:
        raise
    except (KeyError, ValueError):
        raise BadExpression(f"{text!r} is no {type_}") from None


class Reader:
    """One method for each level of precedence, the loosest first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.tokens = self.scan()
        self.advance()

    def scan(self) -> Iterator[tuple[str, str]]:
        """Kinds and texts of the tokens."""
        at, end = 0, len(self.text.rstrip())
        while at < end:
            found = TOKEN.match(self.text, at)
            if found is None or found.lastgroup is None:
                raise BadExpression(f"{self.text!r}: what is this? {self.text[at : at + 10]!r}")
            yield found.lastgroup, found[found.lastgroup]
            at = found.end()

    def advance(self) -> str:
        """Gives the current token and goes on to the next."""
        before = getattr(self, "token", "")
        self.kind, self.token = next(self.tokens, ("", ""))
        return before

    def sign(self, *signs: str) -> str | None:
        """The current token, taken, if it is one of these signs."""
        return self.advance() if self.kind == "sign" and self.token in signs else None

    def either(self) -> Expression:
        """a || b."""
        left = self.both()
        while self.sign("||"):
            left = logical(left, self.both(), decisive=True)
        return left

    def both(self) -> Expression:
        """a && b."""
        left = self.comparison()
        while self.sign("&&"):
            left = logical(left, self.comparison(), decisive=False)
        return left

    def comparison(self) -> Expression:
        """a < b."""
        left = self.sum()
        sign = self.sign("==", "!=", "<=", ">=", "<", ">", "=?=", "=!=")
        return (
            left if sign is None else binary(COMPARE[sign], left, self.sum(), strict=sign[1:2] in ("", "="))
        )

    def sum(self) -> Expression:
        """a + b."""
        left = self.product()
        while sign := self.sign("+", "-"):
            left = binary(ARITHMETIC[sign], left, self.product())
        return left

    def product(self) -> Expression:
        """a * b."""
        left = self.single()
        while sign := self.sign("*", "/"):
            left = binary(ARITHMETIC[sign], left, self.single())
        return left

    def single(self) -> Expression:
        """A value, a name, or an expression in brackets."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise BadExpression(f"more than {DEPTH_MAX} brackets and signs within each other")
        expression = self.inner()
        self.depth -= 1
        return expression

    def inner(self) -> Expression:
        """See `single`."""
        if self.sign("!"):
            return negation(self.single())
        if self.sign("-"):
            return binary(operator.sub, constant(0), self.single())
        if self.sign("("):
            expression = self.either()
            if not self.sign(")"):
                raise BadExpression(f"{self.text!r}: a bracket is not closed")
            return expression
        kind, token = self.kind, self.advance()
        if kind == "number":
            return constant(int(token) if token.isdecimal() else float(token))
        if kind == "text":
            return constant(re.sub(r"\\(.)", r"\1", token))
        if kind == "name":
            return named(token)
        raise BadExpression(f"{self.text!r}: a value is missing")


# ---- what expressions do ----


def constant(value: Value) -> Expression:
    """Always the same."""
    return lambda scope: value


def named(name: str) -> Expression:
    """A literal, or an attribute."""
    if name.lower() in ("true", "false"):
        return constant(boolean(name))
    if name.lower() == "undefined":
        return constant(UNDEFINED)
    where, _, attribute = name.rpartition(".")
    if where.lower() not in ("", "my", "target"):
        raise BadExpression(f"{name!r}: only MY and TARGET have attributes")
    where = where.lower()
    return lambda scope: scope.resolve(where, attribute)


def logical(left: Expression, right: Expression, decisive: bool) -> Expression:
    """`&&` (false decides) and `||` (true decides)."""

    def evaluate(scope: Scope) -> Value:
        first = left(scope)
        if first is decisive:
            return decisive
        second = right(scope)
        if second is decisive:
            return decisive
        known = isinstance(first, bool) and isinstance(second, bool)
        return (not decisive) if known else UNDEFINED

    return evaluate


def negation(inner: Expression) -> Expression:
    """`!a`."""

    def evaluate(scope: Scope) -> Value:
        value = inner(scope)
        return not value if isinstance(value, bool) else UNDEFINED

    return evaluate


def binary(
    apply: Callable[..., Value], left: Expression, right: Expression, strict: bool = True
) -> Expression:
    """An operator on two values that is undefined when they do not go together; a strict one also when one
    of them is."""

    def evaluate(scope: Scope) -> Value:
        first, second = left(scope), right(scope)
        if strict and (isinstance(first, Undefined) or isinstance(second, Undefined)):
            return UNDEFINED
        try:
            return apply(first, second)
        except (TypeError, ArithmeticError):
            return UNDEFINED

    return evaluate


def folded(compare: Callable[[Any, Any], bool]) -> Callable[[Value, Value], bool]:
    """A comparison for which the case of texts does not matter."""

    def apply(first: Value, second: Value) -> bool:
        if isinstance(first, str) and isinstance(second, str):
            return compare(first.lower(), second.lower())
        if isinstance(first, str) or isinstance(second, str):
            raise TypeError("a text and a number")
        return compare(first, second)

    return apply


def numbers(compute: Callable[..., Value]) -> Callable[[Value, Value], Value]:
    """Arithmetic is for numbers only."""

    def apply(first: Value, second: Value) -> Value:
        if not (isinstance(first, int | float) and isinstance(second, int | float)):
            raise TypeError("a text has no arithmetic")
        return compute(first, second)

    return apply


def same(first: Value, second: Value) -> bool:
    """Whether both are one value of one type, or both undefined."""
    return type(first) is type(second) and first == second


COMPARE: dict[str, Callable[..., Value]] = {
    "==": folded(operator.eq),
    "!=": folded(operator.ne),
    "<=": folded(operator.le),
    ">=": folded(operator.ge),
    "<": folded(operator.lt),
    ">": folded(operator.gt),
    "=?=": same,
    "=!=": lambda first, second: not same(first, second),
}
ARITHMETIC: dict[str, Callable[..., Value]] = {
    "+": numbers(operator.add),
    "-": numbers(operator.sub),
    "*": numbers(operator.mul),
    "/": numbers(operator.truediv),
}
