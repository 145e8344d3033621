// The keys: what the mouse can, they can.
import { dialog, h } from "./dom.js";

const KEYS = [
    ["j k ↓ ↑", "next and previous exchange"], ["Enter", "open the detail"], ["Esc", "close, or leave a field"],
    ["G g g", "newest (and follow), oldest"], ["/", "filter"], ["[ ]", "previous and next tab of the detail"],
    ["c", "copy as curl"], ["r", "replay"], ["E", "edit and resend"], ["n", "compose a request"], ["b", "set a breakpoint"], ["m", "make a mock of it"], ["B", "edit its body by a rule"], ["x", "mark"], ["J K", "select on, downwards and upwards"], ["e", "export the selection as HAR"], ["=", "compare with the marked one"],
    ["Space", "pause and go on"], ["g p", "switch the environment"], ["Ctrl+K", "all commands"], ["Shift+F10", "menu of the selected exchange"], ["g t  g r  g n", "traffic, routes, numbers"],
    ["?", "these keys"],
];

export function showKeys() {
    dialog("Keys", h("dl", { class: "keys" }, KEYS.map(([keys, what]) => [
        h("dt", {}, keys.split(" ").filter(Boolean).map(key => h("kbd", {}, key))), h("dd", {}, what)])));
}

export function bindKeys({ traffic, detail, bar, go, show, compose, breakpoint, palette }) {
    const { list, filter } = traffic;
    /** Acts on the exchange that is shown, or on the selected one, which is then shown. */
    const opened = async act => {
        if (!detail.exchange && list.selected !== undefined) await show({ id: list.selected });
        if (detail.exchange) act();
    };
    const plainKeys = {
        j: () => list.step(1), ArrowDown: () => list.step(1), k: () => list.step(-1), ArrowUp: () => list.step(-1),
        J: () => list.step(1, true), K: () => list.step(-1, true), e: () => traffic.selection.export(),
        PageDown: () => list.step(20), PageUp: () => list.step(-20),
        G: async () => { await traffic.follow(); list.stepTo(true); }, End: () => traffic.follow(), Home: () => traffic.toOldest(),
        Enter: () => list.selected !== undefined && show({ id: list.selected }),
        "/": () => filter.focus(), "[": () => detail.turn(-1), "]": () => detail.turn(1),
        c: () => detail.copyAs("curl", detail.exchange?.id ?? list.selected), r: () => opened(() => detail.replay()), E: () => opened(() => detail.edit()),
        n: compose, b: breakpoint, m: () => opened(() => detail.mock()), B: () => opened(() => detail.rule()), x: () => traffic.toggleMark(),
        "=": () => traffic.compareMarked(), " ": () => traffic.togglePause(), "?": showKeys,
        Escape: () => traffic.selection.ids.size ? traffic.selection.clear() : detail.isOpen && show(null),
    };
    const behindG = {
        g: async () => { await traffic.toOldest(); list.stepTo(false); }, p: () => bar.switch.querySelector("[role=radio][tabindex='0']")?.focus(),
        t: () => go("traffic"), r: () => go("routes"), n: () => go("numbers"),
    };
    let hasG = false;
    addEventListener("keydown", event => {
        if (document.querySelector("dialog[open], .popover")) return;
        if ((event.ctrlKey || event.metaKey) && event.key === "k") {
            event.preventDefault();
            return palette();
        }
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const target = event.target;
        if (target.matches("input, select, textarea, [contenteditable]")) {
            if (event.key === "Escape") { target.blur(); list.element.focus(); }
            return;
        }
        // Controls have keys of their own.
        if (target.matches("button, a, summary") && (event.key === "Enter" || event.key === " ")) return;
        if (target.matches("[role=radio], [role=tab], [role=treeitem]") && event.key.startsWith("Arrow")) return;
        const action = hasG ? behindG[event.key] : plainKeys[event.key];
        const wasG = hasG;
        hasG = !wasG && event.key === "g";
        if (!action) return;
        if (event.key.startsWith("Arrow") && !traffic.element.isConnected) return;
        event.preventDefault();
        action();
    });
}
