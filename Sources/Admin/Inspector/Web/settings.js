// What this browser remembers: looks, columns, filters, marks. Nothing of it leaves the browser.
const NAME = "shunt-inspector";
const values = read();

function read() {
    try { return JSON.parse(localStorage.getItem(NAME)) ?? {}; } catch { return {}; }
}

export const remembered = (name, fallback) => values[name] ?? fallback;

export function remember(name, value) {
    values[name] = value;
    try { localStorage.setItem(NAME, JSON.stringify(values)); } catch { /* The storage is full or switched off. */ }
}

/** Marks and comments of exchanges, by their numbers. */
export const marks = {
    all: new Map(remembered("marks", [])),
    get(id) { return this.all.get(id); },
    set(id, comment) {
        if (comment === null) this.all.delete(id); else this.all.set(id, comment);
        // The oldest ones are of exchanges that the store has long dropped.
        remember("marks", [...this.all].slice(-2000));
        dispatchEvent(new Event("marks"));
    },
};

/** light, dark, or nothing for what the system says. */
export function applyTheme() {
    const theme = remembered("theme", "");
    if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
}

export function nextTheme() {
    const isDark = getComputedStyle(document.documentElement).colorScheme.includes("dark")
        && (document.documentElement.dataset.theme === "dark" || matchMedia("(prefers-color-scheme: dark)").matches);
    const theme = document.documentElement.dataset.theme ?? (isDark ? "dark" : "light");
    remember("theme", theme === "dark" ? "light" : "dark");
    applyTheme();
}
