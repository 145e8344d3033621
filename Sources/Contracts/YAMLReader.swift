import CYAML
public import JSON

/// Reads one document of YAML 1.2 (core schema) into the tree of JSON, through libyaml.
///
/// Positions have libyaml's offsets, which count characters.
public struct YAMLReader {
    /// Values that aliases may add, each counted as often as it is used.
    private static let maxAliased = 1_000_000

    private struct Anchored {
        let value: JSONValue
        let count: Int
        let depth: Int
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var anchors: [String: Anchored] = [:]
    private var open: Set<String> = []
    private var aliased = 0
    /// Values that were read so far.
    private var count = 0
    /// How deep the value at hand goes, from the outermost one.
    private var deepest = 0

    public static func read(_ bytes: [UInt8], sizeLimit: Int = 16 << 20) throws(JSONFailure) -> JSONValue {
        let start = JSONPosition(offset: 0, line: 1, column: 1)
        guard bytes.count <= sizeLimit else {
            throw JSONFailure(
                position: start, message: "the text has \(bytes.count) bytes", expected: "at most \(sizeLimit)")
        }
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            throw JSONFailure(position: start, message: "there is no memory for it")
        }
        defer { yaml_parser_delete(parser) }
        var result: Result<JSONValue, JSONFailure> = .failure(JSONFailure(position: start, message: "there is no text"))
        bytes.withUnsafeBufferPointer { pointer in
            yaml_parser_set_input_string(parser, pointer.baseAddress, pointer.count)
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            var reader = YAMLReader(parser: parser)
            result = Result { () throws(JSONFailure) in try reader.document() }
        }
        return try result.get()
    }

    private init(parser: UnsafeMutablePointer<yaml_parser_t>) { self.parser = parser }

    private mutating func document() throws(JSONFailure) -> JSONValue {
        try expect(YAML_STREAM_START_EVENT)
        var first = try event()
        guard first.type == YAML_DOCUMENT_START_EVENT else {
            defer { yaml_event_delete(&first) }
            throw JSONFailure(
                position: Self.position(first.start_mark), message: "there is no document", expected: "a value")
        }
        yaml_event_delete(&first)
        let value = try value(depth: 0)
        try expect(YAML_DOCUMENT_END_EVENT)
        var end = try event()
        defer { yaml_event_delete(&end) }
        guard end.type == YAML_STREAM_END_EVENT else {
            throw JSONFailure(
                position: Self.position(end.start_mark), message: "a second document begins here",
                expected: "one document in a file")
        }
        return value
    }

    // MARK: Events

