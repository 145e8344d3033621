// Figures of the traffic, drawn from the store.
import { get } from "./api.js";
import { h, plain, replace, svg } from "./dom.js";
import { pattern, quoted } from "./filter.js";
import { clock, count, duration, size } from "./format.js";
import { rowOf, urlOf } from "./rows.js";

const SAMPLE = 1000;
const PAGES = 5;
const BARS = 60;

export class Numbers {
    #filter;
    #timer;

    constructor(filter) {
        this.#filter = filter;
        this.plots = h("div", { class: "plots" });
        this.tables = h("div", { class: "tables" });
        this.element = h("section", { class: "page numbers", "aria-label": "Numbers" }, this.plots, this.tables);
        replace(this.plots, h("p", { class: "quiet", role: "status" }, "Reading …"));
    }

    enter() {
        this.load();
        this.#timer = setInterval(() => document.visibilityState === "visible" && this.load(), 15_000);
    }

    leave() { clearInterval(this.#timer); }

    async load() {
        try {
            const [stats, rows] = await Promise.all([get("/v1/traffic/stats", { by: "host", limit: 12 }), newest()]);
            if (!rows.length) return replace(this.plots, h("div", { class: "state" }, h("h2", {}, "No traffic yet"), h("p", { class: "quiet" }, "Figures appear when requests have passed.")));
            const buckets = byTime(rows);
            replace(this.plots,
                plot("Requests per second", buckets, bucket => bucket.rows.length / bucket.seconds, value => value.toFixed(value < 10 ? 1 : 0)),
                plot("Failures and 5xx", buckets, bucket => bucket.rows.filter(isBad).length, value => value.toFixed(0), "bad"),
                plot("Duration, p95", buckets, bucket => percentile(bucket.rows, 0.95), duration),
                plot("Duration, p50", buckets, bucket => percentile(bucket.rows, 0.5), duration),
                errorsByHost(buckets));
            replace(this.tables, this.#endpoints(rows), this.#hosts(stats.groups ?? []), this.#top("Slowest", rows, row => row.ms, duration), this.#top("Largest", rows, row => row.size, size));
        } catch (problem) { replace(this.plots, h("p", { class: "note" }, plain(problem.message))); }
    }

    #hosts(groups) {
        return h("section", {}, h("h3", {}, "Hosts"), h("table", { class: "grid" },
            h("thead", {}, h("tr", {}, ["Host", "Requests", "Errors", "p50", "p95", "Bytes"].map((title, index) => h("th", { scope: "col", class: index ? "number" : "" }, title)))),
            h("tbody", {}, groups.map(group => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link mono", onclick: () => this.#filter(`~d "^${(group.name ?? "").replaceAll(".", "\\.")}"`) }, plain(group.name ?? "–"))),
                h("td", { class: "number" }, count(group.count)), h("td", { class: `number ${group.failed ? "s5" : ""}` }, count(group.failed)),
                h("td", { class: "number" }, duration((group.p50_us ?? 0) / 1000)), h("td", { class: "number" }, duration((group.p95_us ?? 0) / 1000)), h("td", { class: "number" }, size(group.bytes.request + group.bytes.response)))))));
    }

    /** Requests whose paths differ in numbers alone count as one endpoint. */
    #endpoints(rows) {
        const all = [...endpoints(rows)].map(([name, rows]) => ({ name, rows, p50: percentile(rows, 0.5), p95: percentile(rows, 0.95), p99: percentile(rows, 0.99) }))
            .sort((a, b) => b.p95 - a.p95).slice(0, 15);
        return h("section", { class: "endpoints" }, h("h3", {}, "Endpoints, the slowest first"), h("table", { class: "grid" },
            h("thead", {}, h("tr", {}, ["Endpoint", "Requests", "p50", "p95", "p99"].map((title, index) => h("th", { scope: "col", class: index ? "number" : "" }, title)))),
            h("tbody", {}, all.map(({ name, rows: [row, ...others], p50, p95, p99 }) => h("tr", {},
                h("th", { scope: "row" }, h("button", { type: "button", class: "link mono", onclick: () => this.#filter(filterOf(row)) }, plain(name))),
                h("td", { class: "number" }, count(others.length + 1)), [p50, p95, p99].map(ms => h("td", { class: "number" }, duration(ms))))))));
    }

    #top(title, rows, key, text) {
        const best = [...rows].filter(row => !row.running).sort((a, b) => key(b) - key(a)).slice(0, 10);
        const max = Math.max(1, ...best.map(key));
        return h("section", {}, h("h3", {}, title), h("table", { class: "grid top" }, h("tbody", {}, best.map(row => {
            const bar = h("i", { class: "meter" });
            bar.style.width = `${key(row) / max * 100}%`;
            return h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#/exchange/${row.id}`, class: "mono", title: plain(urlOf(row)) }, `${plain(row.method)} ${plain(row.path)}`)),
                h("td", { class: "lane" }, bar), h("td", { class: "number" }, text(key(row))));
        }))));
    }
}

async function newest() {
    const rows = [];
    let cursor;
    for (let page = 0; page < PAGES; page += 1) {
        const { exchanges, next } = await get("/v1/traffic", { limit: SAMPLE, cursor });
        rows.push(...exchanges.map(rowOf));
        if (!next) break;
        cursor = next;
    }
    return rows.reverse();
}

const isBad = row => row.error !== null || row.status >= 500;

function percentile(rows, part) {
    const times = rows.filter(row => !row.running).map(row => row.ms).sort((a, b) => a - b);
    return times.length ? times[Math.min(times.length - 1, Math.floor(times.length * part))] : 0;
}

const VARIES = /(?<=\/)(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|%3Credacted[^/]*)(?=\/|$)/gi;

/** Rows by method, host and path, with `*` in the place of numbers. */
export function endpoints(rows) {
    const all = new Map();
    for (const row of rows) {
        if (row.running) continue;
        const name = `${row.method} ${row.host}${row.path.split("?")[0].replace(VARIES, "*")}`;
        const known = all.get(name);
        if (known) known.push(row); else all.set(name, [row]);
    }
    return all;
}

/** The filter that finds an endpoint's exchanges. */
function filterOf(row) {
    const path = row.path.split("?")[0].split(VARIES).filter((_, index) => index % 2 === 0).map(pattern).join("[^/?]+");
    return `~m ^${row.method}$ & ~u ${quoted(`^${pattern(`${row.scheme}://${row.host}`)}${path}($|[?])`)}`;
}

function byTime(rows) {
    const [start, end] = [rows[0].time, Math.max(rows.at(-1).time, rows[0].time + BARS * 1000)];
    const width = (end - start) / BARS;
    const buckets = Array.from({ length: BARS }, (_, index) => ({ time: start + index * width, seconds: width / 1000, rows: [] }));
    for (const row of rows) buckets[Math.max(0, Math.min(BARS - 1, Math.floor((row.time - start) / width)))].rows.push(row);
    return buckets;
}

/** Bars over time; screen readers get the last and the largest value. */
function plot(title, buckets, key, text, kind = "") {
    const values = buckets.map(key);
    const max = Math.max(...values, 1e-9);
    const [width, height] = [BARS * 6, 64];
    const total = `${text(max)} at most, ${text(values.at(-1))} last`;
    return h("figure", { class: `plot ${kind}` }, h("figcaption", {}, h("b", {}, title), h("span", { class: "quiet number" }, text(max))),
        svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `${title}: ${total}` },
            values.map((value, index) => svg("rect", { x: index * 6, width: 5, y: height - value / max * height, height: value > 0 ? Math.max(1, value / max * height) : 0 },
                svg("title", {}, `${clock.format(buckets[index].time)}: ${text(value)}`)))),
        h("div", { class: "quiet axis" }, h("span", {}, clock.format(buckets[0].time)), h("span", {}, clock.format(buckets.at(-1).time))));
}

