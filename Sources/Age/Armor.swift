import Bytes

/// PEM's form of an age file, strictly (RFC 7468).
package enum Armor {
    static let first = "-----BEGIN AGE ENCRYPTED FILE-----"
    static let last = "-----END AGE ENCRYPTED FILE-----"
    static let columns = 64
    /// Spaces and line ends in front of it and behind it.
    static let space = 1 << 10

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Whether a file begins in armor; takes away the space in front of one.
    ///
    /// A file without armor begins with a letter.
    static func begins(_ source: BufferedSource) throws(AgeFailure) -> Bool {
        var count = 0
        while let byte = try source.peek() {
            if byte == UInt8(ascii: "-") { return true }
            guard isSpace(byte), count < space else { return count > 0 }
            _ = try source.next()
            count += 1
        }
        return false
    }
}

/// Takes the armor off; confined to its owner.
final class ArmorSource: ByteSource {
    private let source: BufferedSource
    private var ready: [UInt8] = []
    private var given = 0
    private var hasBegun = false
    private var isEnded = false
    /// A line was shorter than the others, so that it is the last one.
    private var isShort = false

    init(_ source: BufferedSource) { self.source = source }

    func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        if given == ready.count { try refill() }
        let count = min(room.count, ready.count - given)
        room.copyBytes(from: ready[given..<given + count])
        given += count
        return count
    }

    private func refill() throws(AgeFailure) {
        ready.removeAll(keepingCapacity: true)
        given = 0
        if !hasBegun {
            guard try line() == Array(Armor.first.utf8) else { throw .armor("its first line is another one") }
            hasBegun = true
        }
        while !isEnded, ready.count < 48 << 8 { try readLine() }
    }

    private func readLine() throws(AgeFailure) {
        guard let line = try line() else { throw .armor("its last line is missing") }
        if line == Array(Armor.last.utf8) {
            isEnded = true
            return try finish()
        }
        guard !isShort else { throw .armor("a line that is not the last one is short") }
        guard !line.isEmpty, line.count <= Armor.columns else { throw .armor("a line is empty or too long") }
        isShort = line.count < Armor.columns
        var digits = line[...]
        while digits.last == UInt8(ascii: "="), line.count - digits.count < 2 { digits.removeLast() }
        isShort = isShort || digits.count < line.count
        guard line.count % 4 == 0, let bytes = StrictBase64.bytes(digits), !bytes.isEmpty else {
            throw .armor("a line is not canonical Base64")
        }
        ready += bytes
    }

    /// Behind the last line there may be space.
    private func finish() throws(AgeFailure) {
        var count = 0
        while let byte = try source.next() {
            count += 1
            guard Armor.isSpace(byte), count <= Armor.space else { throw .armor("there is something behind its end") }
        }
    }

    /// Without LF or CRLF; nil at the end.
    private func line() throws(AgeFailure) -> [UInt8]? {
        var line: [UInt8] = []
        while let byte = try source.next() {
            if byte == 0x0A {
                if line.last == 0x0D { line.removeLast() }
                return line
            }
            line.append(byte)
            guard line.count <= Armor.columns + 2 else { throw .armor("a line is too long") }
        }
        return line.isEmpty ? nil : line
    }
}

/// Puts the armor on; confined to its owner.
package final class ArmorSink: ByteSink {
    private let sink: any ByteSink
    private var encoder = Base64Encoder()
    private var held: [UInt8] = []

    package init(_ sink: any ByteSink) throws(AgeFailure) {
        self.sink = sink
        try sink.write(Array((Armor.first + "\n").utf8))
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(AgeFailure) {
        held += encoder.encode(Array(bytes)[...])
        try writeLines(isLast: false)
    }

    package func finish() throws(AgeFailure) {
        held += encoder.finish()
        try writeLines(isLast: true)
        try sink.write(Array((Armor.last + "\n").utf8))
    }

    private func writeLines(isLast: Bool) throws(AgeFailure) {
        var text: [UInt8] = []
        text.reserveCapacity(held.count + held.count / Armor.columns + 1)
        var start = 0
        while held.count - start >= Armor.columns || isLast && start < held.count {
            let end = min(held.count, start + Armor.columns)
            text += held[start..<end]
            text.append(0x0A)
            start = end
        }
        held.removeFirst(start)
        if !text.isEmpty { try sink.write(text) }
    }
}
