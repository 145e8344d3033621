"""A call of `shunt mcp` that takes long, while others are made: mcp_cancel.py SHUNT FOLDER PID

The Shunt with that process ID is stopped meanwhile, so that a call that asks it does not end.
"""
import json
import os
import signal
import subprocess
import sys

shunt, folder, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
server = subprocess.Popen([shunt, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(method, number=None, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


send("initialize", 0, protocolVersion="2025-06-18")
os.kill(pid, signal.SIGSTOP)
try:
    send("tools/call", 1, name="status", arguments={})
    send("ping", 2)
    ids = [json.loads(server.stdout.readline())["id"] for _ in range(2)]
    send("notifications/cancelled", requestId=1)
    send("ping", 3)
    ids.append(json.loads(server.stdout.readline())["id"])
finally:
    os.kill(pid, signal.SIGCONT)
send("tools/call", 4, name="status", arguments={})
server.stdin.close()
rest = [json.loads(line) for line in server.stdout]
ids += [message["id"] for message in rest]
print(json.dumps({"ids": ids, "status": server.wait(), "isError": rest[-1]["result"]["isError"]}))
