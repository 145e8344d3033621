// What the network of clients is like: chosen for all of them, or for one device.
import { get, post } from "./api.js";
import { failed, h, plain, popover, toast } from "./dom.js";
import { countdown } from "./format.js";

const TIMES = [["until it is changed", ""], ["for 1 min", 60], ["for 5 min", 300], ["for 30 min", 1800]];

/** Opens the choice at a button; `changed()` is called behind each change. */
export async function showNetworks(button, changed) {
    const [{ choices, run, profiles, presets }, { devices }] = await Promise.all([get("/v1/network"), get("/v1/devices")])
        .catch(problem => { failed(problem); return [{}, {}]; });
    if (!presets) return;
    const time = h("select", { "aria-label": "For how long" }, TIMES.map(([text, value]) => h("option", { value }, text)));
    const choose = (device, name) => {
        const choice = choices.find(choice => (choice.device ?? null) === device);
        const chosen = choice ? choice.network?.name ?? "off" : "default";
        return h("select", {
            "aria-label": `Network of ${name}`, onchange: async event => {
                const network = event.target.value;
                const seconds = network !== "default" && time.value ? Number(time.value) : undefined;
                try {
                    await post("/v1/network", { network, ...(device === null ? {} : { device }), ...(seconds ? { seconds } : {}) });
                    toast(network === "default" ? `${name}: as the profiles say` : `${name}: ${network}`);
                    changed();
                } catch (problem) { failed(problem); }
            },
        }, [["default", run && device === null ? `default (${run.name})` : "default"], ["off", "as it is"], ...presets.map(({ name }) => [name, name])]
            .map(([value, text]) => h("option", { value, selected: value === chosen }, plain(text))),
        choice?.network && !presets.some(({ name }) => name === chosen) && h("option", { value: chosen, selected: true, disabled: true }, plain(chosen)));
    };
    const line = (device, name) => {
        const left = choices.find(choice => (choice.device ?? null) === device)?.seconds;
        return h("li", {}, h("strong", {}, plain(name)), " ", choose(device, name), left ? h("span", { class: "quiet" }, ` ${countdown(left)} left`) : null);
    };
    popover(button, h("h2", {}, "Network"), h("ul", { class: "facts" }, line(null, "all clients"), devices.map(device => line(device.name, device.name))),
        h("label", {}, "A choice lasts ", time),
        profiles.length ? h("p", { class: "quiet" }, profiles.map(({ profile, network }) => `${profile}: ${network.name}`).join(", ")) : null,
        h("p", { class: "quiet" }, "It counts for requests of apps, and not for this page."));
}
