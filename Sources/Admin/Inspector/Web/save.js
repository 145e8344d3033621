// Files for the user.
import { ask } from "./api.js";
import { h } from "./dom.js";

/** Writes a file; its type is none that a browser would show. */
export function save(blob, name) {
    const url = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The forms in which exchanges are exported, by the names that `/v1/traffic/export` knows. */
export const FORMS = [["har", "HAR, for other tools"], ["html", "One page, to share"]];

/** Writes the exchanges that a filter finds into a file. */
export async function saveExport(form, filter, name) {
    const query = new URLSearchParams({ format: form, ...(filter && { filter }) });
    save(await (await ask("GET", `/v1/traffic/export?${query}`)).blob(), `${name}.${form}`);
}
