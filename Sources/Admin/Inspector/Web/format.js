// Numbers and times as people read them.
const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** `1.4 MB`; units are powers of 1000, as in the log. */
export function size(bytes) {
    if (bytes === null || bytes === undefined) return "";
    let unit = 0;
    while (bytes >= 999.5 && unit < UNITS.length - 1) { bytes /= 1000; unit += 1; }
    return `${unit === 0 || bytes >= 99.5 ? Math.round(bytes) : bytes.toFixed(1)} ${UNITS[unit]}`;
}

/** Milliseconds: `0.4 ms`, `85 ms`, `1.2 s`, `3 min`. */
export function duration(ms) {
    if (ms === null || ms === undefined) return "";
    if (ms < 10) return `${ms.toFixed(1)} ms`;
    if (ms < 1000) return `${Math.round(ms)} ms`;
    if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
    return `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`;
}

/** Seconds that remain: `9:41`, `2 h 03`. */
export const countdown = seconds => seconds >= 3600
    ? `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds % 3600 / 60)).padStart(2, "0")}`
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const moment = ms => day.format(ms);
export const count = number => number.toLocaleString("en-US");

export function ago(seconds) {
    const passed = Math.max(0, Date.now() / 1000 - seconds);
    if (passed < 60) return "just now";
    if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
    return passed < 86_400 ? `${Math.floor(passed / 3600)} h ago` : `${Math.floor(passed / 86_400)} d ago`;
}

/** 2 to 5 for a class of statuses, 0 for none. */
export const statusClass = status => status ? Math.floor(status / 100) : 0;
