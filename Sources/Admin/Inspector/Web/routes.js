// The routes of a profile in the order in which they win, what they did, and switches for what can be switched.
import { get, post } from "./api.js";
import { failed, h, plain, replace, toast } from "./dom.js";
import { count, duration } from "./format.js";
import { icon } from "./icons.js";
import { profileStyle } from "./profiles.js";

export class Routes {
    #status;
    #profile;
    #timer;

    constructor(status) {
        this.#status = status;
        this.choice = h("select", { "aria-label": "Profile", onchange: event => { this.#profile = event.target.value; this.load(); } });
        this.method = h("select", { "aria-label": "Method" }, ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map(name => h("option", {}, name)));
        this.url = h("input", { type: "text", class: "mono", placeholder: "https://api.shop.test/v1/cart/7", "aria-label": "URL to try", spellcheck: "false" });
        this.told = h("div", { class: "told", role: "status" });
        this.table = h("div", { class: "tablebox" });
        this.element = h("section", { class: "page routes", "aria-label": "Routes" },
            h("div", { class: "tools" }, h("label", {}, "Profile ", this.choice), h("form", { class: "try", onsubmit: event => { event.preventDefault(); this.#explain(); } },
                this.method, this.url, h("button", {}, "Which route?"))), this.told, this.table);
        addEventListener("profile", () => { this.#profile = undefined; if (this.element.isConnected) this.load(); });
    }

    enter() {
        this.load();
        this.#timer = setInterval(() => document.visibilityState === "visible" && this.load(), 10_000);
    }

    leave() { clearInterval(this.#timer); }

    async load() {
        const { active, profiles } = this.#status() ?? {};
        const name = this.#profile ?? active;
        try {
            const [routes, mocks, stats] = await Promise.all([get("/v1/routes", { profile: name }), get("/v1/mocks", { profile: name }),
                get("/v1/traffic/stats", { by: "route", filter: `~env "${name}"`, limit: 1000 }).catch(() => ({ groups: [] }))]);
            if (this.choice.options.length !== profiles.length || this.choice.value !== name) {
                replace(this.choice, profiles.map(profile => h("option", { value: profile.name, selected: profile.name === name }, profile.name)));
            }
            this.#draw(routes, mocks, stats, profiles);
        } catch (problem) { replace(this.table, h("p", { class: "note" }, plain(problem.message))); }
    }

    #drawn;
    #draw(routes, mocks, stats) {
        const text = JSON.stringify([routes, mocks, stats]);
        if (text === this.#drawn) return;
        this.#drawn = text;
        const figures = new Map((stats.groups ?? []).map(group => [group.name, group]));
        replace(this.table,
            mocks.mocks.length > 0 && h("p", { class: "all" }, h("b", {}, "Mocks "), ["on", "off", "reset"].map(state => h("button", {
                type: "button", onclick: () => this.#switch(routes.profile, { state, all: true }),
            }, { on: "All on", off: "All off", reset: "Reset" }[state])),
            mocks.scenarios.map(scenario => h("span", { class: "tag" }, `${plain(scenario.name)}: ${plain(scenario.state)}`))),
            routes.routes.length === 0 ? h("p", { class: "quiet" }, "This profile has no routes.") : h("table", { class: "grid" },
                h("thead", {}, h("tr", {}, ["", "Route", "Responds", "Guard", "Hits", "p50", "p95", "Failures", "From"].map((title, index) =>
                    h("th", { scope: "col", class: index >= 4 && index <= 7 ? "number" : "" }, title)))),
                h("tbody", {}, routes.routes.map(route => this.#row(route, figures.get(route.label), routes.profile)))));
    }

    #row(route, figure, profile) {
        const style = profileStyle(route.profile);
        const isOff = route.on === false;
        return h("tr", { class: isOff ? "off" : "" },
            h("td", {}, route.on === null ? null : h("input", {
                type: "checkbox", class: "toggle", role: "switch", checked: route.on, "aria-label": `${route.responder} ${route.mock}`,
                onchange: event => this.#switch(profile, { state: event.target.checked ? "on" : "off", names: [route.mock] }),
            })),
            h("th", { scope: "row", class: "mono" }, plain(route.label)),
            h("td", {}, route.targets.length ? route.targets.map((target, index) => h("div", { class: "mono" }, index ? "then " : "", plain(target)))
                : h("span", { class: "tag" }, `${route.responder} ${route.mock ?? ""}`), route.unverified && h("span", { class: "warn" }, " ⚠ not verified")),
            h("td", {}, route.guarded && h("span", { class: "tag production" }, icon("lock"), plain(route.guarded)), route.allowed.length > 0 && h("span", { class: "quiet" }, ` but ${route.allowed.join(", ")}`)),
            h("td", { class: "number", "data-title": "Hits" }, figure ? count(figure.count) : "–"),
            h("td", { class: "number", "data-title": "p50" }, figure ? duration((figure.p50_us ?? 0) / 1000) : ""),
            h("td", { class: "number", "data-title": "p95" }, figure ? duration((figure.p95_us ?? 0) / 1000) : ""),
            h("td", { class: `number ${figure?.failed ? "s5" : ""}`, "data-title": "Failures" }, figure ? count(figure.failed) : ""),
            h("td", {}, h("span", { class: `segmentmark p${style.name}` }), `${plain(route.profile)} `, h("span", { class: "quiet" }, `${plain(route.file.split("/").pop())}:${route.line}`)));
    }

    async #switch(profile, change) {
        try {
            await post("/v1/mocks", { ...change, profile });
            toast(change.all ? `All mocks: ${change.state}` : `${change.names[0]} is ${change.state}`);
            this.load();
        } catch (problem) { failed(problem); }
    }

    async #explain() {
        if (!this.url.value.trim()) return this.url.focus();
        try {
            const found = await get("/v1/explain", { url: this.url.value.trim(), method: this.method.value, profile: this.#profile });
            const hasRoute = found.matched || found.withoutRoute;
            replace(this.told, h("b", { class: hasRoute ? "up" : "down" }, hasRoute ? "✓ Responds" : "✕ Does not respond"),
                h("pre", { class: "text mono" }, plain(found.text)));
        } catch (problem) { replace(this.told, h("p", { class: "problem" }, plain(problem.message), " ", plain(problem.advice ?? ""))); }
    }
}
