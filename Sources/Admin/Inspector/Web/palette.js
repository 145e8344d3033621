// All that can be done, found by a few letters.
import { dialog, h, plain, replace } from "./dom.js";

const MAX = 12;

/** `commands`: `[title, act, key]`. */
export function openPalette(commands) {
    let [found, chosen] = [[], 0];
    const list = h("ul", { id: "commands", class: "commands", role: "listbox", "aria-label": "Commands" });
    const run = index => {
        const [, act] = found[index] ?? [];
        if (!act) return;
        window.close();
        act();
    };
    const draw = () => {
        replace(list, found.map(([title, , key], index) => h("li", {
            role: "option", id: `command-${index}`, "aria-selected": String(index === chosen), onclick: () => run(index),
        }, plain(title), key && h("kbd", {}, key))));
        input.setAttribute("aria-activedescendant", `command-${chosen}`);
    };
    const search = () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        found = commands.filter(([title]) => words.every(word => title.toLowerCase().includes(word))).slice(0, MAX);
        chosen = 0;
        draw();
    };
    const input = h("input", {
        type: "text", role: "combobox", "aria-label": "Command", "aria-expanded": "true", "aria-controls": "commands", placeholder: "What to do", autocomplete: "off", spellcheck: "false",
        oninput: search, onkeydown: event => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (event.key === "Enter") run(chosen);
            else if (step && found.length) { chosen = (chosen + step + found.length) % found.length; draw(); } else return;
            event.preventDefault();
        },
    });
    const window = dialog("Commands", input, list);
    window.classList.add("palette");
    search();
    input.focus();
}
