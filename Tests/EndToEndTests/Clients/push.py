#!/usr/bin/env python3
"""httpx as a server that pushes. usage: push.py URL AUTHORITY TOKEN; see cases.py for what it prints."""

import asyncio
import ssl
import sys

import httpx

from cases import case, expect, run_all

URL, AUTHORITY, TOKEN = sys.argv[1:]
DEVICE = "0a" * 32


def client():
    return httpx.AsyncClient(
        http1=False, http2=True, base_url=URL, verify=ssl.create_default_context(cafile=AUTHORITY), trust_env=False,
        timeout=30, headers={"authorization": f"bearer {TOKEN}", "apns-topic": "com.example.shop",
                             "apns-push-type": "alert"})


@case("accepted")
async def accepted():
    async with client() as session:
        response = await session.post(f"/3/device/{DEVICE}", json={"aps": {"alert": "Hello"}})
        expect((response.status_code, response.http_version, response.content), (200, "HTTP/2", b""))
        expect(len(response.headers["apns-id"]), 36)


@case("refused")
async def refused():
    async with client() as session:
        response = await session.post(f"/3/device/{'41' * 32}", json={"aps": {}})
        expect((response.status_code, response.json()), (410, {"reason": "Unregistered", "timestamp": 7}))
        response = await session.post("/3/device/abc", json={"aps": {}})
        expect((response.status_code, response.json()), (400, {"reason": "BadDeviceToken"}))
        response = await session.get(f"/3/device/{DEVICE}")
        expect((response.status_code, response.json()), (405, {"reason": "MethodNotAllowed"}))


@case("many at once")
async def many():
    async with client() as session:
        responses = await asyncio.gather(*(
            session.post(f"/3/device/{number:064x}", json={"aps": {"badge": number}}) for number in range(200)))
        expect({response.status_code for response in responses}, {200})
        expect(len({response.headers["apns-unique-id"] for response in responses}), 200)


asyncio.run(run_all())
