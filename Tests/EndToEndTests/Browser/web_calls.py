#!/usr/bin/env python3
"""A page that calls a gRPC server of another origin by fetch, as gRPC-Web, in a headless Chromium.

usage: web_calls.py AUTHORITY PORT: the PEM file to be trusted, and where Shunt has app.shop.test and api.shop.test
Prints one line of JSON for each case, see Clients/cases.py.
"""
import json
import shutil
import sys

from chromium import Chromium

AUTHORITY, PORT = sys.argv[1:]
# Asks, and gives what came: its messages in hexadecimal, and its trailers. Pieces are read as they come.
CALL = """const done = arguments[arguments.length - 1], [url, isText, id, credentials] = arguments;
    const frame = (bytes, flags = 0) => [flags, 0, 0, 0, bytes.length, ...bytes];
    const bytes = frame([10, id.length, ...new TextEncoder().encode(id)]);
    const kind = isText ? "application/grpc-web-text" : "application/grpc-web+proto";
    (async () => {
        const response = await fetch(url, {
            method: "POST", headers: {"Content-Type": kind, "X-Grpc-Web": "1", "Accept": kind},
            credentials: credentials ? "include" : "same-origin",
            body: isText ? btoa(String.fromCharCode(...bytes)) : new Uint8Array(bytes)});
        let body = [], pieces = 0;
        const reader = response.body.getReader();
        for (let next; !(next = await reader.read()).done; pieces++) body.push(...next.value);
        if (isText) {
            const text = String.fromCharCode(...body);
            body = (text.match(/[^=]+=*/g) ?? []).flatMap(part => [...atob(part)].map(one => one.charCodeAt(0)));
        }
        const messages = [], trailers = {};
        while (body.length) {
            const length = body[3] * 256 + body[4], inner = body.slice(5, 5 + length);
            if (body[0] === 0x80) {
                for (const line of new TextDecoder().decode(new Uint8Array(inner)).split("\\r\\n")) {
                    const [name, value] = line.split(/: ?/);
                    // Some servers send a message that is empty.
                    if (value) trailers[name] = value;
                }
            } else messages.push(inner.map(one => one.toString(16).padStart(2, "0")).join(""));
            body = body.slice(5 + length);
        }
        return {status: response.status, type: response.headers.get("content-type"), messages, trailers};
    })().then(done, error => done({error: String(error)}));"""


def tell(name, saw, wanted):
    print(json.dumps({"case": name, "ok": saw == wanted, "saw": "" if saw == wanted else json.dumps(saw)}), flush=True)


with Chromium(shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome"),
              ["--host-resolver-rules=MAP *.shop.test 127.0.0.1"], AUTHORITY) as browser:
    browser.go(f"https://app.shop.test:{PORT}/")

    def call(method, text, name="a7", credentials=False, host="api"):
        return browser.run_async(CALL, f"https://{host}.shop.test:{PORT}/shop.v1.Cart/{method}", text, name, credentials)

    for text, form in ((False, "binary"), (True, "text")):
        kind = "application/grpc-web-text+proto" if text else "application/grpc-web+proto"
        good = {"status": 200, "type": kind}
        tell(f"unary, {form}", call("Get", text, credentials=text),
             {**good, "messages": ["0a03676f741007"], "trailers": {"grpc-status": "0", "x-trailing": "last"}})
        tell(f"server streaming, {form}", call("Watch", text),
             {**good, "messages": ["0a0131", "0a0132", "0a0133"], "trailers": {"grpc-status": "0"}})
        tell(f"a status after messages, {form}", call("Watch", text, "late"),
             {**good, "messages": ["0a0131", "0a0132", "0a0133"],
              "trailers": {"grpc-status": "8", "grpc-message": "no fourth"}})
        tell(f"a mock, {form}", call("Fill", text),
             {**good, "messages": ["0a066d6f636b6564"], "trailers": {"grpc-status": "0"}})
    refused = call("Get", False, host="closed")
    tell("a page that may not ask", "error" in refused, True)
