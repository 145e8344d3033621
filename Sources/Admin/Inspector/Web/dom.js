// Elements, made without any text that becomes HTML: what was recorded only ever becomes text.
import { icon } from "./icons.js";

/** An element: `h("button", { class: "quiet", onclick: act, title: "…" }, "text", child)`. */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    set(element, attributes);
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "dataset") Object.assign(element.dataset, value);
        else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
        else element.setAttribute(name, value === true ? "" : value);
    }
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, tag);
    set(element, attributes);
    element.append(...children.flat(Infinity).filter(Boolean));
    return element;
}

export const replace = (element, ...children) => {
    element.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return element;
};

// Controls, and marks that turn the direction of text or are invisible, would show something else than what is there.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text of the network, with what cannot be seen written as its number. */
export const plain = text => String(text ?? "").replace(
    HIDDEN, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A button with an icon, which has a name for screen readers. */
export const iconButton = (drawing, name, action, more = {}) =>
    h("button", { type: "button", class: "icon", title: name, "aria-label": name, onclick: action, ...more }, icon(drawing));

/** Puts text into the clipboard, and says so. */
export async function copy(text, what = "Copied") {
    try {
        await navigator.clipboard.writeText(text);
        toast(what);
    } catch {
        toast("The browser does not allow copying here", true);
    }
}

let shown;
/** A line at the bottom for some seconds, read out by screen readers. */
export function toast(text, isProblem = false) {
    const place = document.getElementById("toast");
    clearTimeout(shown);
    replace(place, text ? h("span", { class: isProblem ? "problem" : "" }, plain(text)) : null);
    shown = setTimeout(() => replace(place), isProblem ? 8000 : 2500);
}

export const failed = problem => toast(problem.advice ? `${problem.message}. ${problem.advice}` : problem.message, true);

/** A modal window; resolves when it is closed. */
export function dialog(title, ...content) {
    const element = h("dialog", { "aria-labelledby": "dialog-title" },
        h("header", {}, h("h2", { id: "dialog-title" }, title),
            iconButton("close", "Close", () => element.close())), content);
    document.body.append(element);
    element.addEventListener("close", () => element.remove());
    element.showModal();
    return element;
}

/** Something that menus open at, in the place of a button. */
export const point = place => ({ getBoundingClientRect: () => place, setAttribute() { /* It has no state. */ } });

/** A menu at a button, closed by Escape and by a click elsewhere. */
export function popover(button, ...content) {
    const open = document.querySelector(".popover");
    open?.hidePopover();
    if (open?.opener === button) return null;
    const element = h("div", { class: "popover", popover: "auto" }, content);
    element.opener = button;
    document.body.append(element);
    element.addEventListener("toggle", event => {
        if (event.newState !== "closed") return;
        element.remove();
        button.setAttribute("aria-expanded", "false");
    });
    element.showPopover();
    button.setAttribute("aria-expanded", "true");
    const place = button.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(place.left, innerWidth - element.offsetWidth - 8))}px`;
    element.style.top = `${Math.min(place.bottom + 4, innerHeight - element.offsetHeight - 8)}px`;
    element.querySelector("button, input, select, a")?.focus();
    return element;
}

/** A menu of actions: `[name, action]`, null for a line. */
export function menu(button, entries) {
    const element = popover(button, h("div", { role: "menu" }, entries.map(entry => entry === null
        ? h("hr")
        : h("button", {
            type: "button", role: "menuitem", disabled: !entry[1],
            onclick: () => { element.hidePopover(); entry[1](); },
        }, entry[0], entry[2] && h("kbd", {}, entry[2])))));
    element?.addEventListener("keydown", event => {
        const items = [...element.querySelectorAll("[role=menuitem]:not(:disabled)")];
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        items[(items.indexOf(document.activeElement) + step + items.length) % items.length]?.focus();
    });
    return element;
}
