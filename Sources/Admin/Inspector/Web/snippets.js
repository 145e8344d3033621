// A request as code. Secrets stay replaced: who runs it fills them in.
import { fieldOf, parseHead } from "./heads.js";

// What the tool sets by itself, and what belongs to one connection.
const OWN = new Set(["host", "content-length", "connection", "accept-encoding", "keep-alive", "transfer-encoding", "te", "upgrade", "http2-settings",
    "proxy-connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions"]);

function parts(exchange) {
    const head = parseHead(exchange.heads.client_request);
    return {
        method: exchange.method, url: exchange.url, body: exchange.bodies.request.text, isBinary: exchange.bodies.request.base64 !== undefined,
        fields: (head?.fields ?? []).filter(([name]) => !OWN.has(name.toLowerCase()) && !name.startsWith(":")), type: fieldOf(head, "content-type"),
    };
}

/** In single quotes, for a shell. */
const shell = text => `'${text.replaceAll("'", "'\\''")}'`;
const swift = text => JSON.stringify(text).replaceAll(/\\u([0-9a-f]{4})/g, "\\u{$1}").replaceAll("\\b", "\\u{8}").replaceAll("\\f", "\\u{c}").replaceAll("\\/", "/");
const script = text => JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
const python = script;

function curl(exchange) {
    const { method, url, fields, body, isBinary } = parts(exchange);
    const words = [`curl ${method === "GET" && !body ? "" : `-X ${shell(method)} `}${shell(url)}`, ...fields.map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`)];
    if (body) words.push(`--data-binary ${shell(body.startsWith("@") ? ` ${body}` : body)}`);
    if (isBinary) words.push("--data-binary @body.bin");
    return words.join(" \\\n  ");
}

function httpie(exchange) {
    const { method, url, fields, body } = parts(exchange);
    const command = [`http ${shell(method)} ${shell(url)}`, ...fields.map(([name, value]) => shell(`${name}:${value}`))];
    if (body) command.push(`--raw ${shell(body)}`);
    return command.join(" \\\n  ");
}

function urlSession(exchange) {
    const { method, url, fields, body } = parts(exchange);
    return [`var request = URLRequest(url: URL(string: ${swift(url)})!)`, `request.httpMethod = ${swift(method)}`,
        ...fields.map(([name, value]) => `request.setValue(${swift(value)}, forHTTPHeaderField: ${swift(name)})`),
        ...(body ? [`request.httpBody = Data(${swift(body)}.utf8)`] : []),
        "let (data, response) = try await URLSession.shared.data(for: request)"].join("\n");
}

function alamofire(exchange) {
    const { method, url, fields, body } = parts(exchange);
    return [`let response = await AF.request(${swift(url)}, method: HTTPMethod(rawValue: ${swift(method)}),`,
        `    headers: [${fields.map(([name, value]) => `${swift(name)}: ${swift(value)}`).join(", ") || ":"}]) { request in`,
        ...(body ? [`    request.httpBody = Data(${swift(body)}.utf8)`] : []), "}.serializingData().response"].join("\n");
}

function fetchCode(exchange) {
    const { method, url, fields, body } = parts(exchange);
    const options = [`  method: ${script(method)},`, `  headers: {${fields.map(([name, value]) => `\n    ${script(name)}: ${script(value)},`).join("")}\n  },`];
    if (body) options.push(`  body: ${script(body)},`);
    return `const response = await fetch(${script(url)}, {\n${options.join("\n")}\n});`;
}

function pythonCode(exchange) {
    const { method, url, fields, body } = parts(exchange);
    return ["import requests", "", "response = requests.request(", `    ${python(method)}, ${python(url)},`,
        `    headers={${fields.map(([name, value]) => `\n        ${python(name)}: ${python(value)},`).join("")}\n    },`,
        ...(body ? [`    data=${python(body)}.encode(),`] : []), ")"].join("\n");
}

export const SNIPPETS = [
    ["curl", curl], ["HTTPie", httpie], ["Swift, URLSession", urlSession], ["Swift, Alamofire", alamofire], ["fetch", fetchCode], ["Python", pythonCode],
];