    private func event() throws(JSONFailure) -> yaml_event_t {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            let problem = parser.pointee.problem.map { String(cString: $0) } ?? "the text cannot be read"
            let context = parser.pointee.context.map { String(cString: $0) + ": " } ?? ""
            var mark = parser.pointee.problem_mark
            // The reader of bytes knows an offset alone.
            if parser.pointee.error == YAML_READER_ERROR { mark = parser.pointee.mark }
            throw JSONFailure(position: Self.position(mark), message: context + problem, expected: "YAML")
        }
        return event
    }

    private func expect(_ type: yaml_event_type_t) throws(JSONFailure) {
        var event = try event()
        defer { yaml_event_delete(&event) }
        guard event.type == type else {
            throw JSONFailure(position: Self.position(event.start_mark), message: "the text cannot be read")
        }
    }

    private static func position(_ mark: yaml_mark_t) -> JSONPosition {
        JSONPosition(offset: Int(clamping: mark.index), line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(JSONFailure) -> JSONValue {
        var event = try event()
        defer { yaml_event_delete(&event) }
        return try value(of: event, depth: depth)
    }

    private mutating func value(of event: yaml_event_t, depth: Int) throws(JSONFailure) -> JSONValue {
        let place = Self.position(event.start_mark)
        guard depth <= NestingLimit.values else {
            throw JSONFailure(
                position: place, message: "collections nest too deep", expected: "at most \(NestingLimit.values) levels"
            )
        }
        count += 1
        let (before, outerDepth) = (count, deepest)
        deepest = depth
        defer { deepest = max(deepest, outerDepth) }
        let kind: JSONValue.Kind
        let anchor: String?
        switch event.type {
        case YAML_ALIAS_EVENT:
            return try alias(Self.text(event.data.alias.anchor) ?? "", place, depth)
        case YAML_SCALAR_EVENT:
            anchor = Self.text(event.data.scalar.anchor)
            kind = try YAMLScalar(event).kind(at: place)
        case YAML_SEQUENCE_START_EVENT:
            anchor = Self.text(event.data.sequence_start.anchor)
            try check(tag: Self.text(event.data.sequence_start.tag), "seq", place)
            if let anchor { open.insert(anchor) }
            kind = .array(try items(depth))
        case YAML_MAPPING_START_EVENT:
            anchor = Self.text(event.data.mapping_start.anchor)
            try check(tag: Self.text(event.data.mapping_start.tag), "map", place)
            if let anchor { open.insert(anchor) }
            kind = .object(try members(depth))
        default:
            throw JSONFailure(position: place, message: "there is no value", expected: "a value")
        }
        let value = JSONValue(kind: kind, position: place)
        if let anchor {
            open.remove(anchor)
            anchors[anchor] = Anchored(value: value, count: count - before + 1, depth: deepest - depth)
        }
        return value
    }

    private func check(tag: String?, _ kind: String, _ place: JSONPosition) throws(JSONFailure) {
        if let tag, tag != YAMLScalar.prefix + kind {
            throw JSONFailure(position: place, message: "the tag \(tag) is unknown", expected: "!!\(kind), or no tag")
        }
    }

    private mutating func alias(_ name: String, _ place: JSONPosition, _ depth: Int) throws(JSONFailure) -> JSONValue {
        guard let anchored = anchors[name], !open.contains(name) else {
            throw JSONFailure(
                position: place,
                message: open.contains(name)
                    ? "the alias *\(name) lies within what it stands for" : "the alias *\(name) has no anchor",
                expected: "an anchor &\(name) on a value before it")
        }
        aliased += anchored.count
        count += anchored.count - 1
        deepest = max(deepest, depth + anchored.depth)
        guard aliased <= Self.maxAliased else {
            throw JSONFailure(
                position: place, message: "aliases stand for too many values", expected: "at most \(Self.maxAliased)")
        }
        guard deepest <= NestingLimit.values else {
            throw JSONFailure(
                position: place, message: "collections nest too deep through the alias *\(name)",
                expected: "at most \(NestingLimit.values) levels")
        }
        return anchored.value
    }

    private mutating func items(_ depth: Int) throws(JSONFailure) -> [JSONValue] {
        var items: [JSONValue] = []
        while true {
            var event = try event()
            defer { yaml_event_delete(&event) }
            if event.type == YAML_SEQUENCE_END_EVENT { return items }
            items.append(try value(of: event, depth: depth + 1))
        }
    }

    private mutating func members(_ depth: Int) throws(JSONFailure) -> [JSONMember] {
        var members: [JSONMember] = []
        var seen = SeenKeys()
        var merged: [JSONValue] = []
        while true {
            var event = try event()
            defer { yaml_event_delete(&event) }
            if event.type == YAML_MAPPING_END_EVENT { break }
            let place = Self.position(event.start_mark)
            guard let (key, isPlain) = try key(event) else {
                throw JSONFailure(position: place, message: "a key that is no scalar", expected: "a text as key")
            }
            if let first = seen.add(key, at: place, behind: members) {
                throw JSONFailure(
                    position: place, message: "the key \"\(key)\" is already there, at \(first)",
                    expected: "each key once")
            }
            let value = try value(depth: depth + 1)
            if key == "<<", isPlain {
                let sources = value.array ?? [value]
                guard sources.allSatisfy({ $0.object != nil }) else {
                    throw JSONFailure(
                        position: place, message: "the merge key << has \(value.kindName)",
                        expected: "a mapping, or a list of mappings")
                }
                merged += sources
            }
            members.append(JSONMember(key: key, keyPosition: place, value: value))
        }
        guard !merged.isEmpty else { return members }
        members.removeAll { $0.key == "<<" }
        var names = Set(members.map(\.key))
        for source in merged {
            for member in source.object ?? [] where names.insert(member.key).inserted { members.append(member) }
        }
        return members
    }

    /// The text of a key, which an alias may stand for; nil for a collection.
    private func key(_ event: yaml_event_t) throws(JSONFailure) -> (text: String, isPlain: Bool)? {
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = YAMLScalar(event)
            return (scalar.text, scalar.isPlain)
        case YAML_ALIAS_EVENT:
            let name = Self.text(event.data.alias.anchor) ?? ""
            return anchors[name]?.value.string.map { ($0, false) }
        default: return nil
        }
    }
}
