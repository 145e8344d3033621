import JSON

/// A change of a contract that breaks its clients.
public struct BreakingChange: Hashable, Sendable {
    /// `GET /users/{id}`.
    public let operation: String
    /// Where in the messages: `the response body $.id of the status 200`.
    public let part: String
    public let message: String
    /// Where it is in the new document; in the old one where it is gone.
    public let place: ContractPlace

    /// `GET /users/{id}: the query parameter page is required now`.
    public var text: String { "\(operation): \(part) \(message)" }
}

/// Compares two versions of a contract: what clients could send has to be allowed still, and what they could rely on has
/// to come still.
public struct ContractDiff {
    private let old, new: APIContract
    private var changes: [BreakingChange] = []
    private var operation = ""
    /// Pairs of schemas that were compared: recursion ends, and what operations share is told at the first of them.
    private var compared: Set<[Int]> = []

    public static func breakingChanges(from old: APIContract, to new: APIContract) -> [BreakingChange] {
        var diff = ContractDiff(old, new)
        diff.compare()
        var seen: Set<BreakingChange> = []
        return diff.changes.filter { seen.insert($0).inserted }
    }

    private init(_ old: APIContract, _ new: APIContract) { (self.old, self.new) = (old, new) }

    private mutating func note(_ place: ContractPlace, _ part: String, _ message: String) {
        changes.append(BreakingChange(operation: operation, part: part, message: message, place: place))
    }

