import Bytes
import JSON
import Patterns

/// The dialect that schemas are written in.
enum SchemaDialect: Sendable {
    case draft2020
    /// The schema object of OpenAPI 3.0: `nullable`, `exclusiveMinimum` as a boolean, no siblings of `$ref`.
    case openAPI30
    /// Draft 2020-12 within a document of OpenAPI 3.1.
    case openAPI31
}

/// Compiles schemas, and gathers what is wrong with them.
///
/// It keeps a list of schemas that are still to be read instead of calling itself, so that neither nesting nor
/// references can exhaust the stack.
final class SchemaCompiler {
    typealias Located = ContractSources.Located

    private struct Resource {
        let uri: URIReference
        let root: Located
        var dynamicAnchors: [String: Located] = [:]
        /// Whether the vocabulary for validation is in use (`$vocabulary` of the meta-schema).
        var isAsserting = true
    }

    let sources: ContractSources
    let dialect: SchemaDialect
    let refusesUnknown: Bool
    let assertsFormats: Bool
    let rules = SchemaRules()
    private(set) var problems: [ContractProblem] = []
    private var nodes: ContiguousArray<SchemaNode> = []
    private var numbers: [ContractSources.Key: Int] = [:]
    private var pending: [Int] = []
    private var resources: [Resource] = []
    private var resourceNumbers: [String: Int] = [:]
    private var resourceAt: [ContractSources.Key: Int] = [:]
    private var anchors: [String: (located: Located, resource: Int)] = [:]
    private var scanned: Set<Int> = []
    private var references: [String: Int?] = [:]

    init(_ sources: ContractSources, _ dialect: SchemaDialect, refusesUnknown: Bool, assertsFormats: Bool) {
        (self.sources, self.dialect) = (sources, dialect)
        (self.refusesUnknown, self.assertsFormats) = (refusesUnknown, assertsFormats)
    }

    /// The number of a schema, which is compiled by ``finish()`` at the latest.
    func add(_ located: Located) -> Int {
        scan(located.document)
        var resource = resourceNumbers[sources.documents[located.document].uri.withoutFragment] ?? 0
        if !resourceAt.isEmpty {
            _ = sources.follow(located.pointer, from: sources.root(located.document)) {
                resource = resourceAt[$0.key] ?? resource
            }
        }
        return number(of: located, in: resource)
    }

    func finish() throws(ContractProblems) -> SchemaSet {
        var dynamicAnchors: [[String: Int]] = []
        while let next = pending.popLast() { nodes[next] = compiled(nodes[next]) }
        // Schemas that only a dynamic reference can lead to.
        var done = 0
        while done < resources.count {
            let (number, resource) = (done, resources[done])
            done += 1
            dynamicAnchors.append(resource.dynamicAnchors.mapValues { self.number(of: $0, in: number) })
            while let next = pending.popLast() { nodes[next] = compiled(nodes[next]) }
        }
        guard problems.isEmpty else { throw ContractProblems(problems) }
        return SchemaSet(
            nodes: nodes, rules: rules, resources: dynamicAnchors.map { SchemaSet.Resource(dynamicAnchors: $0) },
            names: sources.documents.map(\.name))
    }

    func report(_ located: Located, _ position: JSONPosition?, _ message: String, expected: String? = nil) {
        problems.append(sources.problem(located, position, message, expected: expected))
    }

    func number(of located: Located, in resource: Int) -> Int {
        let key = located.key
        if let known = numbers[key] { return known }
        let number = nodes.count
        nodes.append(SchemaNode(located, resource: resourceAt[key] ?? resource))
        numbers[key] = number
        pending.append(number)
        return number
    }

    func isAsserting(_ resource: Int) -> Bool { resources[resource].isAsserting }

    // MARK: Resources

    /// Finds `$id`, `$anchor` and `$dynamicAnchor` of a document.
    private func scan(_ document: Int) {
        guard scanned.insert(document).inserted else { return }
        let uri = sources.documents[document].uri
        let root = sources.root(document)
        let number = resources.count
        resources.append(Resource(uri: uri, root: root))
        resourceNumbers[uri.withoutFragment] = number
        // OpenAPI 3.0 has no such keywords.
        if dialect != .openAPI30 { scan(root, number, isRoot: true) }
    }

