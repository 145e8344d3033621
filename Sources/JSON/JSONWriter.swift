/// Appends JSON to a byte array.
///
/// The caller keeps the grammar: within an object each ``key(_:)`` is followed by one value, and what is opened is closed.
/// ``object(_:)``, ``array(_:)`` and ``member(_:_:)`` do that by themselves. Output is always valid UTF-8.
public struct JSONWriter: Sendable {
    public enum Style: Sendable {
        case compact
        /// Two spaces per level, one member per line.
        case pretty
    }

    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private let style: Style
    private var depth = 0
    private var needsComma = false
    private var followsKey = false

    public init(style: Style = .compact, capacity: Int = 0) {
        self.style = style
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// The same as text, for printing.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets what was written and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        (depth, needsComma, followsKey) = (0, false, false)
    }

    /// Appends to `gathered` what was written since the last time, and forgets it; the next value goes on behind it.
    public mutating func moveBytes(to gathered: inout [UInt8]) {
        gathered += bytes
        bytes.removeAll(keepingCapacity: true)
    }

    /// Ends a line of JSON Lines; the next value starts afresh.
    public mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// An object whose members the closure writes.
    public mutating func object<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginObject()
        try members(&self)
        endObject()
    }

    /// An array whose values the closure writes.
    public mutating func array<Failure: Error>(_ values: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginArray()
        try values(&self)
        endArray()
    }

    /// A member's name; exactly one value follows.
    public mutating func key(_ name: String) {
        separate()
        appendQuoted(name, isKey: true)
        if style == .pretty { bytes.append(0x20) }
        followsKey = true
    }

    /// The name of a member that needs no escapes, and so is not looked at; exactly one value follows.
    public mutating func key(plain name: StaticString) {
        // With the comma in one step: a line of the log has thirty names.
        let comma = needsComma && style == .compact ? 1 : 0
        if comma == 0 { separate() }
        let length = name.utf8CodeUnitCount
        append(room: length + 4) { room in
            guard let first = room.baseAddress else { return 0 }
            first.initialize(to: UInt8(ascii: ","))
            let start = first + comma
            start.initialize(to: UInt8(ascii: "\""))
            (start + 1).initialize(from: name.utf8Start, count: length)
            (start + length + 1).initialize(to: UInt8(ascii: "\""))
            (start + length + 2).initialize(to: UInt8(ascii: ":"))
            return length + 3 + comma
        }
        if style == .pretty { bytes.append(0x20) }
        followsKey = true
    }

    /// Appends a value that is JSON already; it is not checked.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Appends what `fill` writes and whose length it returns.
    @inline(__always)
    mutating func append(room: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        bytes.append(addingCapacity: room) { out in
            out.withUnsafeMutableBufferPointer { room, count in count = fill(room) }
        }
    }

    mutating func append(run: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: run) }

    /// Writes what stands between the last value and the next one.
    @inline(__always)
    mutating func separate() {
        if followsKey { followsKey = false } else { separateItems() }
    }

    private mutating func separateItems() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { breakLine() }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        depth = max(0, depth - 1)
        if needsComma { breakLine() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        bytes.append(0x0A)
        for _ in 0..<depth {
            bytes.append(0x20)
            bytes.append(0x20)
        }
    }
}
