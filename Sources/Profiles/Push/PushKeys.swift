// Each key is one line, whose last text editors show as its description.
// swift-format-ignore-file

extension PushSettings {
    static let keys = Keys<Void>("push", "\"push\"", required: ["environment"], general + ofGateway + ofMock)
    private static let general: [Key<Void>] = [
        .own("environment", #""mock", a stand-in for APNs, "sandbox" or "production""#, Schema.one(of: PushEnvironment.allCases.map(\.rawValue)), "sandbox and production are APNs, and mock is a stand-in for it; production needs a profile of that kind."),
        .own("topics", "an array of texts", Schema.names, "Identifiers of the apps to which notifications may be sent; others get 400 TopicDisallowed.", usual: "any"),
        .own("key", "a file like \"AuthKey.p8\"", Schema.fullText, "A file with the key of provider tokens in PEM, relative to this profile: with it Shunt makes tokens for APNs, and only you may read it; for mock, signatures are checked with it, and it may be the public key.", usual: "tokens of clients are passed on; for mock only their form is checked"),
        .own("keyID", identifier, Schema.pattern("^[A-Z0-9]{10}$"), "The kid of provider tokens.", usual: "any for mock"),
        .own("teamID", identifier, Schema.pattern("^[A-Z0-9]{10}$"), "The iss of provider tokens.", usual: "any for mock"),
    ]
    /// Those of the way to APNs alone.
    static let ofGateway: [Key<Void>] = [
        .own("origin", "a URL like h2c://localhost:3000", Schema.fullText, "Another server in place of APNs, for tests.", usual: "APNs"),
    ]
    /// Those of the stand-in alone.
    static let ofMock: [Key<Void>] = [
        .own("unregistered", tokens, tokensSchema, "For mock: device tokens that get 410 Unregistered.", usual: "none"),
        .own("expired", tokens, tokensSchema, "For mock: device tokens that get 410 ExpiredToken.", usual: "none"),
        .own("badTokens", "an array of texts", Schema.list(Schema.text), "For mock: device tokens that get 400 BadDeviceToken, as those of the other environment do.", usual: "none"),
        .own("topicsOfTokens", "an object of device tokens with their topics", Schema.map(Schema.text), "For mock: device tokens that belong to one topic: the others get 400 DeviceTokenNotForTopic.", usual: "any topic"),
        .own("channels", "an array of texts", Schema.list(Schema.text), "For mock: channels for broadcasts; others get 404 ChannelNotRegistered.", usual: "any"),
        .own("throttle", #"an object like { "requests": 5, "seconds": 60 }"#, Schema.object("throttle"), "For mock: how many notifications a device gets in a number of seconds before 429 TooManyRequests.", usual: "no limit"),
    ]
    static let throttleKeys = Keys<Void>("throttle", "\"throttle\"", required: ["requests", "seconds"], [
        .own("requests", "a whole number from 1", Schema.whole(1...(.max)), "The number of notifications."),
        .own("seconds", "a whole number from 1", Schema.whole(1...(.max)), "The time."),
    ])
    static let identifier = "ten letters and digits as Apple gives them, like \"ABC123DEFG\""
    private static let tokens = "an array of device tokens, or an object with their timestamps"
    private static let tokensSchema = Schema.any(Schema.list(Schema.text), Schema.map(#""type": "integer""#))
}
