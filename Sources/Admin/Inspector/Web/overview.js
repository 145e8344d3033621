// What happened, in short: who asked, what responded, why it failed.
import { copy, h, iconButton, plain } from "./dom.js";
import { chainStrip } from "./chain.js";
import { pattern, quoted } from "./filter.js";
import { duration, moment, size } from "./format.js";
import { section, withChips } from "./heads.js";
import { phaseBar } from "./timing.js";

const fact = (name, ...value) => value[0] === null || value[0] === undefined || value[0] === "" ? null
    : [h("dt", {}, name), h("dd", {}, value)];

const CHOSEN = { active: "the active one", session: "by its session", header: "by Shunt-Profile", "host-label": "by the host's label", token: "by the paired device", app: "by the program", address: "by the device's address", user: "by the user whose device it is" };
const BY = {
    mock: "a mock", shunt: "Shunt itself", origin: "the origin", recording: "a recording", files: "files of this machine", push: "Shunt's stand-in for a push service",
    bridge: "a bridge's recorded replies", kept: "a kept response, in the place of the origin's", tunnel: "the origin, through a tunnel",
};

export function overviewTab(exchange, events) {
    const { origin, client, error } = exchange;
    const unverified = origin?.trust_decision?.startsWith("accepted");
    return [
        error && h("div", { class: "failure" }, h("strong", {}, `✕ ${error.side}, ${error.stage}`), h("p", {}, withChips(error.message)),
            remedies(error) || remedy(exchange)),
        exchange.running && h("p", { class: "note" }, "It is still running; this page follows it."),
        exchange.unlocked && h("p", { class: "note warn" }, "⚠ It went to production, which was unlocked."),
        exchange.origin_sent && h("p", { class: "note warn" }, `⚠ The origin sent ${exchange.origin_sent.join(", ")}.`),
        exchange.redirects_to && h("p", { class: "note warn" }, `⚠ The response leads past Shunt, to ${exchange.redirects_to.join(", ")}.`),
        h("dl", { class: "overview" },
            fact("URL", h("bdi", { class: "mono" }, withChips(exchange.url))),
            fact("Profile", plain(exchange.profile), h("span", { class: "quiet" }, ` ${CHOSEN[exchange.chosen_by] ?? ""}`)),
            fact("Operation", exchange.operation && h("span", { class: "mono" }, plain(exchange.operation)),
                exchange.graphql_errors > 0 && h("span", { class: "warn" }, ` ⚠ ${exchange.graphql_errors} ${exchange.graphql_errors === 1 ? "error" : "errors"}`)),
            fact("Route", exchange.route && h("button", { type: "button", class: "link mono", title: "Show all of this route",
                onclick: () => events.filter(`~route ${quoted(exchange.route)}`) }, plain(exchange.route))),
            fact("Response", exchange.answered_by && (BY[exchange.answered_by] ?? plain(exchange.answered_by))),
            fact("Origin", origin && h("span", { class: "mono" }, plain(origin.url)),
                origin?.address && h("span", { class: "quiet" }, ` ${plain(origin.address)} · ${origin.protocol ?? ""}${origin.reused ? " · reused connection" : ""}`)),
            fact("Trust", origin?.trust && h("span", { class: unverified ? "warn" : "" }, unverified ? "⚠ " : "✓ ", plain(origin.trust_decision ?? origin.trust))),
            fact("Client", plain(client.address), h("span", { class: "quiet" }, ` ${client.protocol}${client.tls ? ` · ${client.tls}` : ""}`)),
            fact("Program", client.app && h("button", { type: "button", class: "link", title: "Show all of this program",
                onclick: () => events.filter(`~app ${quoted(pattern(client.app))}`) }, plain(client.app))),
            fact("Session", exchange.session && h("button", { type: "button", class: "link", title: "Show all of this session",
                onclick: () => events.filter(`~session ${quoted(exchange.session)}`) }, plain(exchange.session))),
            fact("Began", moment(Date.parse(exchange.time))),
            fact("Took", exchange.running ? null : duration(exchange.timings_us.total / 1000)),
            fact("Bodies", `↑ ${size(exchange.bytes.request)}  ↓ ${size(exchange.bytes.response)}`),
            fact("Mocks off", exchange.mocks_off?.join(", ")),
            fact("Retries", exchange.retries || null)),
        exchange.running ? null : phaseBar(exchange),
        exchange.contract && section("Not as its contract", exchange.contract.length,
            h("ul", { class: "contract" }, exchange.contract.map(finding => h("li", { class: "mono" }, withChips(finding)))),
            h("button", { type: "button", class: "link", onclick: () => events.filter("~contract") }, "Show all such exchanges")),
        chain(exchange),
        chainStrip(exchange, events.rows()),
        exchange.rewritten && section("Changed", exchange.rewritten.length,
            h("p", { class: "mono" }, exchange.rewritten.map(name => h("span", { class: "tag" }, plain(name))))),
    ];
}

/** The candidates that were asked before, and the one that responded. */
function chain({ attempts, origin, status, error }) {
    if (!attempts?.length) return null;
    return section("Attempts", attempts.length + 1, h("ol", { class: "attempts" },
        attempts.map(({ origin, outcome }) => h("li", { class: "down" }, h("span", { class: "mono" }, plain(origin)), h("p", { class: "quiet" }, withChips(outcome)))),
        h("li", { class: error ? "down" : "up" }, h("span", { class: "mono" }, plain(origin?.url ?? "Shunt")), h("p", { class: "quiet" }, error ? withChips(error.message) : `responded ${status}`))));
}

/** What helps, as Shunt has recorded it: commands to be copied, and sentences. */
function remedies({ fixes }) {
    return fixes && [h("p", { class: "quiet" }, "What helps:"), h("ol", { class: "remedies" }, fixes.map(fix => h("li", {}, /^shunt /.test(fix)
        ? h("pre", { class: "command" }, h("code", {}, plain(fix)), iconButton("copy", "Copy", () => copy(fix))) : plain(fix))))];
}

/** The next step after a failure. */
function remedy({ error, origin }) {
    const commands = {
        connect: ["Is the server running? This asks each origin:", "shunt status --probe"],
        resolve: ["Does the name exist? This asks each origin:", "shunt status --probe"],
        tls: ["See how the certificate was judged:", "shunt status --probe"],
        route: ["See which routes there are, and why none fits:", "shunt explain URL"],
    };
    const [text, command] = commands[error.stage] ?? [];
    return text && (origin || error.stage === "route") && h("p", { class: "quiet" }, text, " ", h("code", {}, command));
}
