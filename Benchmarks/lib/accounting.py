"""What a process and its children cost, from the kernel's own books."""

import os

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def tree(root):
    """The process and all that descend from it."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat(int(name))
            if fields:
                children.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children.get(pid, [])
    return found


def cpu_seconds(root):
    """User and system time of the tree, with that of children which have ended."""
    total = 0
    for pid in tree(root):
        fields = stat(pid)
        if fields:
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICKS_PER_SECOND


def resident_kib(root, peak=False):
    """Resident memory of the tree: what it has now, or the most each of its processes ever had.

    Pages that processes share are counted once per process."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    total = 0
    for pid in tree(root):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
                total += sum(int(line.split()[1]) for line in status if line.startswith(wanted))
        except OSError:
            pass
    return total


def core_seconds(core):
    """How long a core was busy since the machine started, with whatever: time stolen by the host counts too."""
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *ticks = line.split()
            if name == f"cpu{core}":
                user, nice, system, _, _, irq, soft_irq, steal = map(int, ticks[:8])
                return (user + nice + system + irq + soft_irq + steal) / TICKS_PER_SECOND
    return 0


def stat(pid):
    """The fields of /proc/<pid>/stat from the third, the state, on: a name may hold spaces and brackets."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None
