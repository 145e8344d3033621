// A request as code. Secrets stay replaced: who runs it fills them in.
import { fieldOf, parseHead } from "./heads.js";

// What the tool sets by itself, and what belongs to one connection.
const OWN = new Set(["host", "content-length", "connection", "accept-encoding", "keep-alive", "transfer-encoding", "te", "upgrade", "http2-settings",
    "proxy-connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions"]);

function parts(exchange) {
    const head = parseHead(exchange.heads.client_request);
    const { text, base64, kept } = exchange.bodies.request;
    return {
        method: exchange.method, url: exchange.url, text, base64: base64 ?? "",
        // What is not text, and short enough, is there as Base64; a longer body is not loaded.
        kind: !kept ? "none" : text !== undefined ? "text" : base64 !== undefined ? "binary" : "elsewhere",
        fields: (head?.fields ?? []).filter(([name]) => !OWN.has(name.toLowerCase()) && !name.startsWith(":")), type: fieldOf(head, "content-type"),
    };
}

/** Said where the code lacks the body, which the command writes into a file. */
const elsewhere = exchange => `The body is not in this code: shunt show ${exchange.id} --raw request > body.bin`;

/** In single quotes, for a shell. */
const shell = text => `'${text.replaceAll("'", "'\\''")}'`;
const swift = text => JSON.stringify(text).replaceAll(/\\u([0-9a-f]{4})/g, "\\u{$1}").replaceAll("\\b", "\\u{8}").replaceAll("\\f", "\\u{c}").replaceAll("\\/", "/");
const script = text => JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
const python = script;

const bytes = text => btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(""));

/** A command that takes the body as an argument where it is text that cannot be misread, else from its standard input. */
function command(exchange, words, argument, input) {
    const { kind, text, base64 } = parts(exchange);
    const isPlain = kind === "text" && !text.startsWith("@") && !text.includes("\0");
    const line = [...words, ...(isPlain ? [`${argument} ${shell(text)}`] : kind === "none" ? [] : input)].join(" \\\n  ");
    if (isPlain || kind === "none") return line;
    if (kind === "elsewhere") return `# ${elsewhere(exchange)}\n${line} < body.bin`;
    return `printf %s ${shell(kind === "text" ? bytes(text) : base64)} | base64 -d | ${line}`;
}

function curl(exchange) {
    const { method, url, fields, kind } = parts(exchange);
    const words = [`curl ${method === "GET" && kind === "none" ? "" : `-X ${shell(method)} `}${shell(url)}`, ...fields.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`)];
    return command(exchange, words, "--data-binary", ["--data-binary @-"]);
}

function httpie(exchange) {
    const { method, url, fields } = parts(exchange);
    return command(exchange, [`http ${shell(method)} ${shell(url)}`, ...fields.map(([name, value]) => shell(`${name}:${value}`))], "--raw", []);
}

/** The body as an expression of Swift; nothing without one. */
function swiftBody(exchange, indent, request) {
    const { kind, text, base64 } = parts(exchange);
    if (kind === "none") return [];
    if (kind === "elsewhere") return [`${indent}// ${elsewhere(exchange)}`, `${indent}${request}.httpBody = try Data(contentsOf: URL(fileURLWithPath: "body.bin"))`];
    return [`${indent}${request}.httpBody = ${kind === "text" ? `Data(${swift(text)}.utf8)` : `Data(base64Encoded: ${swift(base64)})`}`];
}

function urlSession(exchange) {
    const { method, url, fields } = parts(exchange);
    return [`var request = URLRequest(url: URL(string: ${swift(url)})!)`, `request.httpMethod = ${swift(method)}`,
        ...fields.map(([name, value]) => `request.setValue(${swift(value)}, forHTTPHeaderField: ${swift(name)})`),
        ...swiftBody(exchange, "", "request"),
        "let (data, response) = try await URLSession.shared.data(for: request)"].join("\n");
}

function alamofire(exchange) {
    const { method, url, fields } = parts(exchange);
    return [`let response = await AF.request(${swift(url)}, method: HTTPMethod(rawValue: ${swift(method)}),`,
        `    headers: [${fields.map(([name, value]) => `${swift(name)}: ${swift(value)}`).join(", ") || ":"}]) { request in`,
        ...swiftBody(exchange, "    ", "request"), "}.serializingData().response"].join("\n");
}

function fetchCode(exchange) {
    const { method, url, fields, kind, text, base64 } = parts(exchange);
    const body = { text: () => script(text), binary: () => `Uint8Array.from(atob(${script(base64)}), character => character.charCodeAt(0))`, elsewhere: () => "await file.arrayBuffer()" }[kind]?.();
    const options = [`  method: ${script(method)},`, `  headers: {${fields.map(([name, value]) => `\n    ${script(name)}: ${script(value)},`).join("")}\n  },`];
    if (body) options.push(`  body: ${body},`);
    return `${kind === "elsewhere" ? `// ${elsewhere(exchange)}\n` : ""}const response = await fetch(${script(url)}, {\n${options.join("\n")}\n});`;
}

function pythonCode(exchange) {
    const { method, url, fields, kind, text, base64 } = parts(exchange);
    const body = { text: () => `${python(text)}.encode()`, binary: () => `base64.b64decode(${python(base64)})`, elsewhere: () => 'open("body.bin", "rb")' }[kind]?.();
    return [...(kind === "elsewhere" ? [`# ${elsewhere(exchange)}`] : []), kind === "binary" ? "import base64, requests" : "import requests", "", "response = requests.request(", `    ${python(method)}, ${python(url)},`,
        `    headers={${fields.map(([name, value]) => `\n        ${python(name)}: ${python(value)},`).join("")}\n    },`,
        ...(body ? [`    data=${body},`] : []), ")"].join("\n");
}

export const SNIPPETS = [
    ["curl", curl], ["HTTPie", httpie], ["Swift, URLSession", urlSession], ["Swift, Alamofire", alamofire], ["fetch", fetchCode], ["Python", pythonCode],
];
