import JSON
import Platform
import Protobuf

/// What a route has under `grpc`; nil without it, and after a report.
func decodeGRPC(_ route: Fields) -> GRPCSettings? {
    guard let fields = route.fields("grpc", GRPCSettings.keys) else { return nil }
    let reporter = fields.reporter
    let sources = ["descriptors", "protos", "reflection"].compactMap { fields.member($0) }
    if sources.count > 1 {
        reporter.report(
            sources[1], "\"grpc\" has \"\(sources[0].key)\" and \"\(sources[1].key)\"", expected: "one of them")
    }
    if let member = fields.member("reflection") {
        return decodeReflection(member, of: route).flatMap {
            schema(.reflection($0), $0.source, at: member.value.position, reporter)
        }
    }
    guard let protos = fields.member("protos") else {
        if let imports = fields.member("imports") {
            reporter.report(imports, "\"imports\" without \"protos\"", expected: "it beside \"protos\"")
        }
        guard let value = fields["descriptors"] else {
            return reporter.refuse(
                fields.place, "\"grpc\" without messages", expected: "\"descriptors\", \"protos\" or \"reflection\"",
                hint: "protoc --include_imports --descriptor_set_out=shop.pb shop.proto")
        }
        guard let name = fields.string("descriptors") else { return nil }
        return schema(.descriptors(reporter.absolute(name)), name, at: value.position, reporter)
    }
    let files = fields.texts("protos", one: "a file like \"shop.proto\"")
    guard !files.isEmpty else {
        if protos.value.array?.isEmpty == true {
            reporter.report(protos.value, "\"protos\" is empty", expected: "at least one file")
        }
        return nil
    }
    var paths: [String] = []
    for file in files {
        guard let path = reporter.readable(file.text, at: file.place) else { return nil }
        paths.append(path)
    }
    let named = fields.texts("imports", one: "a folder like \"protos\"").map { reporter.absolute($0.text) }
    var folders: [String] = []
    for folder in named + paths.map(Path.directory) where !folders.contains(folder) { folders.append(folder) }
    let source = files.map(\.text).joined(separator: ", ")
    return schema(.protos(paths, folders), source, at: protos.value.position, reporter)
}

private func schema(
    _ source: GRPCSchemas.Source, _ name: String, at place: JSONPosition, _ reporter: Reporter
) -> GRPCSettings? {
    reporter.attempt(place) { () throws(Refusal) in try GRPCSchemas.settings(source, named: name) }
}

/// The method of the schema that a route's path names; nil after a report.
///
/// - Parameter place: of the key that needs it.
func decodeMethod(of route: Fields, for key: String, at place: JSONPosition) -> (ProtobufMethod, GRPCSettings)? {
    guard route["grpc"] != nil else {
        return route.refuse(
            place, "\(key) without the messages of the call",
            expected: "\"grpc\": { \"descriptors\": \"shop.pb\" } in the route")
    }
    guard let settings = decodeGRPC(route) else { return nil }
    guard settings.isKnown else { return (.unknown, settings) }
    if let path = route["path"]?.string, let method = settings.schema.method(ofPath: path) { return (method, settings) }
    let methods = settings.schema.services.values.flatMap(\.methods).map { "/\($0.service)/\($0.name)" }.sorted()
    return route.reporter.refuse(
        route["path"]?.position ?? place, "the route's path names no method of \(settings.source)",
        expected: methods.isEmpty
            ? "a schema with services"
            : "one of \(methods.prefix(12).joined(separator: ", "))" + (methods.count > 12 ? " and others" : ""))
}

extension [RequestCondition] {
    /// The same for the message of a call in place of a JSON body; nil after a report.
    func ofCalls(_ route: Fields) -> [RequestCondition]? {
        guard route["grpc"] != nil, let match = route.member("match"), contains(where: \.needsBody) else { return self }
        guard let (method, settings) = decodeMethod(of: route, for: "a condition on a message", at: match.keyPosition),
            let type = settings.type(of: method, isRequest: true)
        else { return nil }
        if method.streamsRequests {
            return route.refuse(
                match, "a condition on the message of a call with several",
                expected: "a method whose client sends one message: \(method.name) is \(method.kind)")
        }
        return map { condition in
            var condition = condition
            if condition.needsBody { condition.message = GRPCMessage(type: type) }
            return condition
        }
    }
}
