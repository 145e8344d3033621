// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

extension Mock {
    static let keys = Keys<Void>("mock", "a mock", body + [
        .own("status", "a whole number from 200 to 599, or several", Schema.any(Schema.status, Schema.list(Schema.status, min: 1), Schema.map(weightKind.schema) + #", "minProperties": 1"#), "The status; several are used one after the other: [503, 503, 200]; with weights at random: { \"200\": 9, \"503\": 1 }.", usual: "200", see: "mocks.md#several-responses"),
        headers, delay,
        .own(MockCollection.key, #"a path like "items.json", or an array like [{ "id": 1 }]"#, Schema.any(Schema.fullText, Schema.list(#""type": "object", "required": ["id"]"#)), "Items that requests list, get, create, replace, patch and delete at the path and below it; what they begin with. The file is not written.", see: "mocks.md#a-mock-with-a-memory"),
        .own("responses", #"an array of responses like { "status": 503 }"#, Schema.list(Schema.object("mockResponse"), min: 1), "Several responses, one after the other, or at random if each has a weight.", see: "mocks.md#several-responses"),
        .own("then", #"an object like { "url": "http://localhost:3000/hook" }"#, Schema.object("webhook"), "A request that Shunt sends after the response.", see: "mocks.md#webhooks"),
        .own("loop", "true or false", Schema.flag, "true: after the last of several responses the first one is used again; otherwise the last one is repeated.", usual: "false", see: "mocks.md#several-responses"),
        .own("seed", "a whole number from 0", Schema.whole(0...(.max)), "The seed of random choices: with one, each start of Shunt gives the same responses and delays."),
    ])
    static let responseKeys = Keys<Void>("mockResponse", "a response of a mock", body + [
        .own("status", "a whole number from 200 to 599", Schema.status, "The status.", usual: "200"), headers, delay,
        .own("weight", weightKind.expected, weightKind.schema, "How often this response is used, relative to the others."),
    ])

    static let weightKind = ValueKind<Double>.above0(1_000_000, like: "0.1")
    private static let body: [Key<Void>] = [
        .own("json", "any JSON", "", "The body as JSON, sent as application/json unless the headers say otherwise."),
        .own("text", "a text", Schema.text, "The body as text, sent as text/plain unless the headers say otherwise."),
        .own("file", "a path like \"promo.json\"", Schema.fullText, "A file with the body, relative to this profile; its extension determines the Content-Type. A changed file is used at once.", see: "mocks.md#a-body-from-a-file"),
        .own("events", #"an object like { "script": [{ "data": "hello" }] }"#, Schema.object("mockEvents"), "Server-sent events as the body, each in its time.", see: "mocks.md#server-sent-events"),
        .own("webSocket", #"an object like { "replies": [{ "send": [{ "text": "hello" }] }] }"#, Schema.object("mockWebSocket"), "The server's end of a WebSocket.", see: "mocks.md#websockets"),
        .own("grpc", #"an object like { "message": { "name": "Ada" } }"#, Schema.object("mockCall"), "The response to a gRPC call; the route needs \"grpc\" with its messages.", see: "grpc.md#mocks"),
        .own("graphql", "a path like \"schema.graphql\"", Schema.fullText, "A schema of GraphQL, relative to this profile: calls get values of the types that they ask for.", see: "mocks.md#mocks-from-a-schema-of-graphql"),
        .own("template", "true or false", Schema.flag, "true: body and fields have placeholders like {{path.id}} that are filled from the request.", usual: "false", see: "mocks.md#templates"),
    ]
    private static let headers = Key<Void>.own("headers", #"an object like { "Cache-Control": "no-store" }"#, Schema.map(Schema.texts), "Fields of the response; an array has several values. Shunt writes Content-Length and other framing itself.")
    private static let delay = Key<Void>.own("delay", MockDelay.expected, Schema.times, "How long the response is delayed.", usual: "not at all", see: "mocks.md#delays")
}

extension RequestCondition {
    static let keys = Keys<Void>("match", "the \"match\" of a route", [
        .own("query", #"an object like { "name": "value" }"#, conditions, "Parameters of the query, decoded; if a name occurs several times, one of the values must match."),
        .own("headers", #"an object like { "name": "value" }"#, conditions, "Values of fields."),
        .own("cookies", #"an object like { "name": "value" }"#, conditions, "Values of cookies."),
        .own("body", #"an object like { "name": "value" }"#, conditions, "Members of a JSON body by their path, names and in arrays numbers with dots between them: user.name, items.0.id."),
        .own("json", "any JSON", "", "The JSON body as a whole: objects may have more members, everything else must be equal."),
        .own("graphql", #"an object like { "operation": "Cart" }"#, Schema.object("graphql"), "What the request asks for in GraphQL.", see: "mocks.md#operations-of-graphql"),
    ])
    static let callKeys = Keys<Void>("graphql", "a condition on GraphQL", [
        .own("operation", #"a text like "Cart", { "regex": "^Cart" }, true or false"#, Schema.any(#""type": ["string", "boolean"]"#, Schema.object("condition")), "The operation's name; true: it has one, false: it has none."),
        .own("kind", #"one of "query", "mutation", "subscription""#, Schema.one(of: ["query", "mutation", "subscription"]), "The operation's kind."),
        .own("variables", #"an object like { "id": 7 }"#, #""type": "object""#, "Variables: there may be more, and objects may have more members; everything else must be equal."),
        .own("fields", #"an array of names like "cart""#, Schema.list(Schema.fullText), "Fields that the operation asks for, among the outermost ones, in fragments too."),
    ])
    static let conditions = Schema.map(Schema.any(#""type": ["string", "number", "boolean"]"#, Schema.object("condition")))
    static let patternKeys = Keys<Void>("condition", "a condition", required: ["regex"], [
        .own("regex", #"a text like { "regex": "^[0-9]+$" }"#, Schema.text, "A regular expression that is found in the value; the case of ASCII letters does not matter."),
    ])
}
