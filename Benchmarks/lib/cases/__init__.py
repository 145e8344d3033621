"""All cases, in the order they run."""

from . import (
    bulk,
    events,
    files,
    handshake,
    http2,
    idle,
    mocks,
    network,
    recording,
    replay,
    rewriting,
    routes,
    run,
    stalled,
    start,
    throughput,
    usual,
)

MODULES = [
    throughput,
    http2,
    rewriting,
    usual,
    recording,
    replay,
    bulk,
    files,
    mocks,
    run,
    network,
    stalled,
    events,
    idle,
    handshake,
    start,
    routes,
]
ALL = [case for module in MODULES for case in module.CASES]
