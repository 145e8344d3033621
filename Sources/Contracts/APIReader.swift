import JSON

/// Reads a document of OpenAPI, and gathers what is wrong with it.
final class APIReader {
    typealias Located = ContractSources.Located

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private let sources: ContractSources
    private let root: Located
    private let compiler: SchemaCompiler
    private var problems: [ContractProblem] = []
    private var operations: [APIContract.Operation] = []
    private var items: [APIContract.Item] = []
    private var tree = PathTree()

    init(_ sources: ContractSources, _ document: Int, assertsFormats: Bool) throws(ContractProblems) {
        self.sources = sources
        root = sources.root(document)
        let version = root.value["openapi"]?.string ?? ""
        let dialect: SchemaDialect
        if version.hasPrefix("3.0.") {
            dialect = .openAPI30
        } else if version.hasPrefix("3.1.") {
            dialect = .openAPI31
        } else {
            let found = root.value["openapi"] ?? root.value["swagger"]
            let what = version.isEmpty ? "there is no \"openapi\"" : "\"openapi\" is \(version)"
            throw ContractProblems([
                sources.problem(root, found?.position, what, expected: "\"openapi\": \"3.0.3\" or \"3.1.0\"")
            ])
        }
        compiler = SchemaCompiler(sources, dialect, refusesUnknown: false, assertsFormats: assertsFormats)
    }

    func read() throws(ContractProblems) -> APIContract {
        let paths = root.member("paths")
        if let paths {
            if paths.value.object == nil { wrong(paths, "an object of paths") }
            for (path, position, item) in paths.members where !path.hasPrefix("x-") { read(path, position, item) }
        } else if compiler.dialect == .openAPI30 {
            report(root, nil, "there is no \"paths\"", expected: "an object of paths")
        }
        for (_, _, schema) in root.member("components")?.member("schemas")?.members ?? [] { _ = compiler.add(schema) }
        var graph: SchemaSet?
        do throws(ContractProblems) { graph = try compiler.finish() } catch { problems += error.all }
        guard problems.isEmpty, let graph else { throw ContractProblems(problems) }
        return APIContract(
            title: root.value["info"]?["title"]?.string ?? "", place: sources.place(paths ?? root),
            operations: operations, items: items, tree: tree, graph: graph)
    }

    private func report(_ located: Located, _ position: JSONPosition?, _ message: String, expected: String? = nil) {
        problems.append(sources.problem(located, position, message, expected: expected))
    }

    private func wrong(_ located: Located, _ expected: String) {
        let name = located.pointer.split(separator: "/").last ?? "it"
        report(located, nil, "\"\(name)\" is \(located.value.kindName)", expected: expected)
    }

    private func resolved(_ located: Located?) -> Located? {
        located.flatMap { sources.resolved($0) { problems.append($0) } }
    }

    // MARK: Paths

    private func read(_ path: String, _ position: JSONPosition, _ member: Located) {
        guard let segments = PathTree.segments(path) else {
            return report(member, position, "the path \(path) is no template", expected: "a path such as /users/{id}")
        }
        guard let item = resolved(member) else { return }
        guard item.value.object != nil else { return wrong(item, "an object of operations") }
        let names = segments.flatMap { $0 }.compactMap { if case .name(let name) = $0 { name } else { nil } }
        var servers = bases(item.member("servers") ?? root.member("servers"))
        var found = APIContract.Item(
            path: path, place: sources.place(member, position), base: servers[0], names: names)
        let shared = parameters(item.member("parameters"))
        for (key, position, operation) in item.members {
            if Self.methods.contains(key) {
                guard operation.value.object != nil else {
                    wrong(operation, "an operation")
                    continue
                }
                found.operations.append(operations.count)
                operations.append(self.operation(key.uppercased(), path, operation, position, shared, names))
                if let own = operation.member("servers") { servers += bases(own) }
            } else if !["summary", "description", "servers", "parameters", "$ref"].contains(key), !key.hasPrefix("x-") {
                report(
                    item, position, "\"\(key)\" is no method",
                    expected: "one of \(Self.methods.joined(separator: ", "))")
            }
        }
        for base in Set(servers).sorted() {
            guard let prefix = PathTree.segments(base.isEmpty ? "/" : base) else { continue }
            let all = (base.isEmpty ? [] : prefix) + segments
            if let other = tree.add(all, item: items.count) {
                report(
                    member, position, "the path \(path) is the same as \(items[other].path)", expected: "each path once"
                )
            }
        }
        items.append(found)
    }

    /// The paths of servers, without a slash at their end.
    private func bases(_ servers: Located?) -> [String] {
        var bases: [String] = []
        for server in servers?.items ?? [] {
            guard var url = server.value["url"]?.string else { continue }
            for (name, _, variable) in server.member("variables")?.members ?? [] {
                guard let value = variable.value["default"]?.string else { continue }
                url = url.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
            }
            var path = URIReference(url).path
            while path.hasSuffix("/") { path.removeLast() }
            if !path.isEmpty, !path.hasPrefix("/") { path = "/" + path }
            bases.append(path)
        }
        return bases.isEmpty ? [""] : bases
    }

    // MARK: Operations

