// Requests to the admin interface (docs/admin.md).
import { key } from "./session.js";

/** Why the interface refused, or that it did not respond (status 0). */
export class Refusal extends Error {
    constructor(status, problem) {
        super(problem.detail ?? `status ${status}`);
        this.status = status;
        this.advice = problem.advice ?? null;
        this.column = problem.column;
    }
}

const listeners = new Set();
/** Calls back with true and false as the interface responds and does not. */
export const onConnection = listener => listeners.add(listener);
const tell = isThere => listeners.forEach(listener => listener(isThere));

/** How often something is asked again of a Shunt that is busy. */
const AGAIN = 3;

export async function ask(method, path, options = {}, again = method === "GET" ? AGAIN : 0) {
    const { body, signal, headers: more = {} } = options;
    const headers = { ...more, "Shunt-Inspector": key() };
    if (method === "POST") headers["Content-Type"] = "application/json";
    let response;
    try {
        response = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body), cache: "no-store" });
    } catch (problem) {
        if (problem.name === "AbortError") throw problem;
        tell(false);
        throw new Refusal(0, { detail: "Shunt does not respond", advice: "Is it running?" });
    }
    tell(true);
    const pause = Number(response.headers.get("Retry-After"));
    if (response.status === 503 && pause > 0 && again > 0) {
        await new Promise(resume => setTimeout(resume, pause * 1000));
        return ask(method, path, options, again - 1);
    }
    if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => ({})));
    return response;
}

export const get = async (path, query = {}, options = {}) => {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const text = new URLSearchParams(pairs).toString();
    return (await ask("GET", text ? `${path}?${text}` : path, options)).json();
};
export const post = async (path, body = {}) => (await ask("POST", path, { body })).json();

/** The bytes of a recorded body. */
export const bodyOf = async (id, side, options) =>
    new Uint8Array(await (await ask("GET", `/v1/traffic/${id}/${side}/body`, options)).arrayBuffer());
