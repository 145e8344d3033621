/// Something in a release that only a debug build may have.
struct LintFinding: Sendable {
    enum Rule: String, Sendable, CaseIterable {
        case arbitraryLoads = "arbitrary-loads"
        case exceptionDomain = "exception-domain"
        case cleartext = "cleartext-traffic"
        case userAuthorities = "user-authorities"
        case overriddenPins = "overridden-pins"
        case disabledEvaluator = "disabled-evaluator"
        case acceptsEverything = "accepts-everything"
        case shuntAuthority = "shunt-authority"
        case debuggable = "debuggable"
        case unread = "unread"

        /// For code scanning.
        var help: String {
            switch self {
            case .arbitraryLoads: "App Transport Security is switched off for all hosts."
            case .exceptionDomain: "App Transport Security is loosened for a domain."
            case .cleartext: "Traffic without TLS is permitted."
            case .userAuthorities: "Certificate authorities that the user has installed are trusted."
            case .overriddenPins: "An authority may break certificate pins."
            case .disabledEvaluator: "Code judges no server certificates."
            case .acceptsEverything: "Code that was written by hand accepts every server certificate."
            case .shuntAuthority: "Shunt's development CA, or code that trusts it, is in a release."
            case .debuggable: "The app can be debugged, and debug-overrides count."
            case .unread: "A part could not be read, and so was not judged."
            }
        }
    }

    let rule: Rule
    /// The file, and behind `!` the part of an archive.
    let place: String
    /// 1-based; nil in binary files.
    let line: Int?
    let message: String
}
