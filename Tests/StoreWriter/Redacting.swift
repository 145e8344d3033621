import Redaction

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Replaces the secrets of texts that come on standard input, and measures how long that takes.
///
/// In front of each text stands a line: `head`, `url` or `body`, its length, and the media type of a body; in front of
/// each result its length and the nanoseconds of the fastest of `turns`.
enum Redacting {
    static func run(turns: Int) {
        let input = readAll()
        var start = 0
        while let end = input[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: input[start..<end], as: UTF8.self).split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let count = Int(words[1]), end + 1 + count <= input.count else { exit(65) }
            start = end + 1 + count
            let type = words.count > 2 ? Array(words[2].utf8) : nil
            let (result, time) = redacted(String(words[0]), Array(input[end + 1..<start]), type, turns: max(1, turns))
            print(Array("\(result.count) \(time)\n".utf8))
            print(result)
        }
    }

    private static func redacted(
        _ kind: String, _ text: [UInt8], _ type: [UInt8]?, turns: Int
    ) -> (result: [UInt8], nanoseconds: UInt64) {
        var (result, best): ([UInt8], UInt64) = ([], .max)
        for _ in 0..<turns {
            // Anew in each turn, since it remembers heads that it has seen.
            let filter = RecordingRedaction(key: Array(repeating: 7, count: 32), rules: RedactionRules())
            var out: [UInt8] = []
            out.reserveCapacity(text.count + 4096)
            let start = now()
            switch kind {
            case "head": filter.redact(head: text.span, into: &out)
            case "url": filter.redact(url: text.span, into: &out)
            default: filter.redact(body: text.span, contentType: type, into: &out)
            }
            best = min(best, now() - start)
            result = out
        }
        return (result, best)
    }

    private static func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = piece.withUnsafeMutableBytes({ read(STDIN_FILENO, $0.baseAddress, $0.count) }), count > 0
        {
            all += piece[..<count]
        }
        return all
    }

    private static func print(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { exit(74) }
            rest = rest.dropFirst(count)
        }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
