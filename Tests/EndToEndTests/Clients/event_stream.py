#!/usr/bin/env python3
"""Server-sent events from origin.js, which writes each only once the one before was acknowledged from here.

usage: event_stream.py 1.1|2 URL AUTHORITY ORIGIN-URL, where events are acknowledged past whatever is tested.
Prints a line of JSON: {"numbers": […], "type": …, "version": …}."""

import http.client
import json
import ssl
import sys
from urllib.parse import urlsplit

import httpx

COUNT = 200
PATIENCE = 20

version, url, authority, origin = sys.argv[1:]
client = httpx.Client(http1=version == "1.1" or url.startswith("https"), http2=version == "2", trust_env=False,
                      verify=ssl.create_default_context(cafile=authority), timeout=PATIENCE)
back = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=PATIENCE)
numbers = []
with client.stream("GET", f"{url}/events?count={COUNT}") as response:
    for line in response.iter_lines():
        if line.startswith("id: "):
            numbers.append(int(line[4:]))
        elif line.startswith("data: "):
            back.request("POST", "/acknowledge")
            back.getresponse().read()
print(json.dumps({"numbers": numbers, "type": response.headers.get("content-type"), "version": response.http_version}))
