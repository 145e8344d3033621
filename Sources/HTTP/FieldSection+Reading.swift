/// What the fields say about the connection itself (RFC 9110 7.6.1).
struct ConnectionOptions: OptionSet, Sendable {
    let rawValue: UInt8
    static let close = ConnectionOptions(rawValue: 1)
    static let keepAlive = ConnectionOptions(rawValue: 2)
    static let upgrade = ConnectionOptions(rawValue: 4)
    /// Options that are the names of fields.
    static let named = ConnectionOptions(rawValue: 8)
}

extension FieldSection {
    /// Takes in a field that framing, routing or the connection depend on.
    mutating func read(_ field: Field, in bytes: Span<UInt8>) throws(HTTPFailure) {
        switch field.id {
        case .contentLength:
            // RFC 9110 8.6 lets equal ones be merged; nothing sends them, so they are refused like "5, 5".
            guard contentLength == nil else {
                throw HTTPFailure(
                    .repeatedContentLength, "a second Content-Length field (RFC 9110 8.6: at most one is expected)")
            }
            contentLength = try length(bytes, field.value)
        case .transferEncoding: try readCoding(bytes, field.value)
        case .connection: try readOptions(bytes, field.value)
        case .host:
            guard host == nil else {
                throw HTTPFailure(.repeatedHost, "a second Host field (RFC 9112 3.2: exactly one is expected)")
            }
            host = field
        case .upgrade: if upgrade == nil { upgrade = field }
        case .te:
            var list = ListCursor(field.value)
            while let element = list.element(bytes) {
                if bytes.spells("trailers", in: element) { acceptsTrailers = true }
            }
        case .expect: if bytes.spells("100-continue", in: field.value) { expectsContinue = true }
        default: break
        }
    }

    /// RFC 9110 8.6: 1*DIGIT, and nothing else.
    ///
    /// The bound keeps the number an `Int` wherever it is counted.
    private func length(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPFailure) -> UInt64 {
        var number: UInt64 = 0
        // So many digits cannot be too large.
        if value.count <= 18 {
            for index in value {
                guard Scan.isDigit(bytes[index]) else { throw .contentLength(bytes, value) }
                number = number &* 10 &+ UInt64(bytes[index] &- 0x30)
            }
            guard !value.isEmpty else { throw .contentLength(bytes, value) }
            return number
        }
        for index in value {
            guard Scan.isDigit(bytes[index]) else { throw .contentLength(bytes, value) }
            let (tens, tooLarge) = number.multipliedReportingOverflow(by: 10)
            number = tens &+ UInt64(bytes[index] &- 0x30)
            guard !tooLarge, tens <= UInt64(Int64.max), number <= UInt64(Int64.max) else {
                throw .contentLength(bytes, value)
            }
        }
        return number
    }

    /// RFC 9112 6.1.
    ///
    /// `chunked` alone is taken: it is the one coding that can be undone here, and another one in front of it would
    /// be lost with this field, which is not forwarded.
    private mutating func readCoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPFailure) {
        guard !isChunked else { throw .transferEncoding(bytes, value) }
        if bytes.spells("chunked", in: value) {
            isChunked = true
            return
        }
        var list = ListCursor(value)
        var isFinal = false
        while let coding = list.element(bytes) {
            if coding.isEmpty || isFinal { throw .transferEncoding(bytes, value) }
            isFinal = bytes.spells("chunked", in: coding)
        }
        throw HTTPFailure(
            .unknownCoding, "Transfer-Encoding \(quoted(bytes, value)) (RFC 9112 6.1: only \"chunked\" is understood)")
    }

    private mutating func readOptions(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPFailure) {
        if optionCount < 64, bytes.spells("keep-alive", in: value) {
            optionCount &+= 1
            options.insert(.keepAlive)
            return
        }
        var list = ListCursor(value)
        while let option = list.element(bytes) {
            if option.isEmpty { continue }
            optionCount &+= 1
            guard optionCount <= 64 else {
                throw HTTPFailure(.tooManyConnectionOptions, "more than 64 connection options")
            }
            if bytes.spells("close", in: option) {
                options.insert(.close)
            } else if bytes.spells("keep-alive", in: option) {
                options.insert(.keepAlive)
            } else if bytes.spells("upgrade", in: option) {
                options.insert(.upgrade)
            } else {
                for index in option where !Scan.isToken(bytes[index]) {
                    throw HTTPFailure(
                        .connectionOption,
                        "\(quoted(bytes, option)) in field \"Connection\" (RFC 9110 7.6.1: a list of tokens)")
                }
                options.insert(.named)
            }
        }
    }

    /// Marks the fields that Connection names (RFC 9110 7.6.1).
    ///
    /// Known names are left alone: all that are hop-by-hop are marked already, and the others are meant for all
    /// recipients, so that naming them is an attempt to take them (Host, Content-Length, Authorization, ...) away.
    mutating func markNamed(_ bytes: Span<UInt8>) {
        guard options.contains(.named) else { return }
        for connection in fields where connection.id == .connection {
            var list = ListCursor(connection.value)
            while let option = list.element(bytes) {
                for index in fields.indices where fields[index].id == .other {
                    if bytes.isSame(option, fields[index].name) { fields[index].isHopByHop = true }
                }
            }
        }
    }

    /// Keeps fields from being forwarded that a message of this kind must not have.
    mutating func mark(_ names: FieldNameSet) {
        for index in fields.indices where names.contains(fields[index].id) { fields[index].isHopByHop = true }
    }
}

extension HTTPFailure {
    @inline(never)
    fileprivate static func contentLength(_ bytes: Span<UInt8>, _ value: Range<Int>) -> HTTPFailure {
        HTTPFailure(
            .contentLength,
            "Content-Length \(quoted(bytes, value)) (RFC 9110 8.6: digits alone, below 2^63, are expected)")
    }

    @inline(never)
    fileprivate static func transferEncoding(_ bytes: Span<UInt8>, _ value: Range<Int>) -> HTTPFailure {
        HTTPFailure(
            .transferEncoding,
            "Transfer-Encoding \(quoted(bytes, value)) (RFC 9112 6.1: one \"chunked\" is expected, and at the end)")
    }
}
