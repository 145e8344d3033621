/// The schemas of all profiles, for recorded calls.
public struct GRPCCatalog: Sendable {
    private let schemas: [(profile: String, schema: ProtobufSchema)]

    public init(_ schemas: [(profile: String, schema: ProtobufSchema)] = []) { self.schemas = schemas }

    public var isEmpty: Bool { schemas.isEmpty }

    /// The messages that a call's client or its server sends, by the profile that responded, or else by another one.
    ///
    /// - Parameter url: absolute.
    public func type(ofCall url: String, profile: String?, isRequest: Bool) -> ProtobufType? {
        let path = GRPC.path(ofURL: url)
        let own = schemas.filter { $0.profile == profile }
        for (_, schema) in own + schemas {
            if let method = schema.method(ofPath: path) { return schema.type(of: method, isRequest: isRequest) }
        }
        return nil
    }
}
