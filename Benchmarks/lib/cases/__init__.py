"""All cases, in the order they run."""

from . import bulk, handshake, idle, start, throughput

ALL = [*throughput.CASES, *bulk.CASES, *idle.CASES, *handshake.CASES, *start.CASES]
