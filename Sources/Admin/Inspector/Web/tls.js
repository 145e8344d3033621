// The two connections, and how the origin's certificate was judged.
import { h, plain } from "./dom.js";

const fact = (name, value) => value === null || value === undefined ? null : [h("dt", {}, name), h("dd", {}, plain(value))];

export function tlsTab({ client, origin }) {
    const unverified = origin?.trust_decision?.startsWith("accepted");
    return [
        h("h3", {}, "Client to Shunt"),
        h("dl", { class: "overview" }, fact("Protocol", client.protocol), fact("TLS", client.tls ?? "none: plain HTTP"),
            client.tls && fact("Certificate", "made by Shunt's development CA, or the one of --cert")),
        h("h3", {}, "Shunt to the origin"),
        !origin ? h("p", { class: "quiet" }, "No origin was asked.") : [
            h("dl", { class: "overview" }, fact("Origin", origin.url), fact("Address", origin.address), fact("Protocol", origin.protocol),
                fact("TLS", origin.tls ?? (origin.url.startsWith("https") ? "not established" : "none: plain HTTP")), origin.tls && fact("Session", origin.resumed ? "resumed" : "new"),
                fact("Trust policy", origin.trust), fact("Verdict", origin.trust_decision)),
            unverified && h("p", { class: "note warn" }, "⚠ The certificate was not verified: a trust rule of the profile says disabled. Whoever sits between Shunt and this host can read and change everything."),
            origin.trust_decision === "verified" && h("p", { class: "note" }, "✓ The chain leads to a trusted authority, and the certificate is for this host."),
            h("p", { class: "quiet" }, "Which rule counts: ", h("code", {}, `shunt explain ${plain(origin.url)}`)),
        ],
    ];
}
