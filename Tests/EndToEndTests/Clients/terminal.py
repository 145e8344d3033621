"""Runs a command on a terminal of its own and types into it.

usage: terminal.py '{"command": ["shunt", …], "typed": [["after this was shown", "text"], …], "rows": 24, "columns": 80}'
Prints a line of JSON: what the terminal showed, and the exit status.
"""
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios

wanted = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    # The command begins only when its terminal has its size.
    sys.stdin.readline()
    # As a shell starts commands, whatever the caller has ignored or blocked.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp(wanted["command"][0], wanted["command"])
size = struct.pack("HHHH", wanted.get("rows", 24), wanted.get("columns", 80), 0, 0)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
os.write(terminal, b"\n")
typed, shown, seen = wanted.get("typed", []), "", 0
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece.decode(errors="replace")
    while typed and typed[0][0] in shown[seen:]:
        marker, text = typed.pop(0)
        seen += shown[seen:].index(marker) + len(marker)
        os.write(terminal, text.encode())
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"shown": shown.replace("\r\n", "\n").removeprefix("\n"), "status": status}))
