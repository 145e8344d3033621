/// Reads the classes of an Android app as far as needed to find a method and its code: the format DEX of Android's
/// documentation ("Dalvik executable format").
struct DexFile {
    struct Method {
        /// As `Lshop/Trust;`.
        let type: String
        let name: String
        /// The types of its parameters, in one text.
        let parameters: String
        /// 16-bit units of instructions.
        let code: ArraySlice<UInt16>
    }

    private static let maxName = 1024
    private let bytes: [UInt8]

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("dex\n".utf8)) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The methods of these names that have code.
    func methods(named wanted: Set<String>) throws(LintFailure) -> [Method] {
        let (classes, start) = (try word(0x60), try word(0x64))
        var found: [Method] = []
        for index in 0..<min(classes, bytes.count / 32) {
            var at = try word(start + index * 32 + 24)
            guard at != 0 else { continue }
            let counts = [try leb(&at), try leb(&at), try leb(&at), try leb(&at)]
            for _ in 0..<min(counts[0] + counts[1], bytes.count) { (_, _) = (try leb(&at), try leb(&at)) }
            for count in counts[2...] {
                var method = 0
                for _ in 0..<min(count, bytes.count) {
                    method += try leb(&at)
                    _ = try leb(&at)
                    let code = try leb(&at)
                    guard code != 0 else { continue }
                    let name = try name(method)
                    guard wanted.contains(name) else { continue }
                    found.append(try self.method(method, name, code))
                }
            }
        }
        return found
    }

    /// The name of a method by its index, as instructions refer to it.
    func name(_ method: Int) throws(LintFailure) -> String { try string(try word(try self.method(method) + 4)) }

    private func method(_ index: Int, _ name: String, _ code: Int) throws(LintFailure) -> Method {
        let place = try method(index)
        let prototype = try word(0x4C) + (try half(place + 2)) * 12
        let list = try word(prototype + 8)
        var parameters = ""
        if list != 0 { for at in 0..<min(try word(list), 255) { parameters += try type(try half(list + 4 + at * 2)) } }
        let count = try word(code + 12)
        guard count <= bytes.count / 2 else { throw Self.cut }
        var units: [UInt16] = []
        for at in 0..<count { units.append(UInt16(try half(code + 16 + at * 2))) }
        return Method(type: try type(try half(place)), name: name, parameters: parameters, code: units[...])
    }

    private func method(_ index: Int) throws(LintFailure) -> Int {
        guard index < (try word(0x58)) else { throw Self.cut }
        return try word(0x5C) + index * 8
    }

    private func type(_ index: Int) throws(LintFailure) -> String { try string(try word(try word(0x44) + index * 4)) }

    private func string(_ index: Int) throws(LintFailure) -> String {
        var at = try word(try word(0x3C) + index * 4)
        _ = try leb(&at)
        guard at <= bytes.count else { throw Self.cut }
        return String(decoding: bytes[at...].prefix(Self.maxName).prefix { $0 != 0 }, as: UTF8.self)
    }

    private static let cut = LintFailure("the classes are cut off")

    private func half(_ at: Int) throws(LintFailure) -> Int {
        guard at >= 0, at + 2 <= bytes.count else { throw Self.cut }
        return Int(bytes[at]) | Int(bytes[at + 1]) << 8
    }

    private func word(_ at: Int) throws(LintFailure) -> Int { try half(at) | (try half(at + 2)) << 16 }

    /// An unsigned LEB128 of up to 32 bits.
    private func leb(_ at: inout Int) throws(LintFailure) -> Int {
        var (value, shift) = (0, 0)
        while at < bytes.count, shift < 35 {
            let byte = bytes[at]
            at += 1
            value |= Int(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        throw Self.cut
    }
}
