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
    sealing,
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
    replay,
    sealing,
]
ALL = [case for module in MODULES for case in module.CASES]
