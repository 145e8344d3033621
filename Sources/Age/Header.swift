import Bytes

/// One recipient's part of a header.
struct Stanza: Sendable, Equatable {
    var type: String
    var arguments: [String]
    var body: [UInt8]

    /// As it stands in a header.
    var text: String {
        var text = "-> " + ([type] + arguments).joined(separator: " ") + "\n"
        var rest = Array(StrictBase64.text(body).utf8)[...]
        while rest.count >= AgeHeader.columns {
            text += String(decoding: rest.prefix(AgeHeader.columns), as: UTF8.self) + "\n"
            rest = rest.dropFirst(AgeHeader.columns)
        }
        // The last line is shorter than the others, and may be empty.
        return text + String(decoding: rest, as: UTF8.self) + "\n"
    }
}

/// The header of an age file (age-encryption.org/v1).
struct AgeHeader: Sendable, Equatable {
    static let version = "age-encryption.org/v1"
    static let columns = 64
    /// Bytes of a header; hundreds of recipients need fewer.
    static let limit = 1 << 20
    static let macSize = 32

    var stanzas: [Stanza]
    var mac: [UInt8]

    /// The bytes that the authentication code is of.
    var authenticated: [UInt8] { Array("\(Self.version)\n\(stanzas.map(\.text).joined())---".utf8) }

    /// The whole header.
    var bytes: [UInt8] { authenticated + Array(" \(StrictBase64.text(mac))\n".utf8) }

    init(stanzas: [Stanza], fileKey: SecretBytes) {
        self.stanzas = stanzas
        mac = []
        mac = code(fileKey)
    }

    /// Whether the header is as it was made for this key; takes the same time for each code.
    func isGenuine(_ fileKey: SecretBytes) -> Bool {
        mac.isSameSecret(as: code(fileKey))
    }

    private func code(_ fileKey: SecretBytes) -> [UInt8] {
        let key = Primitives.hkdf(fileKey, salt: [], info: "header")
        var code = [UInt8](repeating: 0, count: Self.macSize)
        key.withBytes { key in code.withUnsafeMutableBytes { Primitives.hmac(key, authenticated, $0) } }
        return code
    }
}

extension AgeHeader {
    /// Reads a header and not a byte more.
    init(reading source: BufferedSource) throws(AgeFailure) {
        var lines = HeaderLines(source)
        guard try lines.next() == Array(Self.version.utf8) else {
            throw .header("it does not begin with “\(Self.version)”")
        }
        stanzas = []
        var line = try lines.next()
        while line.starts(with: "-> ".utf8) {
            stanzas.append(try Self.stanza(line, &lines))
            line = try lines.next()
        }
        guard !stanzas.isEmpty else { throw .header("it has no recipient") }
        guard line.starts(with: "--- ".utf8), let mac = StrictBase64.bytes(line.dropFirst(4)),
            mac.count == Self.macSize
        else { throw .header("a recipient or the end of the header was expected") }
        self.mac = mac
    }

    private static func stanza(_ line: [UInt8], _ lines: inout HeaderLines) throws(AgeFailure) -> Stanza {
        let words = line.dropFirst(3).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (33...126).contains($0) } }) else {
            throw .header("a recipient's line has an empty word or an invalid character")
        }
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        var body: [UInt8] = []
        while true {
            let line = try lines.next()
            guard line.count <= columns, let bytes = StrictBase64.bytes(line) else {
                throw .header("a recipient's body is not canonical Base64 in lines of \(columns) characters")
            }
            body += bytes
            guard line.count == columns else { break }
        }
        return Stanza(type: texts[0], arguments: Array(texts.dropFirst()), body: body)
    }
}

/// The lines of a header, without their LF.
private struct HeaderLines {
    private let source: BufferedSource
    private var left = AgeHeader.limit

    init(_ source: BufferedSource) { self.source = source }

    mutating func next() throws(AgeFailure) -> [UInt8] {
        var line: [UInt8] = []
        while let byte = try source.next() {
            left -= 1
            guard left > 0 else { throw .header("it is longer than \(AgeHeader.limit) bytes") }
            if byte == 0x0A { return line }
            line.append(byte)
        }
        throw .header(line.isEmpty && left == AgeHeader.limit ? "it is empty" : "the file ends within it")
    }
}
