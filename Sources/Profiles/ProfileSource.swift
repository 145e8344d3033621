import JSON

/// One profile's file as decoded, before it is joined with what it extends.
struct ProfileSource {
    let name: String
    let file: String
    let description: String?
    /// Nil when it was missing or wrong, which is reported already.
    let kind: ProfileKind?
    let extends: (name: String, place: JSONPosition)?
    let routes: [RouteSource]
    let trust: [TrustSource]
    /// PEM files for every `default` host, as absolute paths.
    let authorities: [String]

    func reporter(_ problems: ProblemList) -> Reporter { Reporter(file: file, problems: problems) }
}

struct RouteSource {
    enum Answer {
        case origin(OriginURL, preserveHost: Bool)
        case mock(Mock)
    }

    let pattern: RoutePattern
    let answer: Answer
    let place: JSONPosition
}

struct TrustSource {
    let pattern: HostPattern
    let isDisabled: Bool
    /// PEM files for this rule's hosts, as absolute paths.
    let authorities: [String]
    let place: JSONPosition
}

extension ProfileSource {
    /// Decodes a file; what is wrong is reported and left out.
    init(name: String, file: String, bytes: [UInt8], sizeLimit: Int, problems: ProblemList) {
        let reporter = Reporter(file: file, problems: problems)
        var fields: Fields?
        do throws(JSONFailure) {
            let tree = try JSONReader.read(bytes, sizeLimit: sizeLimit)
            fields = Fields(tree, "a profile", keys: ProfileKeys.profile, reporter)
        } catch {
            reporter.report(error.position, error.message, expected: error.expected)
        }
        self.name = name
        self.file = file
        _ = fields?.string("$schema")
        description = fields?.string("description")
        kind = fields.flatMap { Self.kind($0) }
        extends = fields.flatMap { fields in
            guard let name = fields.string("extends", expected: "a profile's name"), let value = fields["extends"]
            else { return nil }
            return (name, value.position)
        }
        let directory = Files.directory(of: file)
        routes = fields.map { decodeRoutes($0) } ?? []
        trust = fields.map { decodeTrust($0, directory: directory) } ?? []
        authorities = fields.map { decodeAuthorities($0, directory: directory) } ?? []
    }

    private static func kind(_ fields: Fields) -> ProfileKind? {
        let names = ProfileKind.allCases.map(\.rawValue)
        let expected = names.map { "\"\($0)\"" }.joined(separator: ", ")
        guard let value = fields["kind"] else {
            fields.reporter.report(
                fields.place, "the profile has no \"kind\"", expected: "one of \(expected)",
                hint: "guards go by it, so it is not inherited")
            return nil
        }
        guard let name = fields.string("kind", expected: "one of \(expected)") else { return nil }
        guard let kind = ProfileKind(rawValue: name) else {
            fields.reporter.report(
                value.position, "unknown kind \"\(name)\"", expected: "one of \(expected)",
                hint: didYouMean(name, among: names))
            return nil
        }
        return kind
    }
}