    private func operation(
        _ method: String, _ path: String, _ located: Located, _ position: JSONPosition,
        _ shared: [APIContract.Parameter], _ names: [String]
    ) -> APIContract.Operation {
        var own = parameters(located.member("parameters"))
        own += shared.filter { one in !own.contains { $0.name == one.name && $0.location == one.location } }
        for parameter in own where parameter.location == .path && !names.contains(parameter.name) {
            report(
                located, position, "the path \(path) has no {\(parameter.name)}, which is a parameter of it",
                expected: "{\(parameter.name)} in the path")
        }
        var body: APIContract.Body?
        if let found = resolved(located.member("requestBody")) {
            body = APIContract.Body(
                isRequired: found.value["required"]?.bool ?? false, contents: contents(found.member("content")),
                place: sources.place(found))
        }
        var responses: [APIContract.Response] = []
        for (status, position, member) in located.member("responses")?.members ?? [] where !status.hasPrefix("x-") {
            let text = status.uppercased()
            guard text == "DEFAULT" || isStatus(text) else {
                report(member, position, "\(status) is no status", expected: "a status such as 200, 2XX or default")
                continue
            }
            guard let found = resolved(member) else { continue }
            responses.append(
                APIContract.Response(
                    status: text == "DEFAULT" ? "default" : text, fields: fields(found.member("headers")),
                    contents: contents(found.member("content")), place: sources.place(member, position)))
        }
        if responses.isEmpty, compiler.dialect == .openAPI30 {
            report(located, position, "\(method) \(path) has no responses", expected: "\"responses\" with one at least")
        }
        return APIContract.Operation(
            method: method, path: path, place: sources.place(located, position), parameters: own,
            keys: keys(located.member("security") ?? root.member("security")), body: body, responses: responses)
    }

    private func isStatus(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 3, (0x31...0x35).contains(bytes[0]) else { return false }
        return bytes[1...] == [0x58, 0x58] || bytes[1...].allSatisfy { $0 &- 0x30 < 10 }
    }

    /// Names of parameters in the query that are keys to an API.
    private func keys(_ security: Located?) -> Set<String> {
        var names: Set<String> = []
        for requirement in security?.items ?? [] {
            for (name, _, _) in requirement.members {
                guard let scheme = resolved(root.member("components")?.member("securitySchemes")?.member(name)),
                    scheme.value["in"]?.string == "query", let name = scheme.value["name"]?.string
                else { continue }
                names.insert(name)
            }
        }
        return names
    }

    private func parameters(_ list: Located?) -> [APIContract.Parameter] {
        guard let list else { return [] }
        if list.value.array == nil { wrong(list, "a list of parameters") }
        return list.items.compactMap { item in
            guard let found = resolved(item) else { return nil }
            guard let name = found.value["name"]?.string else {
                report(found, nil, "a parameter without \"name\"", expected: "its name")
                return nil
            }
            guard let location = found.value["in"]?.string.flatMap({ APIContract.Location(rawValue: $0) }) else {
                report(
                    found, found.value["in"]?.position, "the parameter \(name) has a wrong \"in\"",
                    expected: "path, query, header or cookie")
                return nil
            }
            // OpenAPI says that these are to be ignored.
            if location == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) {
                return nil
            }
            return parameter(name, location, found)
        }
    }

    private func fields(_ headers: Located?) -> [APIContract.Parameter] {
        (headers?.members ?? []).compactMap { name, _, member in
            // OpenAPI says that this one is to be ignored.
            guard !name.lowercased().elementsEqual("content-type"), let found = resolved(member) else { return nil }
            return parameter(name, .header, found)
        }
    }

    private func parameter(
        _ name: String, _ location: APIContract.Location, _ found: Located
    ) -> APIContract.Parameter? {
        var style: APIContract.Style = location == .path || location == .header ? .simple : .form
        if let text = found.value["style"] {
            guard let known = text.string.flatMap({ APIContract.Style(rawValue: $0) }) else {
                report(
                    found, text.position, "the parameter \(name) has an unknown \"style\"", expected: "one of OpenAPI")
                return nil
            }
            style = known
        }
        let content = found.member("content")?.members.first?.located
        let schema = found.member("schema") ?? content?.member("schema")
        return APIContract.Parameter(
            name: name, location: location, isRequired: found.value["required"]?.bool ?? (location == .path),
            style: style, explodes: found.value["explode"]?.bool ?? (style == .form),
            mayBeEmpty: found.value["allowEmptyValue"]?.bool ?? false, schema: schema.map { compiler.add($0) },
            isJSON: content != nil, place: sources.place(found))
    }

    private func encoding(_ name: String, _ found: Located) -> APIContract.Encoding {
        let style = found.value["style"]?.string.flatMap { APIContract.Style(rawValue: $0) }
        return APIContract.Encoding(
            name: name, style: style ?? .form, explodes: found.value["explode"]?.bool ?? (style ?? .form == .form),
            hasStyle: style != nil || found.value["explode"] != nil,
            types: found.value["contentType"]?.string.map {
                $0.split(separator: ",").map { MediaRange.essence(String($0)) }
            }, fields: fields(found.member("headers")))
    }

    private func contents(_ content: Located?) -> [APIContract.Content] {
        (content?.members ?? []).map { type, position, member in
            var examples: [(name: String, value: Located)] = []
            if let one = member.member("example") { examples.append(("", one)) }
            for (name, _, example) in member.member("examples")?.members ?? [] {
                if let value = resolved(example)?.member("value") { examples.append((name, value)) }
            }
            return APIContract.Content(
                type: MediaRange.essence(type), schema: member.member("schema").map { compiler.add($0) },
                encodings: (member.member("encoding")?.members ?? []).map { encoding($0.key, $0.located) },
                examples: examples, place: sources.place(member, position))
        }
    }
}

/// Media types as documents and fields name them.
enum MediaRange {
    /// In small letters, without parameters.
    static func essence(_ text: String) -> String {
        let bare = text.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }
        return String(decoding: bare.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// How well a type is met: 3 for itself, 1 for any, 0 for not at all.
    static func rank(_ range: String, _ type: String) -> Int {
        if range == type { return 3 }
        if range == "*/*" { return 1 }
        return range.hasSuffix("/*") && type.hasPrefix(range.dropLast()) ? 2 : 0
    }

    static func isJSON(_ type: String) -> Bool {
        type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
