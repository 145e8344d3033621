"""Tests of the kit for pytest, against the Shunt at BASE: 50 sessions at a time do not see each other."""
import concurrent.futures
import json
import os
import urllib.error
import urllib.request

import pytest
from shunt_session import Session, ShuntError, shunt  # noqa: F401

BASE = os.environ["BASE"]


def ask(path, headers=None, method="GET", base=BASE):
    request = urllib.request.Request(base + path, headers=headers or {}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(request, timeout=120).read().decode()


def apart(number):
    with Session(name=f"test {number}") as session:
        session.mock("/cart", json={"number": number})
        session.expect("~u /cart: 1", "~u /turns: 2", "~c 5xx: 0")
        assert json.loads(ask("/cart", session.headers)) == {"number": number}
        assert ask("/turns", {"Cookie": f"shunt-session={session.id}"}) == "first"
        assert ask("/turns", session.headers) == "second"
        assert ask("/other", session.headers) == "profile"
        assert session.routes()[0]["hits"] == 1
    return number


def test_50_at_a_time():
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        assert sorted(pool.map(apart, range(50))) == list(range(50))


def test_fixture(shunt):  # noqa: F811
    shunt.fault("/cart", {"kind": "status", "status": 503}, method="POST")
    assert ask("/cart", shunt.headers) == "profile"
    with pytest.raises(urllib.error.HTTPError):
        ask("/cart", shunt.headers, "POST")


def test_port():
    with Session(port=True) as session:
        session.mock("/cart", text="mine")
        assert ask("/cart", base=session.url) == "mine"


def test_nearest_miss():
    with pytest.raises(ShuntError, match="nearest"):
        with Session() as session:
            session.expect("~m POST & ~u /cart: 1")
            ask("/cart", session.headers)


def test_wrong_route():
    with Session() as session:
        with pytest.raises(ShuntError, match='unknown key "mok"'):
            session.route({"path": "/a", "mok": {}})
    with pytest.raises(urllib.error.HTTPError):
        ask("/cart", session.headers)
