import JSON
import Platform

/// One profile's file as decoded, before it is joined with what it extends.
struct ProfileSource {
    /// What a file is to the profile that it names.
    enum Role {
        case whole
        /// Laid over a file of that kind, which is nil when it is not known.
        case overlay(of: ProfileKind?)
    }

    let name: String
    /// Tells levels apart: of one name there may be several.
    let file: String
    let description: String?
    /// Nil when it was missing or wrong, which is reported already.
    let kind: ProfileKind?
    let extends: (name: String, place: JSONPosition)?
    let routes: [RouteSource]
    let trust: [TrustSource]
    /// PEM files for every `default` host, as absolute paths.
    let authorities: [String]
    /// nil leaves it to what is below.
    let jar: CookieJarSource?
    /// nil leaves it to what is below.
    var closesSockets: Bool?
    let redaction: RedactionSettings
    /// nil leaves it to what is below.
    var network: NetworkConditions?
    var offline: OfflineSource?
    var client = ClientSource()
    var clearingPlace: JSONPosition?
    /// nil leaves it to what is below.
    var allHostsMustBeEvaluated: Bool?
    /// Hosts by which clients may reach routes for every host.
    var allowedHosts: [HostPattern] = []
    var sealing: StoreSealing?

    func reporter(_ problems: ProblemList) -> Reporter { Reporter(file: file, problems: problems) }
}

extension ProfileSource {
    /// Decodes a file; what is wrong is reported and left out.
    init(
        name: String, file: String, bytes: [UInt8], role: Role, sizeLimit: Int, today: CalendarDay,
        problems: ProblemList
    ) {
        let reporter = Reporter(file: file, problems: problems)
        var fields: Fields?
        if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) {
            reporter.report(
                nil, "the file is empty", expected: "a profile like { \"kind\": \"local\", \"routes\": [] }",
                hint: "`shunt init DIR` writes examples")
        } else {
            do throws(JSONFailure) {
                let tree = try JSONReader.read(bytes, sizeLimit: sizeLimit)
                fields = Fields(tree, "a profile", keys: ProfileKeys.profile, reporter)
            } catch {
                reporter.report(error.position, error.message, expected: error.expected)
            }
        }
        self.name = name
        self.file = file
        _ = fields?.string("$schema")
        description = fields?.string("description")
        kind = fields.flatMap { Self.kind($0, role) }
        extends = fields.flatMap { Self.extends($0, role) }
        routes =
            fields.map { fields in
                let values = fields.array("routes", expected: "an array of routes")
                return decodeRoutes(values, isForRun: false, fields.reporter)
            } ?? []
        // A production profile may not have them at all, dated or not, which is reported elsewhere.
        let trust = TrustDecoding(
            today: today, needsDates: kind != .production, reporter: reporter)
        self.trust =
            fields.map { trust.rules($0.object("trust", expected: "an object like { \"localhost\": \"disabled\" }")) }
            ?? []
        authorities = fields.map { decodeAuthorities($0) } ?? []
        jar = fields.flatMap { decodeCookieJar($0) }
        closesSockets = fields.flatMap { $0.bool("closeSockets") }
        redaction = fields.map { decodeRedaction($0) } ?? RedactionSettings()
        network = fields.flatMap { decodeNetwork($0, of: "a profile") }
        offline = fields.flatMap { decodeOffline($0, of: "a profile") }
        client = fields.map { ClientSource($0) } ?? ClientSource()
        clearingPlace = fields?["clearOnSwitch"]?.position
        allHostsMustBeEvaluated = fields.flatMap { $0.bool("allHostsMustBeEvaluated") }
        allowedHosts = fields.map { decodeAllowedHosts($0) } ?? []
        sealing = fields.flatMap { StoreSealing($0) }
    }

    private static func extends(_ fields: Fields, _ role: Role) -> (name: String, place: JSONPosition)? {
        guard let member = fields.member("extends") else { return nil }
        if case .overlay = role {
            fields.reporter.report(
                member.keyPosition, "\"extends\" in a personal override", expected: "it in the shared profile",
                hint: "an override is laid over the profile of its name")
            return nil
        }
        return fields.string("extends", expected: "a profile's name").map { ($0, member.value.position) }
    }

    private static func kind(_ fields: Fields, _ role: Role) -> ProfileKind? {
        let names = ProfileKind.allCases.map(\.rawValue)
        let expected = names.map { "\"\($0)\"" }.joined(separator: ", ")
        guard let value = fields["kind"] else {
            if case .overlay(let shared) = role { return shared }
            fields.reporter.report(
                fields.place, "the profile has no \"kind\"", expected: "one of \(expected)",
                hint: "guards go by it, so it is not inherited")
            return nil
        }
        guard let name = fields.string("kind", expected: "one of \(expected)") else { return nil }
        guard let kind = ProfileKind(rawValue: name) else {
            fields.reporter.report(
                value.position, "unknown kind \"\(name)\"", expected: "one of \(expected)",
                // Short forms: `prod`, `stage`, `loc`.
                hint: didYouMean(name, among: names)
                    ?? names.first { name.count > 2 && $0.hasPrefix(name.lowercased().prefix(4)) }.map {
                        "did you mean \"\($0)\"?"
                    })
            return nil
        }
        guard case .overlay(let shared?) = role, shared != kind else { return kind }
        fields.reporter.report(
            value.position, "the kind \"\(name)\" in a personal override",
            expected: "\"\(shared)\", as in the shared profile",
            hint: "leave the key away")
        return shared
    }
}
