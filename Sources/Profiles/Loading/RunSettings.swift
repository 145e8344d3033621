import JSON

/// Command-line overrides for one run; they win over the profile and its overrides.
public struct RunSettings: Hashable, Sendable {
    /// Stands for the name of a file wherever one is told; the line is the number of the text.
    public static let file = "--set"

    /// The profile's name.
    public let profile: String
    /// Each `routes.PATTERN=RESPONDER` or `trust.HOST=POLICY`.
    public let texts: [String]

    public init(profile: String, texts: [String]) { (self.profile, self.texts) = (profile, texts) }

    private static let example = "--set 'routes.api.shop.test/v1/cart/*=https://localhost:3000'"

    /// What it says, as if a file had said it; paths start in the working directory, and recordings lie beside the folder
    /// of profiles.
    func source(over kind: ProfileKind?, today: CalendarDay, in directory: String?, _ problems: ProblemList)
        -> ProfileSource
    {
        let reporter = Reporter(file: Self.file, problems: problems, profilesDirectory: directory)
        var routes: [JSONValue] = []
        var rules: [JSONMember] = []
        for (at, text) in texts.enumerated() {
            guard let setting = RunSetting(text, line: at + 1, example: Self.example, reporter) else { continue }
            switch setting.subject {
            case .routes: if let route = setting.route(reporter) { routes.append(route) }
            case .trust: if let rule = setting.rule(reporter) { rules.append(rule) }
            }
        }
        let trust = TrustDecoding(today: today, needsDates: kind != .production, reporter: reporter)
        var source = ProfileSource(name: profile, file: Self.file)
        source.kind = kind
        source.routes = decodeRoutes(routes, .run, reporter)
        source.trust = trust.rules(rules)
        return source
    }
}
