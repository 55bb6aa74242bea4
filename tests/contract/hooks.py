"""What schemathesis does not know by itself."""

import os

import schemathesis

RUNNER = os.environ["ATRIUM_RUNNER_EMAIL"]


@schemathesis.serializer("application/x-sentry-envelope")
def envelope(_context, value):
    """Error reports are envelopes, sent as they are."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", errors="replace")


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """An answer may have told it the address of the account that every call is made with; ending that
    account's sessions would end the run."""
    if case.operation.path.endswith("/operator/sessions/end") and isinstance(case.body, dict):
        if case.body.get("email") == RUNNER:
            case.body["email"] = "someone.else@example.com"
