"""What schemathesis does not know by itself: error reports are envelopes, sent as they are."""

import schemathesis


@schemathesis.serializer("application/x-sentry-envelope")
def envelope(_context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", errors="replace")
