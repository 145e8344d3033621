// node's http2 as a server that pushes. usage: node push.js URL AUTHORITY TOKEN
// Prints one line of JSON for each case: {"case": name, "ok": bool, "saw": text}.
"use strict";
const assert = require("assert");
const fs = require("fs");
const http2 = require("http2");

const [url, authority, token] = process.argv.slice(2);
const device = "0a".repeat(32);
const session = http2.connect(url, { ca: fs.readFileSync(authority) });

function push(fields, body) {
    return new Promise((resolve, reject) => {
        const stream = session.request({
            ":method": "POST", ":path": `/3/device/${device}`, authorization: `bearer ${token}`,
            "apns-topic": "com.example.shop", "apns-push-type": "alert", ...fields,
        });
        let head;
        let text = "";
        stream.on("response", (fields) => { head = fields; });
        stream.on("data", (part) => { text += part; });
        stream.on("error", reject);
        stream.on("close", () => resolve({ status: head[":status"], id: head["apns-id"], text }));
        stream.end(body ?? '{"aps":{"alert":"Hello"}}');
    });
}

const cases = {
    "accepted": async () => {
        const id = "123e4567-e89b-12d3-a456-42661417400a";
        assert.deepStrictEqual(await push({ "apns-id": id }), { status: 200, id, text: "" });
    },
    "refused": async () => {
        const rows = [
            [{ authorization: undefined }, 403, "MissingProviderToken"],
            [{ authorization: "bearer a.b.c" }, 403, "InvalidProviderToken"],
            [{ "apns-topic": "com.example.other" }, 400, "TopicDisallowed"],
            [{ "apns-priority": "7" }, 400, "BadPriority"],
        ];
        for (const [fields, status, reason] of rows) {
            const told = await push(fields);
            assert.deepStrictEqual([told.status, told.text], [status, JSON.stringify({ reason })]);
        }
        const told = await push({}, JSON.stringify({ aps: { alert: "x".repeat(5000) } }));
        assert.deepStrictEqual([told.status, told.text], [413, '{"reason":"PayloadTooLarge"}']);
    },
    "many at once": async () => {
        const told = await Promise.all(Array.from({ length: 200 }, () => push({})));
        assert.deepStrictEqual([...new Set(told.map((one) => one.status))], [200]);
    },
};

(async () => {
    for (const [name, run] of Object.entries(cases)) {
        let line = { case: name, ok: true };
        try { await run(); } catch (error) { line = { case: name, ok: false, saw: String(error.stack) }; }
        console.log(JSON.stringify(line));
    }
    session.close();
})();
