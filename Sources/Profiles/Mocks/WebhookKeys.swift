// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension Mock {
    static let webhookKeys = Keys<Webhook>("webhook", "the \"then\" of a mock", required: ["url"], [
        .own("url", #"a URL like "http://localhost:3000/hook""#, Schema.pattern("^[hH][tT][tT][pP][sS]?://"), "The URL that is called; it must not lead to production, and has no placeholders."),
        .one("method", \.method, .text("a method like \"POST\"", { isToken($0) && $0 == $0.uppercased() && $0 != "CONNECT" }), "The method.", default: "POST"),
        .own("headers", #"an object like { "X-Event": "paid" }"#, Schema.map(Schema.text), "Fields of the request."),
        .own("json", "any JSON", "", "The body as JSON."),
        .own("text", "a text", Schema.text, "The body as text."),
        .own("template", "true or false", Schema.flag, "true: the body has placeholders like {{body.id}} that are filled from the request to the mock.", usual: "false", see: "mocks.md#templates"),
        .own("delay", MockDelay.expected, Schema.times, "How long Shunt waits after the response.", usual: "not at all", see: "mocks.md#delays"),
        .one("retries", \.retries, .whole(0...5), "How often it is sent again after a failure, 408, 429 or a status 5xx: after 1 s, 2 s, 4 s, 8 s and 16 s.", default: 2),
        .own("secretVariable", "a name like \"HOOK_SECRET\"", Schema.fullText, "The environment variable with the key of its signature (HMAC-SHA256 of the body).", usual: "none") { $2.secret = TokenParts.variable($0, $1).map { .variable($0) } ?? $2.secret },
        .own("secretFile", "a file like \"hook.secret\"", Schema.fullText, "The file with that key, relative to this profile, which its owner alone may read.", usual: "none") { $2.secret = TokenParts.file($0, $1).map { .file($0) } ?? $2.secret },
        .one("signatureField", \.signatureField, .text("a field like \"X-Signature\"", { isToken($0) }), "The field with the signature, as sha256= and hexadecimal digits.", default: "X-Hub-Signature-256"),
    ])
}
