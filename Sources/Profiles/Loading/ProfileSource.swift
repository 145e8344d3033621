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
    var description: String?
    /// Nil when it was missing or wrong, which is reported already.
    var kind: ProfileKind?
    var extends: (name: String, place: JSONPosition)?
    var routes: [RouteSource] = []
    var trust: [TrustSource] = []
    /// PEM files for every `default` host, as absolute paths.
    var authorities: [String] = []
    // nil leaves each of these to what is below.
    var jar: CookieJarSource?
    var closesSockets: Bool?
    var token: TokenSource?
    var network: NetworkConditions?
    var offline: OfflineSource?
    var allHostsMustBeEvaluated: Bool?
    var client = ClientSource()
    var contract: ContractUse?
    var clearingPlace: JSONPosition?
    var redaction = RedactionSettings()
    /// Hosts by which clients may reach routes for every host.
    var allowedHosts: [HostPattern] = []
    /// Programs of this machine, with their places; nil leaves them to what is below.
    var apps: [(name: String, place: JSONPosition)]?
    var sealing: StoreSealing?

    init(name: String, file: String) { (self.name, self.file) = (name, file) }

    func reporter(_ problems: ProblemList) -> Reporter { Reporter(file: file, problems: problems) }
}

extension ProfileSource {
    /// Decodes a file; what is wrong is reported and left out.
    init(
        name: String, file: String, bytes: [UInt8], role: Role, sizeLimit: Int, today: CalendarDay,
        problems: ProblemList
    ) {
        self.init(name: name, file: file)
        let reporter = Reporter(file: file, problems: problems)
        guard let fields = Self.fields(bytes, sizeLimit, reporter) else { return }
        Self.keys.read(fields, into: &self)
        kind = Self.kind(fields, role)
        extends = Self.extends(fields, role)
        routes = decodeRoutes(fields.array("routes"), .file, reporter)
        // A production profile may not have them at all, dated or not, which is reported elsewhere.
        let decoding = TrustDecoding(today: today, needsDates: kind != .production, reporter: reporter)
        trust = decoding.rules(fields.object("trust"))
    }

    private static func fields(_ bytes: [UInt8], _ sizeLimit: Int, _ reporter: Reporter) -> Fields? {
        if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) {
            return reporter.refuse(
                nil, "the file is empty", expected: "a profile like { \"kind\": \"local\", \"routes\": [] }",
                hint: "`shunt init DIR` writes examples")
        }
        return reporter.reading { () throws(JSONFailure) in try JSONReader.read(bytes, sizeLimit: sizeLimit) }
            .flatMap { Fields($0, keys, reporter) }
    }

    private static func extends(_ fields: Fields, _ role: Role) -> (name: String, place: JSONPosition)? {
        guard let member = fields.member("extends") else { return nil }
        if case .overlay = role {
            return fields.refuse(
                member, "\"extends\" in a personal override", expected: "it in the shared profile",
                hint: "an override is laid over the profile of its name")
        }
        return fields.string("extends").map { ($0, member.value.position) }
    }

    private static func kind(_ fields: Fields, _ role: Role) -> ProfileKind? {
        let names = ProfileKind.allCases.map(\.rawValue)
        let expected = keys.expected(of: "kind")
        guard let value = fields["kind"] else {
            if case .overlay(let shared) = role { return shared }
            return fields.refuse(
                fields.place, "the profile has no \"kind\"", expected: expected,
                hint: "guards go by it, so it is not inherited")
        }
        guard let name = fields.string("kind") else { return nil }
        guard let kind = ProfileKind(rawValue: name) else {
            return fields.reporter.refuse(
                value.position, "unknown kind \"\(name)\"", expected: expected,
                // Short forms: `prod`, `stage`, `loc`.
                hint: didYouMean(name, among: names)
                    ?? names.first { name.count > 2 && $0.hasPrefix(name.lowercased().prefix(4)) }.map {
                        "did you mean \"\($0)\"?"
                    })
        }
        guard case .overlay(let shared?) = role, shared != kind else { return kind }
        fields.report(
            value, "the kind \"\(name)\" in a personal override", expected: "\"\(shared)\", as in the shared profile",
            hint: "leave the key away")
        return shared
    }
}
