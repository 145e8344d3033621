import JSON
public import Platform

/// A server that is asked for the messages of its calls (gRPC server reflection), and where its last answer is kept.
public struct GRPCReflection: Hashable, Sendable {
    let url: OriginURL
    /// Absolute.
    public let file: String

    init(_ url: OriginURL, profilesDirectory: String) {
        self.url = url
        let name = Self.name(of: url.plain.description)
        file = Path.absolute(Path.directory(of: profilesDirectory) + "/.shunt/grpc/\(name).pb")
    }

    /// For messages.
    public var origin: String { url.plain.description }

    var source: String { "the reflection of \(origin)" }

    private static let maxName = 200

    /// A URL as the name of a file.
    private static func name(of url: String) -> String {
        let all = url.utf8.reduce(into: "") { name, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            name += isPlain && byte < 0x80 ? String(scalar) : "_"
        }
        return String(all.prefix(maxName))
    }

    /// Makes the folder of the file, which can be watched from then on.
    public func prepare() throws(FileFailure) { try Files.makeDirectory(Path.directory(of: file), mode: 0o700) }

    /// Takes over what a server says of itself: a set of descriptors.
    ///
    /// - Returns: whether it differs from what was kept.
    public func keep(_ descriptors: [UInt8]) throws(FileFailure) -> Bool {
        if let kept = try? Files.read(file, limit: descriptors.count + 1), kept == descriptors { return false }
        try prepare()
        try Files.write(descriptors, to: file, mode: 0o600)
        return true
    }
}

extension OriginURL {
    /// Where it is, without how it is judged.
    fileprivate var plain: OriginAddress { address(.default(certificateAuthorities: []), expiry: nil) }
}

/// Whom a route asks under `reflection`; nil after a report.
func decodeReflection(_ member: JSONMember, of route: Fields) -> GRPCReflection? {
    let reporter = route.reporter
    let expected = "true, or the URL of a server like \"h2c://localhost:50051\""
    var text = member.value.string
    if text == nil {
        guard case .bool(true) = member.value.kind else {
            return reporter.refuse(member.value, "\"reflection\" is \(spelling(member.value))", expected: expected)
        }
        let origins = route["origin"].map { $0.array ?? [$0] } ?? []
        text = origins.lazy.compactMap { ($0["url"] ?? $0).string }.first { !$0.hasPrefix(OriginCandidate.prefix) }
        if text == nil {
            return reporter.refuse(
                member.value, "\"reflection\": true in a route without an origin that could be asked",
                expected: "the URL of a server like \"h2c://localhost:50051\"")
        }
    }
    guard let text,
        var url = reporter.attempt(member.value.position, { () throws(Refusal) in try OriginURL(parsing: text) })
    else { return nil }
    url.proxy = decodeOriginProxy(route)
    return GRPCReflection(url, profilesDirectory: reporter.profilesDirectory)
}

extension Route {
    /// The route that asks the server which describes its calls: as this one does, its paths and bodies unchanged.
    public var asking: Route? {
        guard let address = settings.reflected else { return nil }
        var settings = settings
        (settings.first, settings.name, settings.then, settings.faults, settings.network) = (nil, nil, nil, [], nil)
        (settings.rewrite, settings.cors, settings.contractUse) = (.none, nil, nil)
        settings.changes = settings.changes?.ofHeadersAlone
        let rule: Int? = candidates.firstIndex { if case .origin(address) = $0 { true } else { false } }
            .flatMap { trustRules[$0] }
        return Route(
            settings, label: label, responder: .origin(address, preserveHost: false), at: place, offline: nil,
            client: client, trustRules: [rule])
    }
}

extension ProfileLibrary {
    /// The files in which answers of servers are kept, whether they are there yet or not.
    public var reflected: [String] { Set(profiles.flatMap(\.routes).compactMap { $0.grpc?.reflection?.file }).sorted() }
}
