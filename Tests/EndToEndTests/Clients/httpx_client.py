#!/usr/bin/env python3
"""httpx as a client. usage: httpx_client.py URL AUTHORITY, with an https URL for ALPN, an http one for h2c.

Run by whichever Python has httpx; see cases.py for what it prints."""

import asyncio
import hashlib
import ssl
import sys

import httpx

from cases import case, expect, run_all

URL, AUTHORITY = sys.argv[1:]
TRUST = ssl.create_default_context(cafile=AUTHORITY)
# Over TLS both are offered; without it httpx has to know.
BOTH = URL.startswith("https")


def client():
    return httpx.AsyncClient(http1=BOTH, http2=True, base_url=URL, verify=TRUST, trust_env=False, timeout=30)


@case("version")
async def version():
    async with client() as session:
        response = await session.get("/hello")
        expect((response.status_code, response.http_version), (200, "HTTP/2"))


@case("head, 204, 404")
async def bodiless():
    async with client() as session:
        response = await session.head("/hello")
        expect((response.status_code, response.content), (200, b""))
        if int(response.headers["content-length"]) < 50:
            raise AssertionError(response.headers)
        expect([(await session.get(path)).status_code for path in ("/empty", "/missing")], [204, 404])


@case("upload")
async def upload():
    content = bytes(range(256)) * 4096 * 10

    async def pieces():
        for start in range(0, len(content), 100_000):
            yield content[start:start + 100_000]

    async with client() as session:
        for body in (content, pieces()):
            told = (await session.post("/sum", content=body)).json()
            expect((told["bytes"], told["sha256"]), (len(content), hashlib.sha256(content).hexdigest()))


@case("many streams on one connection")
async def many():
    async with client() as session:
        responses = await asyncio.gather(*(session.get(f"/bytes?count={number * 997}") for number in range(100)))
        expect([len(response.content) for response in responses], [number * 997 for number in range(100)])
        expect({response.http_version for response in responses}, {"HTTP/2"})
        ends = {response.extensions["network_stream"].get_extra_info("client_addr") for response in responses}
        expect(len(ends), 1)


@case("fields")
async def fields():
    async with client() as session:
        response = await session.get("/hello", headers=[("x-one", "a"), ("x-one", "b"), ("cookie", "a=1; b=2")])
        told = response.json()["headers"]
        expect((told["x-one"], told["cookie"]), ("a, b", "a=1; b=2"))


@case("a download broken off leaves the connection as it is")
async def broken_off():
    async with client() as session:
        async with session.stream("GET", "/bytes?count=100000000") as response:
            async for _ in response.aiter_raw():
                break
        expect((await session.get("/hello")).status_code, 200)


asyncio.run(run_all())
