package import GraphQL
public import JSON

/// What a route asks of a request beside its host, path, method and the fields under `headers`.
public struct RequestCondition: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case query(String)
        case header(String)
        case cookie(String)
        /// A member of a JSON body, by the names and indices that lead to it.
        case member([String])
        /// The JSON body as a whole.
        case body
        /// A part of the calls of GraphQL, of which a request may have several.
        case call(CallPart)
        /// The state of a scenario of the profile.
        case state(String)
    }

    public enum Test: Hashable, Sendable {
        case present, absent
        case equals(String)
        case matches(ValuePattern)
        case contains(JSONSubset)
    }

    public let subject: Subject
    public let test: Test
    /// What it looks into in place of a JSON body: the message of a gRPC call.
    public internal(set) var message: GRPCMessage?

    init(subject: Subject, test: Test) { (self.subject, self.test) = (subject, test) }

    /// It can be told only when the body is there.
    public var needsBody: Bool {
        switch subject {
        case .member, .body, .call: true
        default: false
        }
    }

    /// About how many steps it takes to compare it with a request's head or body of that many bytes.
    package func steps(over length: Int) -> Int {
        switch (subject, test) {
        case (.state, _): 0
        case (_, .matches(let pattern)): length * max(1, pattern.cost)
        default: length
        }
    }

    /// How much a route with it is more specific than one without.
    var weight: Int {
        switch test {
        case .equals, .contains: 3
        case .matches: 2
        case .present, .absent: 1
        }
    }

    /// No request meets both, unless it repeats what is asked for.
    func excludes(_ other: RequestCondition) -> Bool {
        guard subject == other.subject else { return false }
        switch (test, other.test) {
        case (.absent, .present), (.present, .absent), (.absent, .equals), (.equals, .absent): return true
        case (.absent, .matches), (.matches, .absent): return true
        case (.equals(let value), .matches(let pattern)), (.matches(let pattern), .equals(let value)):
            return !pattern.isFound(in: value)
        case (.equals(let mine), .equals(let theirs)): return mine != theirs
        case (.contains(let mine), .contains(let theirs)): return mine.excludes(theirs)
        default: return false
        }
    }
}

extension RequestCondition.Test {
    /// Whether a text alone meets it.
    func isMet(by text: String) -> Bool {
        switch self {
        case .present: true
        case .absent, .contains: false
        case .equals(let value): text == value
        case .matches(let pattern): pattern.isFound(in: text)
        }
    }
}

/// What conditions look at.
public protocol RequestFacts {
    /// The decoded values of a parameter of the query.
    func query(_ name: String) -> [String]
    /// The values of the fields of that lower-case name.
    func fields(_ name: String) -> [String]
    func cookies(_ name: String) -> [String]
    /// nil where the body is no JSON.
    var json: JSONValue? { get }
    func state(of scenario: String) -> String?
}

extension RequestFacts {
    /// The calls of GraphQL in a body of JSON, or that in the query.
    package var calls: [GraphQLCall] {
        let inBody = json.map { GraphQLCall.all(in: $0) } ?? []
        if !inBody.isEmpty { return inBody }
        return GraphQLCall(parameters: { query($0).first }).map { [$0] } ?? []
    }
}

extension RequestCondition {
    public func isMet(by request: some RequestFacts) -> Bool {
        if case .call(let part) = subject { return part.isMet(test, by: request.calls) }
        switch test {
        case .present: return !values(in: request).isEmpty
        case .absent: return values(in: request).isEmpty
        case .equals(let value): return values(in: request).contains(value)
        case .matches(let pattern): return values(in: request).contains(where: pattern.isFound)
        case .contains(let subset): return request.json.map(subset.isContained) ?? false
        }
    }

    /// Texts under the subject; an object or an array is there, and is an empty text.
    private func values(in request: some RequestFacts) -> [String] {
        switch subject {
        case .query(let name): return request.query(name)
        case .header(let name): return request.fields(name)
        case .cookie(let name): return request.cookies(name)
        case .state(let scenario): return request.state(of: scenario).map { [$0] } ?? []
        case .call: return []
        case .body: return request.json.map { [$0.scalarText ?? ""] } ?? []
        case .member(let path): return request.json?.member(at: path).map { [$0.scalarText ?? ""] } ?? []
        }
    }

    /// What keeps a request from meeting it, for people; nil if it does.
    func miss(in request: some RequestFacts) -> String? {
        if isMet(by: request) { return nil }
        if case .call(let part) = subject { return part.miss(test, in: request.calls) }
        let what =
            switch subject {
            case .query(let name): "the query parameter \(name)"
            case .header(let name): "the header \(name)"
            case .cookie(let name): "the cookie \(name)"
            case .member(let path): "the member \(path.joined(separator: ".")) of the JSON body"
            case .body, .call: "the JSON body"
            case .state(let scenario): "the state" + (scenario.isEmpty ? "" : " of \(scenario)")
            }
        let found = values(in: request)
        switch test {
        case .present: return "\(what) is missing"
        case .absent: return "\(what) is there"
        case .equals(let value):
            return found.isEmpty
                ? "\(what) is missing, not \"\(value)\""
                : "\(what) is \(found.map { "\"\($0)\"" }.joined(separator: " and ")), not \"\(value)\""
        case .matches(let pattern):
            return found.isEmpty
                ? "\(what) is missing"
                : "\(what) is \(found.map { "\"\($0)\"" }.joined(separator: " and ")), which has no match of \(pattern.text)"
        case .contains(let subset):
            guard let json = request.json else { return "there is no JSON body" }
            return "the JSON body has \(subset.firstDifference(from: json) ?? "other members")"
        }
    }
}

extension JSONValue {
    /// The member that names and indices lead to.
    public func member(at path: [String]) -> JSONValue? {
        var value = self
        for name in path {
            if let items = value.array {
                guard let index = Int(name), items.indices.contains(index) else { return nil }
                value = items[index]
            } else {
                guard let next = value[name] else { return nil }
                value = next
            }
        }
        return value
    }

    /// A text, a number, `true`, `false` or `null` as a text; nil for arrays and objects.
    public var scalarText: String? {
        switch kind {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): number.json
        case .string(let text): text
        case .array, .object: nil
        }
    }
}
