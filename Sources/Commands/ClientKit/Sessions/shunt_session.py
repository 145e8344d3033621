# Made by `shunt client-kit`. One file without dependencies: a session of Shunt for each test.
#   from shunt_session import shunt              # a fixture of pytest, for conftest.py
#   def test_cart(shunt):
#       shunt.mock("/v1/cart", json={"items": []})
#       shunt.fault("/v1/pay", "reset")
#       shunt.expect("~m POST & ~u /orders: 1")
#       urllib.request.urlopen(urllib.request.Request(url, headers=shunt.headers))
# At the end of a test its expectations are checked, and the session ends with all that belongs to it.
import glob
import json as _json
import os
import urllib.error
import urllib.request

try:
    import pytest
except ImportError:
    pytest = None


class ShuntError(AssertionError):
    pass


def _running():
    """The admin interface and its token: of SHUNT_ADMIN and SHUNT_TOKEN, else of the Shunt of this folder."""
    if "SHUNT_ADMIN" in os.environ:
        return os.environ["SHUNT_ADMIN"], os.environ["SHUNT_TOKEN"]
    folder = os.getcwd()
    while True:
        for name in sorted(glob.glob(os.path.join(glob.escape(folder), ".shunt", "*.json"))):
            if os.path.basename(name)[:-5].isdigit():
                with open(name) as file:
                    record = _json.load(file)
                return record["admin"], record["token"]
        if os.path.dirname(folder) == folder:
            raise ShuntError("no Shunt runs here: start `shunt serve`, or set SHUNT_ADMIN and SHUNT_TOKEN")
        folder = os.path.dirname(folder)


class Session:
    """Routes, states and expectations for the requests that carry its headers or its cookie."""

    def __init__(self, over=None, name=None, **settings):
        self._admin, self._token = _running()
        wish = {"profile": over, "name": name, **settings}
        self.facts = self._ask("POST", "", {key: value for key, value in wish.items() if value is not None})
        self.id = self.facts["id"]
        self.headers = {"Shunt-Session": self.id}
        self.cookies = {"shunt-session": self.id}
        self.url = self.facts["url"]
        self._expects = False

    def route(self, *routes):
        """Adds routes as a profile has them."""
        return self._ask("POST", f"/{self.id}/routes", {"routes": list(routes)})["routes"]

    def mock(self, path, method=None, **response):
        """Responds: mock("/v1/cart", status=200, json={...}), with the keys of a mock."""
        return self.route(self._at(path, method, {"mock": response}))[0]["name"]

    def fault(self, path, fault, method=None):
        """Lets requests fail: fault("/v1/pay", "reset"); the rest goes on to the profile."""
        return self.route(self._at(path, method, {"fault": fault}))[0]["name"]

    def routes(self):
        """The routes with their hits."""
        return self._ask("GET", f"/{self.id}/routes")["routes"]

    def expect(self, *expectations):
        """Texts such as "~c 5xx: 0", or objects as in a file of `shunt expect`."""
        self._ask("POST", f"/{self.id}/expectations", {"expect": list(expectations)})
        self._expects = True

    def verify(self):
        """Raises unless all expectations are met, with the nearest miss of each that is not."""
        result = self._ask("GET", f"/{self.id}/verify")
        if not result["met"]:
            raise ShuntError("\n".join(result["failures"]))

    def end(self):
        self._ask("DELETE", f"/{self.id}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None and self._expects:
                self.verify()
        finally:
            self.end()

    @staticmethod
    def _at(path, method, responder):
        return {"path": path, **({"method": method} if method else {}), **responder}

    def _ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"{self._admin}/v1/sessions{path}", method=method,
            data=None if body is None else _json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"})
        # The admin interface of this machine is reached by no proxy.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as response:
                return _json.load(response)
        except urllib.error.HTTPError as error:
            problem = _json.load(error)
            raise ShuntError(f"{problem['detail']}. {problem.get('advice') or ''}") from None


if pytest:
    @pytest.fixture
    def shunt(request):
        """A session for the test, named after it."""
        with Session(name=request.node.name[:100]) as session:
            yield session