    /// Names in templates do not tell paths apart.
    private static func shape(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.split(separator: "{", omittingEmptySubsequences: false).enumerated()
                .map { $0.offset == 0 ? $0.element : "{}" + $0.element.drop { $0 != "}" }.dropFirst() }.joined(
                    separator: "")
        }.joined(separator: "/")
    }

    private mutating func compare() {
        var operations: [String: APIContract.Operation] = [:]
        var paths: Set<String> = []
        for one in new.operations {
            operations["\(one.method) \(Self.shape(one.path))"] = one
            paths.insert(Self.shape(one.path))
        }
        for before in old.operations {
            operation = "\(before.method) \(before.path)"
            guard let after = operations["\(before.method) \(Self.shape(before.path))"] else {
                note(before.place, paths.contains(Self.shape(before.path)) ? "the method" : "the path", "is gone")
                continue
            }
            compareParameters(before, after)
            compareBodies(before, after)
            compareResponses(before, after)
        }
    }

    // MARK: Requests

    private mutating func compareParameters(_ before: APIContract.Operation, _ after: APIContract.Operation) {
        // A name in the path is its place there: it may be called differently.
        func known(_ list: [APIContract.Parameter]) -> [APIContract.Parameter] { list.filter { $0.location != .path } }
        for one in known(before.parameters) {
            let part = "the \(one.location.rawValue) parameter \(one.name)"
            guard let now = after.parameters.first(where: { $0.name == one.name && $0.location == one.location }) else {
                note(one.place, part, "is gone")
                continue
            }
            if now.isRequired, !one.isRequired { note(now.place, part, "is required now") }
            if now.style != one.style || now.explodes != one.explodes {
                note(now.place, part, "is written in another style")
            }
            compare(one.schema, now.schema, .request, part)
        }
        for now in known(after.parameters) where now.isRequired {
            guard !before.parameters.contains(where: { $0.name == now.name && $0.location == now.location }) else {
                continue
            }
            note(now.place, "the \(now.location.rawValue) parameter \(now.name)", "is new and required")
        }
    }

    private mutating func compareBodies(_ before: APIContract.Operation, _ after: APIContract.Operation) {
        let part = "the request body"
        guard let now = after.body else {
            if let body = before.body { note(body.place, part, "is gone") }
            return
        }
        if now.isRequired, before.body?.isRequired != true { note(now.place, part, "is required now") }
        for content in before.body?.contents ?? [] {
            guard let other = now.contents.first(where: { MediaRange.rank($0.type, content.type) > 0 }) else {
                note(now.place, part, "may not be \(content.type) any more")
                continue
            }
            compare(content.schema, other.schema, .request, "\(part) $")
        }
    }

    // MARK: Responses

    private mutating func compareResponses(_ before: APIContract.Operation, _ after: APIContract.Operation) {
        for response in before.responses {
            let part = "the response \(response.status)"
            guard let now = after.responses.first(where: { $0.status == response.status }) else {
                // Clients rely on what succeeds.
                if response.status.hasPrefix("2") { note(response.place, part, "is gone") }
                continue
            }
            for field in response.fields where field.isRequired {
                let other = now.fields.first { $0.name.lowercased() == field.name.lowercased() }
                if other?.isRequired != true {
                    note(other?.place ?? field.place, "\(part) field \(field.name)", "may be missing now")
                }
                if let other { compare(field.schema, other.schema, .response, "\(part) field \(field.name)") }
            }
            for content in response.contents {
                guard
                    let other = now.contents.first(where: {
                        MediaRange.rank(content.type, $0.type) > 0 || $0.type == content.type
                    })
                else {
                    note(now.place, part, "is not \(content.type) any more")
                    continue
                }
                compare(content.schema, other.schema, .response, "\(part) $")
            }
        }
    }

    // MARK: Schemas

    private mutating func compare(
        _ before: Int?, _ after: Int?, _ direction: SchemaDirection, _ part: String, _ depth: Int = 0
    ) {
        // Without a schema everything is allowed.
        guard before != nil || after != nil else { return }
        let (before, after) = (before.map { old.graph.followed($0) }, after.map { new.graph.followed($0) })
        guard depth < 40, compared.insert([before ?? -1, after ?? -1, direction == .request ? 0 : 1]).inserted else {
            return
        }
        let (one, two) = (SchemaShape(old.graph, before), SchemaShape(new.graph, after))
        let place = two.place ?? one.place
        guard let place else { return }
        // What may be sent must not become less, and what may come must not become more.
        let (less, more) = direction == .request ? (one, two) : (two, one)
        let lost = less.kinds.subtracting(more.kinds)
        if !lost.isEmpty {
            let names = SchemaNode.Kinds.names.filter { lost.contains($0.kinds) }.map(\.name).joined(separator: ", ")
            return note(place, part, direction == .request ? "may not be \(names) any more" : "may be \(names) now")
        }
        if let allowed = more.values {
            if let values = less.values {
                let gone = values.subtracting(allowed).sorted()
                if !gone.isEmpty {
                    let names = gone.joined(separator: ", ")
                    note(place, part, direction == .request ? "may not be \(names) any more" : "may be \(names) now")
                }
            } else {
                note(
                    place, part, direction == .request ? "has to be one of a list now" : "is not one of a list any more"
                )
            }
        }
        if direction == .request { compareLimits(one, two, place, part) }
        compareMembers(one, two, direction, place, part, depth)
        if one.items != nil || two.items != nil {
            compare(
                one.items, two.items, direction, part.hasSuffix("$") || part.contains("$") ? part + "[*]" : part,
                depth + 1)
        }
    }

    private mutating func compareLimits(_ one: SchemaShape, _ two: SchemaShape, _ place: ContractPlace, _ part: String)
    {
        for (name, limit) in two.limits {
            let isLower = name.hasPrefix("min") || name.hasPrefix("exclusiveMin")
            if let before = one.limits[name], isLower ? limit <= before : limit >= before { continue }
            note(place, part, "has a narrower \(name) now")
        }
        if let pattern = two.pattern, pattern != one.pattern {
            note(place, part, "has to match another pattern now: \(pattern)")
        }
    }

    private mutating func compareMembers(
        _ one: SchemaShape, _ two: SchemaShape, _ direction: SchemaDirection, _ place: ContractPlace, _ part: String,
        _ depth: Int
    ) {
        for (name, schema) in one.members.sorted(by: { $0.key < $1.key }) {
            let inner = part.contains("$") ? "\(part).\(name)" : "\(part) \(name)"
            if let now = two.members[name] {
                compare(schema, now, direction, inner, depth + 1)
            } else if direction == .response || two.isClosed {
                note(place, inner, direction == .response ? "is gone" : "may not be there any more")
            }
        }
        switch direction {
        case .request:
            for name in two.required.subtracting(one.required).sorted() {
                note(place, part.contains("$") ? "\(part).\(name)" : "\(part) \(name)", "is required now")
            }
        case .response:
            for name in one.required.subtracting(two.required).sorted() where two.members[name] != nil {
                note(place, part.contains("$") ? "\(part).\(name)" : "\(part) \(name)", "may be missing now")
            }
        }
    }
}

