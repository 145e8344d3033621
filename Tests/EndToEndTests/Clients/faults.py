"""Asks for each path by Python's http.client and prints what came of it: PORT PATH..."""

import http.client
import sys

for path in sys.argv[2:]:
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    try:
        connection.request("GET", "/" + path)
        response = connection.getresponse()
        body = response.read()
        print(path, response.status, len(body), len(body.replace(b"x", b"")))
    except Exception as error:
        print(path, type(error).__name__)
