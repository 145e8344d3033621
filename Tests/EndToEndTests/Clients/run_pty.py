"""Runs `shunt run` on a terminal of its own and types into it.

usage: run_pty.py SHUNT CASE, in the folder of a project. Prints what the terminal showed, and the exit status.
"""
import os
import pty
import sys

shunt, case = sys.argv[1:]
# Says when it listens to signals, and how many it got.
counting = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.write(1, b"ready;")
signal.sigwait([signal.SIGINT])
os.write(1, b"first;")
more = signal.sigtimedwait([signal.SIGINT], %s)
os.write(1, b"more;" if more else b"once;")
raise SystemExit(5)
"""
commands = {
    "once": ([sys.executable, "-c", counting % "0.5"], [("ready;", b"\x03")]),
    "twice": ([sys.executable, "-c", counting.replace("more = ", "import time; time.sleep(600); more = ") % "600"],
              [("ready;", b"\x03"), ("first;", b"\x03")]),
    "reads": ([sys.executable, "-c", "import os; os.write(1, b'ready;'); print('got', input())"],
              [("ready;", b"hello\n")]),
}
command, typed = commands[case]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(shunt, ["shunt", "run", "--", *command])
shown = ""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece.decode()
    while typed and typed[0][0] in shown:
        os.write(terminal, typed.pop(0)[1])
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(shown.replace("\r\n", "\n"))
print("status", status)
