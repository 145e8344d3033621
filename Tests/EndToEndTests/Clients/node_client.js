// node's http2 client. usage: node node_client.js URL AUTHORITY
// Prints one line of JSON for each case: {"case": name, "ok": bool, "saw": text}.
"use strict";
const assert = require("assert");
const crypto = require("crypto");
const fs = require("fs");
const http2 = require("http2");

const [url, authority] = process.argv.slice(2);
const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR } = http2.constants;
let session;

/// Sends a request and gives what came of it: head, content, trailers, informational heads, how the stream ended.
function ask(fields, content) {
    return new Promise((resolve) => {
        const stream = session.request(fields, { endStream: content === undefined });
        const told = { content: Buffer.alloc(0), informational: [] };
        stream.on("headers", (head) => told.informational.push(head));
        stream.on("response", (head) => { told.head = head; });
        stream.on("data", (part) => { told.content = Buffer.concat([told.content, part]); });
        stream.on("trailers", (fields) => { told.trailers = fields; });
        stream.on("error", (error) => { told.error = error.code; });
        stream.on("close", () => { told.code = stream.rstCode; resolve(told); });
        if (content !== undefined) stream.end(content);
    });
}

async function until(condition) {
    for (let tries = 0; tries < 500; tries += 1) {
        if (await condition()) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("did not come to be");
}

const json = async (path) => JSON.parse((await ask({ ":path": path })).content);

const cases = {
    "version": async () => {
        const told = await ask({ ":path": "/hello" });
        assert.strictEqual(told.head[":status"], 200);
        assert.strictEqual(told.head.connection, undefined);
    },
    "head, 204, 404": async () => {
        const head = await ask({ ":method": "HEAD", ":path": "/hello" });
        assert.strictEqual(head.content.length, 0);
        assert.ok(Number(head.head["content-length"]) > 50);
        assert.strictEqual((await ask({ ":path": "/empty" })).head[":status"], 204);
        const missing = await ask({ ":path": "/missing" });
        assert.deepStrictEqual([missing.head[":status"], String(missing.content)], [404, "nothing here\n"]);
    },
    "trailers of a response": async () => {
        const told = await ask({ ":path": "/trailers", te: "trailers" });
        assert.strictEqual(String(told.content), "content\n");
        assert.strictEqual(told.trailers["x-checksum"], "123");
    },
    "trailers of a request": async () => {
        const told = await new Promise((resolve, reject) => {
            const stream = session.request({ ":method": "POST", ":path": "/sum" }, { waitForTrailers: true });
            let text = "";
            stream.on("wantTrailers", () => stream.sendTrailers({ "x-check": "abc" }));
            stream.on("data", (part) => { text += part; });
            stream.on("end", () => resolve(JSON.parse(text)));
            stream.on("error", reject);
            stream.end("content");
        });
        assert.deepStrictEqual([told.bytes, told.trailers], [7, { "x-check": "abc" }]);
    },
    "early hints": async () => {
        const told = await ask({ ":path": "/early-hints" });
        assert.deepStrictEqual(told.informational.map((head) => [head[":status"], head.link]),
            [[103, "</style.css>; rel=preload; as=style"]]);
        assert.deepStrictEqual([told.head[":status"], String(told.content)], [200, "late"]);
    },
    "cookies in crumbs": async () => {
        const { headers } = JSON.parse((await ask({ ":path": "/hello", cookie: ["a=1", "b=2", "c=3"] })).content);
        assert.strictEqual(headers.cookie, "a=1; b=2; c=3");
    },
    "upload": async () => {
        const content = crypto.randomBytes(10_000_000);
        const told = JSON.parse((await ask({ ":method": "POST", ":path": "/sum" }, content)).content);
        assert.deepStrictEqual([told.bytes, told.sha256],
            [content.length, crypto.createHash("sha256").update(content).digest("hex")]);
    },
    "both ways at once": () => new Promise((resolve, reject) => {
        const stream = session.request({ ":method": "POST", ":path": "/duplex" });
        const rounds = ["one", "two", "three"];
        let number = 0, text = "";
        stream.on("error", reject);
        // The next piece is written only when the one before is back.
        stream.on("data", (part) => {
            text += part;
            if (text !== rounds[number]) return;
            text = "";
            number += 1;
            if (number < rounds.length) stream.write(rounds[number]); else stream.end();
        });
        stream.on("end", () => {
            if (number === rounds.length) resolve(); else reject(new Error(`ended after ${number}`));
        });
        stream.write(rounds[0]);
    }),
    "a response before the request's end": () => new Promise((resolve, reject) => {
        const stream = session.request({ ":method": "POST", ":path": "/early-response" });
        let text = "", status;
        stream.on("response", (head) => { status = head[":status"]; });
        stream.on("data", (part) => { text += part; });
        stream.on("error", reject);
        stream.on("end", () => {
            stream.close(NGHTTP2_NO_ERROR);
            if (status === 413 && text === "too large\n") resolve(); else reject(new Error(`${status} ${text}`));
        });
        stream.write("x".repeat(1000));
    }),
    "a response that breaks off": async () => {
        const stream = session.request({ ":path": "/broken" });
        const ended = new Promise((resolve) => {
            let failure;
            stream.on("error", (error) => { failure = error.code; });
            stream.on("close", () => resolve([failure, stream.rstCode]));
        });
        await new Promise((resolve) => stream.once("data", resolve));
        assert.strictEqual((await ask({ ":path": "/break" })).head[":status"], 204);
        const [failure, code] = await ended;
        assert.ok(failure && code !== NGHTTP2_NO_ERROR, `ended with ${code}`);
        assert.strictEqual((await ask({ ":path": "/empty" })).head[":status"], 204);
    },
    "a cancelled stream is seen by the origin": async () => {
        const before = await json("/seen");
        const stream = session.request({ ":path": "/endless" });
        await new Promise((resolve) => stream.once("data", resolve));
        assert.strictEqual((await json("/seen")).cancelled, before.cancelled);
        stream.close(NGHTTP2_CANCEL);
        await until(async () => (await json("/seen")).cancelled === before.cancelled + 1);
    },
    "a stream that is not read holds back no other": async () => {
        // node's own window for a connection is no larger than one stream's.
        session.setLocalWindowSize(1 << 24);
        const stalled = session.request({ ":path": "/bytes?count=20000000" });
        await new Promise((resolve) => stalled.once("response", resolve));
        stalled.pause();
        const told = await ask({ ":path": "/bytes?count=1000000" });
        assert.strictEqual(told.content.length, 1000000);
        let bytes = 0;
        stalled.on("data", (part) => { bytes += part.length; });
        stalled.resume();
        await new Promise((resolve) => stalled.once("end", resolve));
        assert.strictEqual(bytes, 20000000);
    },
    "a hundred streams at once": async () => {
        const all = await Promise.all(Array.from({ length: 100 }, (_, number) =>
            ask({ ":path": `/bytes?count=${number * 997}` })));
        assert.deepStrictEqual(all.map((told) => told.content.length), all.map((_, number) => number * 997));
    },
    "ping": () => new Promise((resolve, reject) => {
        const sent = Buffer.from("12345678");
        session.ping(sent, (error, _, came) => {
            if (error || !sent.equals(came)) reject(error || new Error(`${came}`)); else resolve();
        });
    }),
};

async function main() {
    for (const [name, run] of Object.entries(cases)) {
        let overdue;
        session = http2.connect(url, { ca: fs.readFileSync(authority) });
        try {
            await Promise.race([
                new Promise((_, reject) => { session.on("error", reject); }),
                new Promise((_, reject) => { overdue = setTimeout(reject, 30000, new Error("overdue")); }),
                new Promise((resolve) => { session.once("connect", resolve); }).then(run),
            ]);
            console.log(JSON.stringify({ case: name, ok: true, saw: "" }));
        } catch (error) {
            console.log(JSON.stringify({ case: name, ok: false, saw: String(error && error.stack).slice(0, 1500) }));
        }
        clearTimeout(overdue);
        session.on("error", () => {});
        session.destroy();
    }
}
main();
