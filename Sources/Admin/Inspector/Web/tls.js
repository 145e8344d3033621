// The two connections, and how the origin's certificate was judged.
import { h, plain } from "./dom.js";

const fact = (name, value) => value === null || value === undefined ? null : [h("dt", {}, name), h("dd", {}, plain(value))];

export function tlsTab({ client, origin, error, trust_rule: rule, certificates = [] }) {
    const unverified = origin?.trust_decision?.startsWith("accepted");
    return [
        h("h3", {}, "Client to Shunt"),
        h("dl", { class: "overview" }, fact("Protocol", client.protocol), fact("TLS", client.tls ?? "none: plain HTTP"),
            client.tls && fact("Certificate", "made by Shunt's development CA, or the one of --cert")),
        h("h3", {}, "Shunt to the origin"),
        !origin ? h("p", { class: "quiet" }, "No origin was asked.") : [
            h("dl", { class: "overview" }, fact("Origin", origin.url), fact("Address", origin.address), fact("Protocol", origin.protocol),
                fact("TLS", origin.tls ?? (origin.url.startsWith("https") ? "not established" : "none: plain HTTP")), origin.tls && fact("Session", origin.resumed ? "resumed" : "new"),
                fact("Trust policy", origin.trust),
                fact("Rule", rule ?? (origin.trust ? "none for this host, so that default counts" : null)), fact("Verdict", origin.trust_decision)),
            unverified && h("p", { class: "note warn" }, "⚠ The certificate was not verified: a trust rule of the profile says disabled. Between Shunt and this host, others can read and change everything."),
            origin.trust_decision === "verified" && h("p", { class: "note" }, "✓ The chain leads to a trusted authority, and the certificate is for this host."),
            fixes(error),
            chain(certificates),
            h("p", { class: "quiet" }, "Which rule counts: ", h("code", {}, `shunt explain ${plain(origin.url)}`)),
        ],
    ];
}

/** What would let a certificate pass that was rejected. */
function fixes(error) {
    if (!error?.fixes) return null;
    return h("section", { class: "fixes" }, h("h3", {}, "What helps, the least permissive first"), h("p", { class: "failure" }, plain(error.message)),
        h("ol", {}, error.fixes.map(fix => h("li", {}, plain(fix)))));
}

const DAY = 86_400_000;

/** The certificates that the origin has shown, its own first; each vouched for by the next. */
function chain(certificates) {
    if (!certificates.length) return null;
    return h("section", { class: "certificates" }, h("h3", {}, "Certificates"), h("ol", {}, certificates.map(({ subject, issuer, not_after: end, public_key: pin }, index) => h("li", {},
        h("dl", { class: "overview" }, fact(index ? "Issuer" : "Origin", subject), subject === issuer ? fact("Issued by", "itself") : !certificates.some(other => other.subject === issuer) && fact("Issued by", issuer),
            end && [h("dt", {}, "Ends"), h("dd", { class: isOver(end) ? "warn" : "" }, `${end.slice(0, 10)}, ${until(end)}`)],
            [h("dt", {}, "Public key"), h("dd", { class: "mono" }, plain(pin))])))));
}

const isOver = end => Date.parse(end) < Date.now();
const until = end => {
    const days = Math.floor(Math.abs(Date.parse(end) - Date.now()) / DAY);
    return isOver(end) ? `⚠ over for ${days} days` : `in ${days} days`;
};
