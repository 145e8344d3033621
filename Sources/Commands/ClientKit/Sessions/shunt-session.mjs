// Made by `shunt client-kit`. One file without dependencies: a session of Shunt for each test.
//   import { test as base } from "@playwright/test"; import { fixture } from "./shunt-session.mjs";
//   const test = base.extend(fixture);
//   test("cart", async ({ page, shunt }) => {            // the page's requests carry the session
//       await shunt.mock("/v1/cart", { json: { items: [] } });
//       await shunt.fault("/v1/pay", "reset");
//       await shunt.expect("~m POST & ~u /orders: 1");
//   });
// At the end of a test its expectations are checked, and the session ends with all that belongs to it.
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The admin interface and its token: of SHUNT_ADMIN and SHUNT_TOKEN, else of the Shunt of this folder. */
async function running() {
    if (process.env.SHUNT_ADMIN) return { admin: process.env.SHUNT_ADMIN, token: process.env.SHUNT_TOKEN };
    for (let folder = process.cwd(); ; folder = dirname(folder)) {
        const names = await readdir(join(folder, ".shunt")).catch(() => []);
        const name = names.filter(name => /^\d+\.json$/.test(name)).sort()[0];
        if (name) return JSON.parse(await readFile(join(folder, ".shunt", name), "utf8"));
        if (dirname(folder) === folder) {
            throw new Error("no Shunt runs here: start `shunt serve`, or set SHUNT_ADMIN and SHUNT_TOKEN");
        }
    }
}

/** Routes, states and expectations for the requests that carry its headers or its cookie. */
export class Session {
    #record; #expects = false;

    /** @param wish `over` (the profile under it), `name`, `port`, `idleSeconds`, `network`. */
    static async start({ over, ...wish } = {}) {
        const session = new Session();
        session.#record = await running();
        session.facts = await session.#ask("POST", "", { ...wish, ...(over && { profile: over }) });
        session.id = session.facts.id;
        session.url = session.facts.url;
        session.headers = { "Shunt-Session": session.id };
        return session;
    }

    /** Adds routes as a profile has them. */
    async route(...routes) { return (await this.#ask("POST", `/${this.id}/routes`, { routes })).routes; }

    /** Responds: mock("/v1/cart", { status: 200, json: {...} }), with the keys of a mock. */
    async mock(path, response, { method } = {}) {
        return (await this.route({ path, ...(method && { method }), mock: response }))[0].name;
    }

    /** Lets requests fail: fault("/v1/pay", "reset"); the rest goes on to the profile. */
    async fault(path, fault, { method } = {}) {
        return (await this.route({ path, ...(method && { method }), fault }))[0].name;
    }

    /** The routes with their hits. */
    async routes() { return (await this.#ask("GET", `/${this.id}/routes`)).routes; }

    /** Texts such as "~c 5xx: 0", or objects as in a file of `shunt expect`. */
    async expect(...expect) {
        await this.#ask("POST", `/${this.id}/expectations`, { expect });
        this.#expects = true;
    }

    /** Throws unless all expectations are met, with the nearest miss of each that is not. */
    async verify() {
        const result = await this.#ask("GET", `/${this.id}/verify`);
        if (!result.met) throw new Error(result.failures.join("\n"));
    }

    async end() { await this.#ask("DELETE", `/${this.id}`); }

    /** Runs `body`, checks what it expects, and ends the session. */
    async run(body) {
        try {
            const value = await body(this);
            if (this.#expects) await this.verify();
            return value;
        } finally {
            await this.end();
        }
    }

    async #ask(method, path, body) {
        const response = await fetch(`${this.#record.admin}/v1/sessions${path}`, {
            method, body: body && JSON.stringify(body),
            headers: { "Authorization": `Bearer ${this.#record.token}`, "Content-Type": "application/json" },
        });
        const value = await response.json();
        if (!response.ok) throw new Error(`${value.detail}. ${value.advice ?? ""}`);
        return value;
    }
}

/** For Playwright's test.extend: a session for the test, which its pages carry. */
export const fixture = {
    shunt: async ({ context }, use, info) => {
        const session = await Session.start({ name: info.title.slice(0, 100) });
        await context.setExtraHTTPHeaders(session.headers);
        await session.run(() => use(session));
    },
};
