// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

import JSON
import Push

extension PushSettings {
    static let keys = Keys<PushParts>("push", "\"push\"", required: ["environment"], general + ofGateway + ofMock)
    private static let general: [Key<PushParts>] = [
        .optional("environment", \.environment, .choice.expecting(#""mock", a stand-in for APNs, "sandbox" or "production""#), "sandbox and production are APNs, and mock is a stand-in for it; production needs a profile of that kind."),
        .list("topics", \.rules.topics, .text("the identifier of an app like \"com.example.shop\"", schema: Schema.fullText), "an array of texts", "Identifiers of the apps to which notifications may be sent; others get 400 TopicDisallowed.", usual: "any"),
        .own("key", "a file like \"AuthKey.p8\"", Schema.fullText, "A file with the key of provider tokens in PEM, relative to this profile: with it Shunt makes tokens for APNs, and only you may read it; for mock, signatures are checked with it, and it may be the public key.", usual: "tokens of clients are passed on; for mock only their form is checked") { $2.key = PushParts.key($0, $1) },
        .optional("keyID", \.keyID, identifier, "The kid of provider tokens.", usual: "any for mock"),
        .optional("teamID", \.teamID, identifier, "The iss of provider tokens.", usual: "any for mock"),
    ]
    /// Those of the way to APNs alone.
    static let ofGateway: [Key<PushParts>] = [
        .own("origin", "a URL like h2c://localhost:3000", Schema.fullText, "Another server in place of APNs, for tests.", usual: "APNs"),
    ]
    /// Those of the stand-in alone.
    static let ofMock: [Key<PushParts>] = [
        .own("unregistered", tokens, tokensSchema, "For mock: device tokens that get 410 Unregistered.", usual: "none") { $2.rules.unregistered = PushParts.times($0, $1) },
        .own("expired", tokens, tokensSchema, "For mock: device tokens that get 410 ExpiredToken.", usual: "none") { $2.rules.expired = PushParts.times($0, $1) },
        .own("badTokens", "an array of texts", Schema.list(Schema.text), "For mock: device tokens that get 400 BadDeviceToken, as those of the other environment do.", usual: "none") { $2.rules.badTokens = Set(PushParts.tokens($0.key, $1)) },
        .own("topicsOfTokens", "an object of device tokens with their topics", Schema.map(Schema.text), "For mock: device tokens that belong to one topic: the others get 400 DeviceTokenNotForTopic.", usual: "any topic") { $2.rules.topicsOfTokens = PushParts.values($0.key, $1, "the topic", "a topic like \"com.example.shop\"") { $0.string } },
        .own("channels", "an array of texts", Schema.list(Schema.text), "For mock: channels for broadcasts; others get 404 ChannelNotRegistered.", usual: "any") { $2.rules.channels = Set($1.texts($0.key, one: "the identifier of a channel").map(\.text)) },
        .own("throttle", #"an object like { "requests": 5, "seconds": 60 }"#, Schema.object("throttle"), "For mock: how many notifications a device gets in a number of seconds before 429 TooManyRequests.", usual: "no limit") { $2.rules.throttle = PushParts.throttle($0, $1) },
    ]
    static let throttleKeys = Keys<Void>("throttle", "\"throttle\"", required: ["requests", "seconds"], [
        .own("requests", "a whole number from 1", Schema.whole(1...(.max)), "The number of notifications."),
        .own("seconds", "a whole number from 1", Schema.whole(1...(.max)), "The time."),
    ])
    private static let identifier = ValueKind<String>.text("ten letters and digits as Apple gives them, like \"ABC123DEFG\"", schema: Schema.pattern("^[A-Z0-9]{10}$"), ProviderToken.isIdentifier)
    private static let tokens = "an array of device tokens, or an object with their timestamps"
    private static let tokensSchema = Schema.any(Schema.list(Schema.text), Schema.map(#""type": "integer""#))
}
