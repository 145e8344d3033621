// An origin in all versions: HTTP/1.1, HTTP/2 with prior knowledge, and both over TLS.
//
// usage: node origin.js CERTIFICATE KEY
// Prints one line of JSON with the ports: {"http": …, "h2c": …, "https": …}; then one for each report of a page.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const http = require("http");
const http2 = require("http2");
const path = require("path");

const PAGE = fs.readFileSync(path.join(__dirname, "page.html"));
const seen = { cancelled: 0, begun: 0 };
let acknowledged = () => {};
let breakOff = () => {};

const routes = {
    "/hello": (request, response) => json(response, {
        method: request.method, version: request.httpVersion, headers: request.headers,
    }),
    "/seen": (_, response) => json(response, seen),
    "/missing": (_, response) => { response.writeHead(404).end("nothing here\n"); },
    "/empty": (_, response) => { response.writeHead(204).end(); },

    "/bytes": (_, response, query) => {
        let left = Number(query.get("count"));
        response.writeHead(200, { "content-length": left, "content-type": "application/octet-stream" });
        const piece = Buffer.alloc(65536, "0123456789abcdef");
        const more = () => {
            while (left > 0) {
                const part = piece.subarray(0, Math.min(left, piece.length));
                left -= part.length;
                if (!response.write(part)) return response.once("drain", more);
            }
            response.end();
        };
        more();
    },

    "/sum": (request, response) => {
        const hash = crypto.createHash("sha256");
        let bytes = 0;
        request.on("data", (part) => { bytes += part.length; hash.update(part); });
        request.on("end", () => json(response, {
            bytes, sha256: hash.digest("hex"), trailers: request.trailers, version: request.httpVersion,
        }));
    },

    "/trailers": (_, response) => {
        response.writeHead(200, { trailer: "x-checksum" });
        response.write("content\n");
        response.addTrailers({ "x-checksum": "123" });
        response.end();
    },

    "/early-hints": (_, response) => {
        response.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" });
        response.writeHead(200).end("late");
    },

    // Each piece goes back as it comes.
    "/duplex": (request, response) => {
        response.writeHead(200);
        if (response.flushHeaders) response.flushHeaders();
        request.pipe(response);
    },

    // The response is there before the request's body, which nobody wants.
    "/early-response": (_, response) => { response.writeHead(413).end("too large\n"); },

    // Goes on until /break is asked for.
    "/broken": (request, response) => {
        response.writeHead(200, { "content-length": 100000 });
        response.write("x".repeat(1000));
        breakOff = () => {
            if (response.stream) response.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
            else request.socket.destroy();
        };
    },
    "/break": (_, response) => {
        response.writeHead(204).end();
        breakOff();
    },

    // Begins to respond and goes on until the client has enough.
    "/endless": (_, response) => {
        seen.begun += 1;
        response.writeHead(200);
        response.write("begun\n");
        response.on("close", () => { seen.cancelled += 1; });
    },

    // Each event is written when the one before was acknowledged.
    "/events": (_, response, query) => {
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
        const count = Number(query.get("count"));
        let number = 0;
        const next = () => {
            if (number === count) return response.end();
            response.write(`id: ${number++}\ndata: x\n\n`);
        };
        acknowledged = next;
        next();
    },
    "/acknowledge": (_, response) => {
        response.writeHead(204).end();
        acknowledged();
    },

    "/page": (_, response) => { response.writeHead(200, { "content-type": "text/html" }).end(PAGE); },
    "/report": (request, response) => {
        let text = "";
        request.on("data", (part) => { text += part; });
        request.on("end", () => {
            console.log(text);
            response.writeHead(204).end();
        });
    },
};

function json(response, value) {
    const text = JSON.stringify(value);
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
}

function response(request, response) {
    const url = new URL(request.url, "http://localhost");
    response.on("error", () => {});
    (routes[url.pathname] || routes["/missing"])(request, response, url.searchParams);
}

// A WebSocket that gives each frame back (RFC 6455 5), and closes when it is asked to.
function echo(request, socket) {
    const accept = crypto.createHash("sha1")
        .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    let input = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (part) => {
        input = Buffer.concat([input, part]);
        while (input.length >= 2) {
            const short = input[1] & 127;
            const start = short < 126 ? 2 : short === 126 ? 4 : 10;
            if (input.length < start) return;
            const length = start === 2 ? short : start === 4 ? input.readUInt16BE(2) : Number(input.readBigUInt64BE(2));
            if (input.length < start + 4 + length) return;
            const mask = input.subarray(start, start + 4);
            const content = Buffer.from(input.subarray(start + 4, start + 4 + length).map((byte, at) => byte ^ mask[at % 4]));
            const head = Buffer.from(input.subarray(0, start));
            head[1] &= 127;
            socket.write(Buffer.concat([head, content]));
            if ((head[0] & 15) === 8) return socket.end();
            input = input.subarray(start + 4 + length);
        }
    });
}

const [certificate, key] = process.argv.slice(2).map((name) => fs.readFileSync(name));
const servers = {
    http: http.createServer(response),
    h2c: http2.createServer(response),
    https: http2.createSecureServer({ cert: certificate, key, allowHTTP1: true }, response),
};
servers.http.on("upgrade", echo);
servers.https.on("upgrade", echo);
Promise.all(Object.values(servers).map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))))
    .then(() => console.log(JSON.stringify(
        Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.address().port])))));
