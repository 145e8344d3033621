// The bar at the top: which environment is active, whether it is healthy, who uses another one.
import { get, post } from "./api.js";
import { copy, dialog, failed, h, iconButton, menu, plain, popover, replace, toast } from "./dom.js";
import { ago, countdown } from "./format.js";
import { icon } from "./icons.js";
import { showNetworks } from "./network.js";
import { profileStyle, setProfiles } from "./profiles.js";
import { SealedState } from "./sealed.js";

const VIEWS = [["traffic", "Traffic"], ["routes", "Routes"], ["numbers", "Numbers"]];
const BETWEEN_PROBES = 60_000;

export class EnvironmentBar {
    status;
    #origins;
    #lastProbe = 0;
    #readAt = 0;

    constructor(events) {
        this.switch = h("div", { class: "switch", role: "radiogroup", "aria-label": "Active environment" });
        this.health = h("button", { type: "button", class: "quiet", onclick: event => this.#showOrigins(event.currentTarget) });
        // Where there is no room for these, they are in a menu, and open at its button.
        [this.devices, this.guards, this.network] = [1, 2, 3].map(() => h("button", { type: "button", class: "quiet minor" }));
        this.sealed = new SealedState(() => this.refresh());
        this.tabs = h("nav", { "aria-label": "Views" }, VIEWS.map(([name, title]) =>
            h("button", { type: "button", "data-view": name, onclick: () => events.view(name) }, title)));
        this.more = h("button", { type: "button", class: "more", "aria-haspopup": "menu", hidden: true, onclick: event => this.#showMore(event.currentTarget) });
        const rest = h("button", {
            type: "button", class: "icon rest", "aria-label": "More", "aria-haspopup": "menu", onclick: event => menu(event.currentTarget,
                [...minor.map(([button, show]) => [button.textContent, () => show(rest)]), null, ["Light or dark", events.theme], ["Keys", events.help]]),
        }, "⋯");
        const minor = [[this.devices, at => this.#showDevices(at)], [this.network, at => showNetworks(at, () => this.refresh())], [this.guards, at => this.#showGuards(at)]];
        for (const [button, show] of minor) button.addEventListener("click", () => show(button));
        this.element = h("header", { class: "bar" }, h("strong", { class: "brand" }, "Shunt"), h("div", { class: "environments" }, this.switch, this.more), this.tabs,
            h("span", { class: "space" }), this.health, this.devices, this.network, this.sealed.element, this.guards, rest,
            iconButton("theme", "Light or dark", events.theme, { class: "icon minor" }), iconButton("help", "Keys (?)", events.help, { class: "icon minor" }));
        const sizes = new ResizeObserver(() => this.#fit());
        for (const part of [this.element, this.health, this.devices, this.network, this.sealed.element]) sizes.observe(part);
        setInterval(() => this.refresh().catch(() => {}), 3000);
        setInterval(() => this.#drawLocks(), 1000);
    }

    select(name) {
        for (const button of this.tabs.children) {
            if (button.dataset.view === name) button.setAttribute("aria-current", "page");
            else button.removeAttribute("aria-current");
        }
    }

    async refresh() {
        this.status = await get("/v1/status").catch(problem => {
            if (problem.status === 401) dispatchEvent(new Event("logged-out"));
            throw problem;
        });
        this.#readAt = Date.now();
        setProfiles(this.status.profiles);
        // Where nothing has passed yet, the list says where apps are to send requests.
        document.body.dataset.url = this.status.urls.at(-1) ?? "";
        this.#draw();
        if (document.visibilityState === "visible" && Date.now() - this.#lastProbe > BETWEEN_PROBES) this.probe();
    }

    #draw() {
        const { active, profiles, devices } = this.status;
        const text = JSON.stringify([active, profiles, this.status.unlocked.map(entry => entry.profile)]);
        if (text !== this.#drawn) {
            this.#drawn = text;
            const focused = document.activeElement?.dataset?.profile;
            replace(this.switch, profiles.map(profile => this.#segment(profile, active)));
            this.#fit();
            if (focused) this.switch.querySelector(`[data-profile="${CSS.escape(focused)}"]`)?.focus();
            document.title = `${active} · Shunt`;
            document.body.dataset.kind = profiles.find(profile => profile.name === active)?.kind;
        }
        const attached = this.status.attachments.length;
        this.devices.textContent = (devices === 1 ? "1 device" : `${devices} devices`) + (attached ? `, ${attached} attached` : "");
        const networks = this.status.networks ?? [];
        this.network.textContent = networks.length ? `⚠ ${networks.length === 1 ? networks[0] : `${networks.length} networks`}` : "Network";
        this.network.classList.toggle("warn", networks.length > 0);
        this.sealed.draw(this.status.sealedSeconds);
        this.guards.textContent = "Guards";
        this.#drawLocks();
    }
    #drawn;

    /** Puts environments for which there is no room into a menu: the active one stays, then those that are unlocked, then production. */
    #fit() {
        const segments = [...this.switch.children];
        for (const segment of segments) segment.hidden = false;
        this.more.hidden = true;
        const rank = segment => segment.classList.contains("active") ? 3 : segment.querySelector(".lock.open") ? 2 : segment.classList.contains("production") ? 1 : 0;
        const first = segments.map((segment, index) => [rank(segment), -index, segment]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        for (const [, , segment] of first.slice(0, -1)) {
            if (this.switch.scrollWidth <= this.switch.clientWidth) break;
            segment.hidden = true;
            this.more.hidden = false;
            this.more.textContent = `${segments.filter(segment => segment.hidden).length} more`;
        }
    }

    #showMore(button) {
        menu(button, [...this.switch.children].filter(segment => segment.hidden).flatMap(segment => {
            const { profile: name } = segment.querySelector("[data-profile]").dataset;
            return [[plain(name), () => this.use(name)], segment.querySelector(".lock") && [`Unlock ${plain(name)} …`, () => this.#lock(name)]].filter(Boolean);
        }));
    }

    #segment({ name, kind, routes }, active) {
        const isActive = name === active;
        const isProduction = kind === "production";
        const style = profileStyle(name);
        return h("span", { class: `segment ${kind} p${style.name} ${isActive ? "active" : ""}` },
            h("button", {
                type: "button", role: "radio", "aria-checked": String(isActive), "data-profile": name,
                tabindex: isActive ? "0" : "-1", title: `${kind}, ${routes} routes`,
                onclick: () => this.use(name), onkeydown: event => this.#move(event),
            }, h("i", { class: "dot", "aria-hidden": "true" }), plain(name)),
            isProduction && h("button", {
                type: "button", class: "lock", "data-lock": name, onclick: () => this.#lock(name),
            }, icon("lock")));
    }

    #move(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const all = [...this.switch.querySelectorAll(".segment:not([hidden]) [role=radio]")];
        all[(all.indexOf(event.currentTarget) + step + all.length) % all.length].focus();
    }

    #left(name) {
        const entry = this.status?.unlocked.find(entry => entry.profile === name);
        return entry ? Math.max(0, entry.seconds - (Date.now() - this.#readAt) / 1000) : 0;
    }

    #drawLocks() {
        for (const button of this.switch.querySelectorAll("[data-lock]")) {
            const left = this.#left(button.dataset.lock);
            const text = left > 0 ? ` ${countdown(left)}` : "";
            if (button.textContent !== text) replace(button, icon(left > 0 ? "unlock" : "lock"), text);
            if (button.classList.contains("open") !== left > 0) {
                button.classList.toggle("open", left > 0);
                this.#fit();
            }
            const name = left > 0 ? `${button.dataset.lock} may be written to; lock it` : `Unlock ${button.dataset.lock}`;
            if (button.title !== name) { button.title = name; button.setAttribute("aria-label", name); }
        }
    }

    async use(name) {
        try {
            const { previous } = await post("/v1/use", { profile: name });
            if (previous !== name) toast(`${name} is active; before it was ${previous}`);
            await this.refresh();
            dispatchEvent(new Event("profile"));
        } catch (problem) { failed(problem); }
    }

    async #lock(name) {
        if (this.#left(name) > 0) {
            return post("/v1/lock", { profile: name }).then(() => this.refresh()).catch(failed);
        }
        const reason = h("input", { id: "reason", required: true, placeholder: "refund of order 4711", autocomplete: "off" });
        const time = h("select", { id: "time" }, [["5 min", 300], ["10 min", 600], ["30 min", 1800], ["1 hour", 3600]].map(
            ([text, seconds]) => h("option", { value: seconds, selected: seconds === 600 }, text)));
        const window = dialog(`Unlock ${name}`,
            h("p", {}, "Requests that change something reach production until the time is over. The log notes the reason."),
            h("form", {
                onsubmit: async event => {
                    event.preventDefault();
                    try {
                        await post("/v1/unlock", { profile: name, seconds: Number(time.value), reason: reason.value });
                        window.close();
                        await this.refresh();
                    } catch (problem) { failed(problem); }
                },
            }, h("label", { for: "reason" }, "Reason"), reason, h("label", { for: "time" }, "For"), time,
            h("button", { class: "danger" }, `Unlock ${name}`)));
        reason.focus();
    }

    async probe() {
        this.#lastProbe = Date.now();
        this.health.textContent = this.#origins ? this.health.textContent : "checking origins …";
        try {
            this.#origins = (await get("/v1/probe")).origins;
        } catch { return; }
        const down = this.#origins.filter(origin => origin.failure).length;
        const up = this.#origins.length - down;
        replace(this.health, this.#origins.length === 0 ? "no origins" : [
            h("span", { class: "up" }, `● ${up} up`), down > 0 && h("span", { class: "down" }, ` ○ ${down} down`)]);
    }

    #showOrigins(button) {
        const list = () => (this.#origins ?? []).map(origin => h("li", { class: origin.failure ? "down" : "up" },
            h("strong", {}, origin.failure ? "○ " : "● ", plain(origin.origin)),
            h("span", { class: "quiet" }, ` ${origin.profiles.join(", ")} · `, origin.failure ? origin.failure.stage
                : origin.note ? "not started" : `${origin.status} in ${origin.milliseconds.total} ms`),
            origin.failure && h("p", {}, plain(origin.failure.message)),
            origin.failure?.advice && h("p", { class: "quiet" }, plain(origin.failure.advice))));
        const items = h("ul", { class: "facts" }, list());
        const programs = h("ul", { class: "facts" });
        this.#showPrograms(programs);
        popover(button, h("h2", {}, "Origins"), items, h("button", {
            type: "button", onclick: async () => { await this.probe(); replace(items, list()); this.#showPrograms(programs); },
        }, "Check again"), programs);
    }

    /** The servers that Shunt starts, each with its last lines. */
    async #showPrograms(place) {
        const all = this.status?.programs ?? [];
        const outputs = await Promise.all(all.map(({ origin }) => get("/v1/programs/output", { origin, limit: 8 }).catch(() => null)));
        replace(place, all.map(({ origin }, index) => {
            const program = outputs[index]?.program ?? all[index];
            return h("li", { class: program.state === "paused" ? "down" : "up", "data-program": origin },
                h("strong", {}, plain(origin)), " ", plain(program.text), " ", h("button", {
                    type: "button", onclick: () => post("/v1/programs/restart", { origin }).then(async ({ text }) => {
                        toast(`${origin}: ${text}`);
                        await this.refresh();
                        this.#showPrograms(place);
                    }).catch(failed),
                }, program.state === "idle" ? "Start" : "Restart"),
                outputs[index]?.lines.length > 0 && h("pre", {}, outputs[index].lines.map(line => plain(line.text)).join("\n")));
        }));
    }

    async #showDevices(button) {
        const { devices, apps } = await get("/v1/devices").catch(() => ({ devices: [], apps: [] }));
        const choose = (who, name, chosen) => h("select", {
            "aria-label": `Profile of ${name}`,
            onchange: event => post("/v1/use", { ...who, profile: event.target.value || null })
                .then(() => toast(`${plain(name)}: ${event.target.value || "as active"}`)).catch(failed),
        }, h("option", { value: "" }, "the active one"), this.status.profiles.map(({ name }) =>
            h("option", { value: name, selected: chosen === name }, name)));
        const place = h("div", {});
        popover(button, h("h2", {}, "Devices"), devices.length ? h("ul", { class: "facts" }, devices.map(device => h("li", {},
            h("strong", {}, plain(device.name)), h("span", { class: "quiet" }, ` ${device.address ?? ""} · ${ago(device.lastSeen)} `),
            choose({ device: device.name }, device.name, device.profile)))) : h("p", { class: "quiet" }, "No device has a profile of its own."),
        this.status.attachments.length > 0 && [h("h3", {}, "Attached machines"), h("ul", { class: "facts attached" }, this.status.attachments.map(entry => h("li", {},
            h("strong", {}, plain(entry.path)), ` of ${entry.user}'s devices to ${plain(entry.to)}`,
            h("span", { class: "quiet" }, ` ${entry.address ?? ""} · ${entry.connected ? ago(entry.since) : "connecting"}`))))],
        apps.length > 0 && [h("h3", {}, "Programs of this machine"), h("ul", { class: "facts" }, apps.map(({ app, profile, connections }) => h("li", {},
            h("strong", {}, plain(app)), h("span", { class: "quiet" }, ` ${connections === 1 ? "1 connection" : `${connections} connections`} `),
            choose({ app }, app, profile))))],
        h("button", {
            type: "button", onclick: () => post("/v1/pair").then(({ code, urls, localURL }) => replace(place,
                h("p", {}, "Open on the device: "), [...urls, localURL].filter(Boolean).map(url =>
                    h("p", {}, h("code", {}, url), " ", iconButton("copy", "Copy", () => copy(url)))),
                h("p", { class: "quiet" }, `Code ${code}, for ten minutes`))).catch(failed),
        }, "Pair a device"), place);
    }

    async #showGuards(button) {
        const { exceptions, routes } = await get("/v1/routes").catch(() => ({ exceptions: [], routes: [] }));
        const guarded = routes.filter(route => route.guarded);
        popover(button, h("h2", {}, "Guards and exceptions"),
            h("h3", {}, "Certificates that are not checked"), exceptions.length ? h("ul", { class: "facts" }, exceptions.map(rule =>
                h("li", {}, h("strong", { class: "warn" }, `⚠ ${plain(rule.pattern)}`), h("span", { class: "quiet" },
                    ` ${rule.profile}, ${rule.file}:${rule.line}${rule.until ? `, until ${rule.until}` : ""}`),
                rule.reason && h("p", {}, plain(rule.reason))))) : h("p", { class: "quiet" }, "None."),
            h("h3", {}, "Routes of the active profile under production's guard"), guarded.length ? h("ul", { class: "facts" },
                guarded.map(route => h("li", {}, plain(route.label), h("span", { class: "quiet" },
                    ` read-only unless ${route.guarded} is unlocked${route.allowed.length ? `; ${route.allowed.join(", ")} may pass` : ""}`))))
                : h("p", { class: "quiet" }, "None: nothing of it arrives at production."));
    }
}
