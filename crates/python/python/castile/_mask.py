"""Hiding secrets in messages that are shown."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"(<(?:[\w.-]+:)?(?:\w*password\w*|passwd|pwd|secret|\w*apikey|\w*api_key|accesstoken|access_token|"
    r"binarysecuritytoken|ciphervalue|signaturevalue|nonce|sessionid|session_id)(?:\s[^<>]*)?(?<!/)>)(?!\s*(?:true|false)\s*<)([^<]+)(?=</)",
    re.IGNORECASE,
)


def mask(xml: str) -> str:
    """The text with the content of elements that hold secrets replaced.

    >>> mask("<w:Password Type='x'>hunter2</w:Password><n>1</n>")
    "<w:Password Type='x'>***</w:Password><n>1</n>"
    """
    return _SECRET.sub(r"\1***", xml)
