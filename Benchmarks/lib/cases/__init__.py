"""All cases, in the order they run."""

from . import bulk, handshake, idle, rewriting, start, throughput

ALL = [*throughput.CASES, *rewriting.CASES, *bulk.CASES, *idle.CASES, *handshake.CASES, *start.CASES]
