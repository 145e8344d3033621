// Exchanges that follow from each other: redirects, and the same request again after a failure.
import { get } from "./api.js";
import { h, plain } from "./dom.js";
import { duration } from "./format.js";
import { fieldOf, parseHead, section } from "./heads.js";
import { urlOf } from "./rows.js";

/** Milliseconds within which one follows from another. */
const REACH = 30_000;
/** Exchanges that are looked at in each direction. */
const MAX = 12;

const wasRefused = row => row.error !== null || row.status === 429 || row.status === 408 || row.status >= 500;

/** Places a strip of links below the overview of an exchange that is part of a chain. */
export function chainStrip(exchange, rows) {
    const place = h("div", {});
    if (exchange.running) return place;
    Promise.all([redirects(exchange, rows), retries(exchange, rows)]).then(([redirects, retries]) => {
        place.replaceChildren(...[strip("Redirects", redirects, exchange), strip("Tries", retries, exchange)].filter(Boolean));
    }, () => { /* The overview says enough without it. */ });
    return place;
}

function strip(title, chain, { id }) {
    if (chain.length < 2) return null;
    return section(title, chain.length, h("ol", { class: "chain" }, chain.map(row => h("li", {},
        h(row.id === id ? "b" : "a", row.id === id ? {} : { href: `#/exchange/${row.id}` },
            h("span", { class: `s${row.error ? 5 : Math.floor((row.status ?? 0) / 100)}` }, row.status ?? "✕"),
            h("span", { class: "mono", title: plain(urlOf(row)) }, ` ${plain(row.method)} ${plain(row.path)}`)),
        h("span", { class: "quiet number" }, ` ${duration(row.ms)}`)))));
}

/** The same request, as often as it failed in a row, with the one that ended it. */
function retries(exchange, rows) {
    const same = rows.filter(row => row.method === exchange.method && urlOf(row) === exchange.url);
    let first = same.findIndex(row => row.id === exchange.id);
    if (first < 0) return [];
    let last = first;
    while (first > 0 && wasRefused(same[first - 1]) && same[first].time - same[first - 1].time < REACH) first -= 1;
    while (last + 1 < same.length && wasRefused(same[last]) && same[last + 1].time - same[last].time < REACH) last += 1;
    return same.slice(first, last + 1).slice(-MAX);
}

async function redirects(exchange, rows) {
    const at = rows.findIndex(row => row.id === exchange.id);
    if (at < 0) return [];
    const chain = [rows[at]];
    let target = targetOf(exchange);
    for (let index = at + 1; target && index < rows.length && chain.length < MAX; index += 1) {
        const row = rows[index];
        if (row.time - chain.at(-1).time - chain.at(-1).ms > REACH) break;
        if (urlOf(row) !== target) continue;
        chain.push(row);
        target = isRedirect(row) ? targetOf(await get(`/v1/traffic/${row.id}`)) : null;
    }
    // Backwards only the few redirects shortly before can lead here.
    let looked = 0;
    for (let index = at - 1; index >= 0 && looked < MAX; index -= 1) {
        const row = rows[index];
        if (chain[0].time - row.time - row.ms > REACH) break;
        if (!isRedirect(row)) continue;
        looked += 1;
        if (targetOf(await get(`/v1/traffic/${row.id}`)) === urlOf(chain[0])) chain.unshift(row);
    }
    return chain;
}

const isRedirect = row => [301, 302, 303, 307, 308].includes(row.status);

/** Where the response of an exchange leads; null where it leads nowhere. */
function targetOf(exchange) {
    if (!isRedirect(exchange)) return null;
    const location = fieldOf(parseHead(exchange.heads.client_response), "location");
    try { return location === undefined ? null : new URL(location, exchange.url).href.split("#")[0]; } catch { return null; }
}
