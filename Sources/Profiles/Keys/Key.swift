import JSON

/// A key of an object of a profile: what reads it, and what is said of it in messages, the schema and documents.
struct Key<Target>: Sendable {
    let name: String
    /// For editors, documents and `shunt help profiles`.
    let meaning: String
    /// Completes "expected …".
    let expected: String
    /// The members of its JSON Schema.
    let schema: String
    /// What holds without it; nil where there is nothing to say.
    let usual: String?
    /// Where the documents have more.
    let see: String?
    /// The responders of routes that may have it; nil for all.
    var beside: Beside?
    let read: @Sendable (JSONMember, Fields, inout Target) -> Void
    let write: @Sendable (Target, inout JSONWriter) -> Void

    /// A key whose value is read by a function, or beside others.
    static func own(
        _ name: String, _ expected: String, _ schema: String, _ meaning: String, usual: String? = nil,
        see: String? = nil, beside: Beside? = nil,
        read: @escaping @Sendable (JSONMember, Fields, inout Target) -> Void = { _, _, _ in }
    ) -> Key {
        Key(
            name: name, meaning: meaning, expected: expected, schema: schema, usual: usual, see: see, beside: beside,
            read: read, write: { _, _ in })
    }

    /// The same for an object that something else reads.
    func declared<Other>(beside: Beside? = nil) -> Key<Other> {
        .own(name, expected, schema, meaning, usual: usual, see: see, beside: beside)
    }

    /// A key with one scalar.
    static func one<Value>(
        _ name: String, _ path: any WritableKeyPath<Target, Value> & Sendable, _ kind: ValueKind<Value>,
        _ meaning: String,
        default: Value? = nil, usual: String? = nil, see: String? = nil, beside: Beside? = nil
    ) -> Key {
        Key(
            name: name, meaning: meaning, expected: kind.expected, schema: kind.schema,
            usual: `default`.map(kind.text) ?? usual,
            see: see, beside: beside,
            read: { if let value = kind.read($0, $1) { $2[keyPath: path] = value } },
            write: { target, writer in
                writer.key(name)
                kind.write(target[keyPath: path], &writer)
            })
    }

    /// A key with one scalar, whose absence says something.
    static func optional<Value>(
        _ name: String, _ path: any WritableKeyPath<Target, Value?> & Sendable, _ kind: ValueKind<Value>,
        _ meaning: String,
        usual: String? = nil, see: String? = nil, beside: Beside? = nil
    ) -> Key {
        Key(
            name: name, meaning: meaning, expected: kind.expected, schema: kind.schema, usual: usual, see: see,
            beside: beside,
            read: { if let value = kind.read($0, $1) { $2[keyPath: path] = value } },
            write: { target, writer in
                writer.key(name)
                if let value = target[keyPath: path] { kind.write(value, &writer) } else { writer.null() }
            })
    }

    /// A key with an array of scalars, each of which counts once.
    ///
    /// - Parameter expected: what the whole is.
    static func list<Value: Equatable & SendableMetatype>(
        _ name: String, _ path: any WritableKeyPath<Target, [Value]> & Sendable, _ kind: ValueKind<Value>,
        _ expected: String,
        _ meaning: String, usual: String? = nil, see: String? = nil, beside: Beside? = nil
    ) -> Key {
        Key(
            name: name, meaning: meaning, expected: expected, schema: Schema.list(kind.schema), usual: usual, see: see,
            beside: beside,
            read: { member, fields, target in
                for item in fields.array(name, expected: expected) {
                    guard let value = kind.parse(item) else {
                        fields.report(
                            item, "\(spelling(item)) under \"\(name)\"", expected: kind.expected, hint: kind.hint(item))
                        continue
                    }
                    if !target[keyPath: path].contains(value) { target[keyPath: path].append(value) }
                }
            },
            write: { target, writer in
                writer.array(name) { for value in target[keyPath: path] { kind.write(value, &$0) } }
            })
    }
}
