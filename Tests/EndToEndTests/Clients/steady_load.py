"""Sends requests without a pause, over connections that stay, until SIGTERM.

usage: steady_load.py PORT CONNECTIONS

Prints `flowing` when each connection has had responses, then a line of JSON: how many requests were responded to as they
should be, and what went wrong with the others.
"""
import http.client
import json
import signal
import sys
import threading

# Before there are threads, so that none takes it.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
port, connections = int(sys.argv[1]), int(sys.argv[2])
ended, flowing = threading.Event(), threading.Barrier(connections + 1)
right, wrong = [0] * connections, []


def send(number):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while not ended.is_set():
        for method, path, content in (("GET", "/fast", None), ("POST", "/slow", b"x" * 2000), ("GET", "/slow", None)):
            try:
                connection.request(method, path, content)
                response = connection.getresponse()
                body = response.read()
                if response.status == 200 and body == path[1:].encode():
                    right[number] += 1
                else:
                    wrong.append(f"{method} {path}: {response.status} {body[:80]!r}")
            except (OSError, http.client.HTTPException) as error:
                wrong.append(f"{method} {path}: {error!r}")
                connection.close()
        if right[number] == 30:
            flowing.wait()


threads = [threading.Thread(target=send, args=(number,)) for number in range(connections)]
for thread in threads:
    thread.start()
flowing.wait(60)
print("flowing", flush=True)
signal.sigwait({signal.SIGTERM})
ended.set()
for thread in threads:
    thread.join()
print(json.dumps({"right": sum(right), "wrong": wrong}), flush=True)
