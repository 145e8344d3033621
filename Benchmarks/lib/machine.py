"""What was measured, and where: figures without it say little."""

import os
import platform
import subprocess


def describe(peers):
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "load": os.getloadavg()[0],
        "versions": {peer.name: version(peer.version_command) for peer in peers},
        "openssl": version(["openssl", "version"]),
    }


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def version(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except OSError as error:
        return str(error)
    return (done.stdout + done.stderr).strip().partition("\n")[0]
