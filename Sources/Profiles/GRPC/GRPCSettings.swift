public import Protobuf

/// The messages of a route's gRPC calls.
public final class GRPCSettings: Sendable {
    public let schema: ProtobufSchema
    /// The file or files as the profile names them.
    public let source: String
    /// Absolute paths of the files that it was made of.
    package let files: [String]
    /// Who is asked for them; nil where files have them.
    public let reflection: GRPCReflection?
    /// False before a server has been asked for the first time.
    public var isKnown: Bool { reflection == nil || !schema.files.isEmpty }

    init(_ schema: ProtobufSchema, source: String, files: [String], reflection: GRPCReflection? = nil) {
        (self.schema, self.source, self.files, self.reflection) = (schema, source, files, reflection)
    }

    /// What a method's client sends, or its server; any message while the schema is not known.
    func type(of method: ProtobufMethod, isRequest: Bool) -> ProtobufType? {
        isKnown ? schema.type(of: method, isRequest: isRequest) : .unknown
    }

    /// One line for `shunt explain`.
    package func summary(ofPath path: String) -> String {
        guard isKnown else { return "\(source), which has not been asked yet: `shunt status` tells why" }
        guard let method = schema.method(ofPath: path) else {
            let names = schema.services.keys.sorted().joined(separator: ", ")
            return "\(source) has no method for \(path); its services: \(names.isEmpty ? "none" : names)"
        }
        return "\(method.service)/\(method.name), \(method.kind), \(method.input) to \(method.output), by \(source)"
    }
}

/// The type of the message that a condition looks into.
public struct GRPCMessage: Hashable, Sendable {
    public let type: ProtobufType

    public static func == (left: GRPCMessage, right: GRPCMessage) -> Bool { left.type.name == right.type.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(type.name) }
}

extension ProfileLibrary {
    /// The schemas that routes name.
    public var grpc: GRPCCatalog {
        var known: Set<ObjectIdentifier> = []
        var schemas: [(profile: String, schema: ProtobufSchema)] = []
        for profile in profiles {
            known.removeAll()
            for route in profile.routes {
                guard let grpc = route.grpc, known.insert(ObjectIdentifier(grpc)).inserted else { continue }
                schemas.append((profile.name, grpc.schema))
            }
        }
        return GRPCCatalog(schemas)
    }
}
