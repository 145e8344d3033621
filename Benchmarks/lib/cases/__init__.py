"""All cases, in the order they run."""

from . import bulk, events, files, handshake, http2, idle, recording, rewriting, routes, stalled, start, throughput, usual

ALL = [*throughput.CASES, *http2.CASES, *rewriting.CASES, *usual.CASES, *recording.CASES,
       *bulk.CASES, *files.CASES, *stalled.CASES, *events.CASES, *idle.CASES, *handshake.CASES, *start.CASES, *routes.CASES]
