// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON

extension RequestChanges {
    static let keys = Keys<Void>("request", "the \"request\" of a route", [
        .own("headers", #"an object like { "set": { "X-Debug": "1" } }"#, Schema.object("headerChanges"), "Fields that are removed, set and added, in this order. Shunt writes Host and the fields of framing itself."),
        .own("query", #"an object like { "set": { "lang": "en" }, "remove": ["trace"] }"#, Schema.object("queryChanges"), "Parameters that are removed and set; all others stay the same, byte for byte."),
        .own("path", #"an object like { "/api/v1/*": "/v1/*" }"#, Schema.map(Schema.pattern("^/")) + #", "propertyNames": { "pattern": "^/" }"#, "Patterns of paths with the paths that the origin has for them. The most specific one counts; each * stands for what the client's path has there."),
    ] + BodyChanges.keys.all)
}

extension ResponseChanges {
    static let keys = Keys<Void>("response", "the \"response\" of a route", [
        .own("headers", #"an object like { "set": { "X-Debug": "1" } }"#, Schema.object("headerChanges"), "Fields that are removed, set and added, in this order. Shunt writes the fields of framing itself."),
        .own("status", #"a whole number from 200 to 599, but for 206, or an object like { "404": 200 }"#, Schema.any(Schema.status, Schema.map(Schema.status)), "The status that clients get: one whatever the response's own, or one for each."),
    ] + BodyChanges.keys.all)
}

extension BodyChanges {
    /// Those of both directions, in the order in which they are made.
    static let keys = Keys<Void>("bodyChanges", "the changes of a body", [
        .own("merge", #"an object like { "user": { "role": "admin", "debug": null } }"#, #""type": "object""#, "A patch for JSON bodies (RFC 7396): its members replace those of the body, and null removes them."),
        .own("json", #"an object like { "set": { "$.flag": true } }, or an array of them"#, Schema.oneOrMore(Schema.object("jsonEdits")), "Edits of JSON bodies by path, one object after the other. All other bytes stay the same."),
        .own("text", #"an object like { "staging": "local" }"#, Schema.map(Schema.text), "Texts that are replaced wherever they are in a body, one after the other."),
        .own("regex", #"an object like { "v[0-9]+": "v9" }"#, Schema.map(Schema.text), "Regular expressions whose matches are replaced, one after the other; letters match in either case."),
        .own("types", #"an array of media types like "application/json" or "text/*""#, Schema.list(Schema.pattern("^[^/]+/[^/]+$")), "The media types whose bodies are changed.", usual: "JSON for merge and json, text of all kinds for text and regex"),
    ])
}

extension MessageChange {
    static let keys = Keys<Void>("messageChange", "an object under \"messages\"", [
        .own("from", "\"client\" or \"origin\"", Schema.one(of: Sender.allCases.map(\.rawValue)), "Whose messages are changed.", usual: "those of both"),
        .own("receive", #"true, or an object like { "text": "ping" }"#, MessageCondition.schema, "Which messages are changed: conditions that must all be met, as for the messages of mocks.", usual: "all texts", see: "mocks.md#websockets"),
    ] + BodyChanges.keys.all.filter { $0.name != "types" })
}

extension JSONEdits {
    static let keys = Keys<Void>("jsonEdits", "an object under \"json\"", [
        .own("if", #"an object like { "$.user.role": "admin" }"#, Schema.map("") + paths, "Paths with values that a body must have; otherwise it stays the same."),
        .own("remove", "an array of paths like \"$.debug\"", Schema.list(Schema.pattern("^\\\\$")), "Paths of members and items that are removed."),
        .own("set", #"an object like { "$.flag": true }"#, Schema.map("") + paths, "Paths with their values. A member that is missing is added, with the objects that lead to it."),
        .own("append", #"an object like { "$.items": { "id": 7 } }"#, Schema.map("") + paths, "Paths of arrays with an item that is added at the end."),
        .own("increment", #"an object like { "$.count": 1 }"#, Schema.map(#""type": "number""#) + paths, "Paths of numbers with what is added to them."),
    ])
    private static let paths = #", "propertyNames": { "pattern": "^\\$" }"#
}

extension HeaderChanges {
    static let keys = Keys<Void>("headerChanges", "the \"headers\" of a message", [
        .own("set", #"an object like { "X-Debug": "1" }"#, Schema.map(Schema.texts), "Fields that replace all fields of their names; an array has several values."),
        .own("add", #"an object like { "X-Debug": "1" }"#, Schema.map(Schema.texts), "Fields that are added after those of their names; an array has several values."),
        .own("remove", "an array of field names", Schema.names, "Names of fields that are removed."),
    ])
}

extension QueryChanges {
    static let keys = Keys<Void>("queryChanges", "the \"query\" of a request", [
        .own("set", #"an object like { "lang": "en" }"#, Schema.map(#""type": ["string", "number", "boolean"]"#), "Parameters, unescaped, that replace all parameters of their names."),
        .own("remove", "an array of parameters", Schema.names, "Names of parameters, unescaped, that are removed."),
    ])
}

extension InjectionSettings {
    static let keys = Keys<Void>("inject", "the \"inject\" of a route", [
        .own("head", forms, Schema.any(Schema.fullText, Schema.names), "HTML for the end of the head: files, relative to this profile, or HTML."),
        .own("body", forms, Schema.any(Schema.fullText, Schema.names), "HTML for the end of the body, in the same forms."),
    ])
    private static let forms = "a file that ends in .js, .css or .html, or HTML that begins with `<`, or an array"
}
