extension JSONWriter {
    public mutating func null() {
        separate()
        append("null")
    }

    public mutating func value(_ flag: Bool) {
        separate()
        append(flag ? "true" : "false")
    }

    public mutating func value(_ number: Int) { integer(number) }

    public mutating func value(_ number: some FixedWidthInteger) { integer(number) }

    /// A Double in the fewest digits that read back as the same; JSON has no infinities, they become null.
    public mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        raw(number.description.utf8)
    }

    public mutating func value(_ text: String) {
        separate()
        appendQuoted(text)
    }

    /// Bytes that are meant as text; what is not UTF-8 becomes U+FFFD.
    public mutating func value(utf8 bytes: Span<UInt8>) {
        if value(ascii: bytes) { return }
        bytes.withUnsafeBufferPointer { value(String(decoding: $0, as: UTF8.self)) }
    }

    /// A text of ASCII characters.
    /// - Returns: false for other bytes, of which nothing is written.
    public mutating func value(ascii bytes: Span<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var all: UInt8 = 0
            for byte in bytes { all |= byte }
            guard all < 0x80 else { return false }
            separate()
            appendQuoted(bytes)
            return true
        }
    }

    /// A whole tree, numbers in their own spelling.
    public mutating func value(_ tree: JSONValue) {
        switch tree.kind {
        case .null: null()
        case .bool(let flag): value(flag)
        case .number(let number): raw(number.json.utf8)
        case .string(let text): value(text)
        case .array(let items): array { for item in items { $0.value(item) } }
        case .object(let members): object { for member in members { $0.member(member.key, member.value) } }
        }
    }

    public mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        value(flag)
    }

    public mutating func member(_ name: String, _ number: Int) {
        key(name)
        value(number)
    }

    public mutating func member(_ name: String, _ number: some FixedWidthInteger) {
        key(name)
        value(number)
    }

    public mutating func member(_ name: String, _ number: Double) {
        key(name)
        value(number)
    }

    public mutating func member(_ name: String, _ text: String) {
        key(name)
        value(text)
    }

    /// A text, or null.
    public mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { value(text) } else { null() }
    }

    /// A number, or null.
    public mutating func member(_ name: String, _ number: Int?) {
        key(name)
        if let number { value(number) } else { null() }
    }

    public mutating func member(_ name: String, _ texts: [String]) {
        key(name)
        array { for text in texts { $0.value(text) } }
    }

    public mutating func member(_ name: String, _ tree: JSONValue) {
        key(name)
        value(tree)
    }

    /// A member that is an object.
    public mutating func object<Failure: Error>(
        _ name: String, _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try object(members)
    }

    /// A member that is an array with an object for each element, whose members the closure writes.
    public mutating func objects<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ members: (_ object: inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        array { array in
            for element in elements { array.object { members(&$0, element) } }
        }
    }

    /// A member that is an array.
    public mutating func array<Failure: Error>(
        _ name: String, _ values: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        try array(values)
    }

    private mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        separate()
        guard let magnitude = UInt64(exactly: number.magnitude) else { return appendDigits(of: String(number)) }
        if number < 0 { append(byte: UInt8(ascii: "-")) }
        append(digits: magnitude)
    }

    /// Milliseconds of microseconds, with three places at most.
    public mutating func value(milliseconds microseconds: UInt64) {
        separate()
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
        append(digits: whole)
        guard rest > 0 else { return }
        append(room: 4) { room in
            room[0] = UInt8(ascii: ".")
            var (left, divisor, count): (UInt64, UInt64, Int) = (rest, 100, 1)
            while left > 0 {
                room[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left / divisor)
                (left, divisor, count) = (left % divisor, divisor / 10, count + 1)
            }
            return count
        }
    }

    private mutating func append(digits number: UInt64) {
        append(room: 20) { room in
            var (count, power): (Int, UInt64) = (1, 10)
            while count < 20, number >= power {
                count += 1
                power = power.multipliedReportingOverflow(by: 10).partialValue
            }
            var (rest, at) = (number, count)
            repeat {
                at -= 1
                room[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while at > 0
            return count
        }
    }

    private mutating func appendDigits(of text: String) {
        for byte in text.utf8 { append(byte: byte) }
    }
}