    private func scan(_ located: Located, _ outer: Int, isRoot: Bool = false) {
        guard located.value.object != nil else {
            for item in located.items { scan(item, outer) }
            return
        }
        var resource = outer
        if let id = located.value["$id"], let text = id.string {
            let uri = URIReference(text).resolved(against: resources[outer].uri)
            if uri.fragment?.isEmpty == false {
                report(located, id.position, "\"$id\" has a fragment", expected: "$anchor")
            }
            resource = resources.count
            resources.append(Resource(uri: uri, root: located))
            resourceNumbers[uri.withoutFragment] = resource
            if isRoot { resourceNumbers[resources[outer].uri.withoutFragment] = resource }
            resourceAt[located.key] = resource
        }
        if let schema = located.value["$schema"]?.string { adopt(metaSchema: schema, resource) }
        let uri = resources[resource].uri.withoutFragment
        for name in ["$anchor", "$dynamicAnchor"] {
            guard let anchor = located.value[name]?.string else { continue }
            anchors["\(uri)#\(anchor)"] = (located, resource)
            if name == "$dynamicAnchor" { resources[resource].dynamicAnchors[anchor] = located }
        }
        for member in located.members {
            switch SchemaKeyword.holds[member.key] {
            case .schema: scan(member.located, resource)
            case .schemas: for one in member.located.members { scan(one.located, resource) }
            case .nothing: break
            case nil: if dialect == .openAPI31 { scan(member.located, resource) }
            }
        }
    }

    private func adopt(metaSchema text: String, _ resource: Int) {
        guard let document = try? sources.document(URIReference(text)) else { return }
        let vocabulary = sources.documents[document].root["$vocabulary"]?.object
        let validation = "https://json-schema.org/draft/2020-12/vocab/validation"
        if let vocabulary { resources[resource].isAsserting = vocabulary.contains { $0.key == validation } }
    }

    // MARK: References

    /// The schema that a reference leads to; nil after a report.
    func target(_ text: String, of node: SchemaNode, _ position: JSONPosition) -> Int? {
        let uri = URIReference(text).resolved(against: resources[node.resource].uri)
        if let known = references[uri.text] {
            if known == nil { reportNowhere(text, node, position) }
            return known
        }
        let found = find(uri)
        references[uri.text] = found
        if found == nil { reportNowhere(text, node, position) }
        return found
    }

    private func reportNowhere(_ text: String, _ node: SchemaNode, _ position: JSONPosition) {
        report(
            node.source, position, "\"$ref\" leads nowhere: \(text)",
            expected: "a place in the same schema, such as \"#/$defs/item\", or in a file beside it")
    }

    private func find(_ uri: URIReference) -> Int? {
        var base = resourceNumbers[uri.withoutFragment]
        if base == nil {
            do throws(ContractProblem) {
                guard let document = try sources.document(uri) else { return nil }
                scan(document)
                base = resourceNumbers[uri.withoutFragment]
            } catch {
                problems.append(error)
            }
        }
        guard let base else { return nil }
        let fragment = URIReference.decoded(uri.fragment ?? "")
        guard fragment.isEmpty || fragment.hasPrefix("/") else {
            let plain = anchors["\(resources[base].uri.withoutFragment)#\(fragment)"]
            return plain.map { number(of: $0.located, in: $0.resource) }
        }
        var resource = base
        let found = sources.follow(fragment, from: resources[base].root) {
            resource = self.resourceAt[$0.key] ?? resource
        }
        return found.map { number(of: $0, in: resource) }
    }

    /// Whether the schema is the one that a `$dynamicAnchor` of that name names.
    func isDynamicAnchor(_ name: String, _ number: Int) -> Bool {
        nodes[number].source.value["$dynamicAnchor"]?.string == name
    }
}

/// What the value of a keyword is made of.
enum SchemaKeyword {
    enum Holding {
        /// A schema, or a list of them.
        case schema
        /// An object of schemas.
        case schemas
        case nothing
    }

    static let holds: [String: Holding] = {
        var table: [String: Holding] = [:]
        for name in [
            "additionalProperties", "propertyNames", "items", "prefixItems", "contains", "allOf", "anyOf", "oneOf",
            "not",
            "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
        ] {
            table[name] = .schema
        }
        for name in ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"] {
            table[name] = .schemas
        }
        for name in [
            "$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "type",
            "enum",
            "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
            "minLength",
            "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties",
            "minProperties", "required", "dependentRequired", "format", "title", "description", "default", "deprecated",
            "readOnly", "writeOnly", "examples", "contentEncoding", "contentMediaType", "example", "externalDocs",
            "xml",
            "discriminator", "nullable", "value",
        ] {
            table[name] = .nothing
        }
        return table
    }()

    /// Keywords that OpenAPI has and JSON Schema has not.
    static let ofOpenAPI: Set<String> = ["example", "externalDocs", "xml", "discriminator", "nullable", "value"]
}
