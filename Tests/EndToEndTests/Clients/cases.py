"""Cases of a client: each is run, and said in a line of JSON: {"case": name, "ok": bool, "saw": text}."""

import inspect
import json
import traceback

_cases = []


def case(name):
    """Registers a function, or a coroutine's, as the case of that name."""
    def register(function):
        _cases.append((name, function))
        return function
    return register


def expect(saw, wanted):
    if saw != wanted:
        raise AssertionError(f"{saw!r} instead of {wanted!r}")


def _tell(name, error):
    print(json.dumps({"case": name, "ok": error is None, "saw": error or ""}), flush=True)


def run():
    for name, function in _cases:
        try:
            function()
            _tell(name, None)
        except Exception:  # whatever it is, the other cases are still to be heard of
            _tell(name, traceback.format_exc()[-1500:])


async def run_all():
    for name, function in _cases:
        try:
            done = function()
            if inspect.isawaitable(done):
                await done
            _tell(name, None)
        except Exception:
            _tell(name, traceback.format_exc()[-1500:])
