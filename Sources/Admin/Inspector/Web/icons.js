// Drawings in the place of letters that not every font has.
import { svg } from "./dom.js";

const PATHS = {
    lock: "M4.5 7V5a3.5 3.5 0 0 1 7 0v2M3.5 7h9v6.5h-9z", unlock: "M4.5 7V4.5a3.5 3.5 0 0 1 6.8-1.2M3.5 7h9v6.5h-9z",
    pause: "M5.5 3.5v9M10.5 3.5v9", play: "M5 3.5v9l7.5-4.5z", clear: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.6M9.2 7v3.6",
    save: "M8 2.5v7M5 7l3 3 3-3M3 12.5h10", columns: "M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9", theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
    help: "M6 6a2 2 0 1 1 2.8 1.9c-.6.3-.8.7-.8 1.3M8 11.4v.2", close: "M4 4l8 8M12 4l-8 8", copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
    edit: "M3 13l.6-2.6 7-7 2 2-7 7zM9.4 4.6l2 2", add: "M8 3v10M3 8h10",
    loupe: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.4 3.4", more: "M4 6.5l4 4 4-4", back: "M10 3.5L5.5 8l4.5 4.5",
    key: "M10.5 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8.6 7.2L3 12.8M5 10.8l1.5 1.5",
};

export const icon = name => svg("svg", { class: "drawing", viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" },
    svg("path", { d: PATHS[name], fill: name === "play" ? "currentColor" : "none" }));