/** A row for each host that has errors, darker where there are more. */
function errorsByHost(buckets) {
    const hosts = new Map();
    buckets.forEach((bucket, index) => {
        for (const row of bucket.rows.filter(isBad)) {
            if (!hosts.has(row.host)) hosts.set(row.host, new Array(BARS).fill(0));
            hosts.get(row.host)[index] += 1;
        }
    });
    const worst = [...hosts].map(([host, values]) => ({ host, values, total: values.reduce((a, b) => a + b, 0) }))
        .sort((a, b) => b.total - a.total).slice(0, 6);
    if (!worst.length) return null;
    const max = Math.max(...worst.flatMap(({ values }) => values));
    return h("figure", { class: "plot errors" }, h("figcaption", {}, h("b", {}, "Failures and 5xx by host"), h("span", { class: "quiet number" }, `${max} at most`)),
        h("table", { class: "heat" }, h("tbody", {}, worst.map(({ host, values, total }) => h("tr", {},
            h("th", { scope: "row", title: plain(host) }, plain(host || "no host")),
            h("td", {}, svg("svg", { viewBox: `0 0 ${BARS * 6} 10`, preserveAspectRatio: "none", role: "img", "aria-label": `${total} over time` },
                values.map((value, index) => value > 0 && svg("rect", { x: index * 6, y: 0, width: 5, height: 10, "fill-opacity": 0.25 + 0.75 * value / max },
                    svg("title", {}, `${clock.format(buckets[index].time)}: ${value}`))))),
            h("td", { class: "number" }, count(total)))))),
        h("div", { class: "quiet axis" }, h("span", {}, clock.format(buckets[0].time)), h("span", {}, clock.format(buckets.at(-1).time))));
}
