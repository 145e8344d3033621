import Foundation
import TestSupport

/// Coders that are not ours, to judge ours by: the programs of the codings' authors, and Python's zlib.
enum CodingTool: String, CaseIterable, Sendable {
    case gzip, deflate, raw, br, zstd

    var contentEncoding: String { self == .raw ? "deflate" : rawValue }

    private static let python = """
        import sys, zlib
        bits = {"gzip": 31, "deflate": 15, "raw": -15}
        kind, names = sys.argv[1], sys.argv[2:]
        for name in names:
            data = open(name, "rb").read()
            if kind.startswith("un"):
                if kind == "unraw": kind = "undeflate"
                coder = zlib.decompressobj(bits[kind[2:]])
                data = coder.decompress(data) + coder.flush()
                assert coder.eof and not coder.unused_data
            else:
                coder = zlib.compressobj(6, zlib.DEFLATED, bits[kind])
                data = coder.compress(data) + coder.flush()
            open(name + ".out", "wb").write(data)
        """

    func encode(_ bytes: [UInt8]) throws -> [UInt8] { try run([bytes], isDecoding: false)[0] }
    func decode(_ bodies: [[UInt8]]) throws -> [[UInt8]] { try run(bodies, isDecoding: true) }

    /// One program for all of them.
    private func run(_ bodies: [[UInt8]], isDecoding: Bool) throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let suffix = isDecoding && (self == .br || self == .zstd) ? "." + (self == .br ? "br" : "zst") : ""
        let names = bodies.indices.map { "\($0)" }
        for (name, body) in zip(names, bodies) {
            try Data(body).write(to: URL(fileURLWithPath: folder.path + "/" + name + suffix))
        }
        let files = names.map { $0 + suffix }
        let arguments: [String] =
            switch self {
            case .br: ["brotli", isDecoding ? "-df" : "-kf"] + files
            // Without a checksum behind the last block, so that input ends before its output does.
            case .zstd: ["zstd", "-qf", "--no-check"] + (isDecoding ? ["-d"] : []) + files
            default: ["python3", "-c", Self.python, (isDecoding ? "un" : "") + rawValue] + files
            }
        let result = try ChildProcess.run("/usr/bin/env", arguments, directory: folder.path)
        guard result.status == 0 else { throw ToolFailed(words: result.errors) }
        let made =
            switch self {
            case .br: isDecoding ? "" : ".br"
            case .zstd: isDecoding ? "" : ".zst"
            default: ".out"
            }
        return try names.map {
            Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + $0 + made)))
        }
    }

    struct ToolFailed: Error { let words: String }
}