/// What a schema says with those that it refers to.
private struct SchemaShape {
    private(set) var place: ContractPlace?
    private(set) var kinds = SchemaNode.Kinds(rawValue: 127)
    private(set) var values: Set<String>?
    private(set) var limits: [String: Double] = [:]
    private(set) var pattern: String?
    private(set) var members: [String: Int] = [:]
    private(set) var required: Set<String> = []
    private(set) var items: Int?
    /// Other members than those named are refused.
    private(set) var isClosed = false

    init(_ graph: SchemaSet, _ first: Int?) {
        guard let first else { return }
        place = graph.place(first)
        var (open, seen) = ([first], Set<Int>())
        while let next = open.popLast(), seen.count < 100 {
            guard seen.insert(next).inserted else { continue }
            add(graph.nodes[next], graph)
            open +=
                [graph.nodes[next].reference].compactMap(\.self) + (graph.nodes[next].combination?.pointee.all ?? [])
        }
    }

    private mutating func add(_ node: SchemaNode, _ graph: SchemaSet) {
        if node.verdict == false { kinds = [] }
        if let own = node.kinds { kinds.formIntersection(own.contains(.number) ? own.union(.integer) : own) }
        if let allowed = node.values?.pointee {
            let texts = Set(allowed.all.map { allowed.tape.source($0) })
            values = values.map { $0.intersection(texts) } ?? texts
        }
        // Alternatives for the same value: one of them has to be of each kind.
        if let rules = node.combination?.pointee {
            for choices in [rules.any, rules.one] where !choices.isEmpty {
                let all = choices.map { SchemaHints(graph, $0).kinds }
                if all.allSatisfy({ !$0.isEmpty }) {
                    let union = all.reduce(SchemaNode.Kinds()) { $0.union($1) }
                    kinds.formIntersection(union.contains(.number) ? union.union(.integer) : union)
                }
            }
        }
        func set(_ name: String, _ value: Double?) { if let value { limits[name] = value } }
        if let rules = node.number?.pointee {
            set("minimum", rules.minimum?.double)
            set("maximum", rules.maximum?.double)
            set("exclusiveMinimum", rules.exclusiveMinimum?.double)
            set("exclusiveMaximum", rules.exclusiveMaximum?.double)
        }
        if let rules = node.string?.pointee {
            set("minLength", rules.minLength.map(Double.init))
            set("maxLength", rules.maxLength.map(Double.init))
            pattern = rules.pattern?.text ?? pattern
        }
        if let rules = node.array?.pointee {
            set("minItems", rules.minItems.map(Double.init))
            set("maxItems", rules.maxItems.map(Double.init))
            items = rules.items ?? items
        }
        if let rules = node.object?.pointee {
            for member in rules.members {
                if let schema = member.schema { members[member.name] = schema }
                if member.isRequired { required.insert(member.name) }
            }
            if let additional = rules.additional, graph.nodes[additional].verdict == false { isClosed = true }
        }
    }
}

extension SchemaSet {
    /// What a schema stands for that is nothing but a reference.
    fileprivate func followed(_ first: Int) -> Int {
        var node = first
        for _ in 0..<100 {
            guard let next = nodes[node].reference, nodes[node].source.value.object?.count == 1 else { break }
            node = next
        }
        return node
    }
}
