import Foundation
import Redaction
import Testing

/// No input costs more than its length allows, and none goes deeper than the stack.
@Suite struct RedactionCostTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    /// Bodies, URLs and heads that grow with a number.
    private static let inputs: [(name: String, type: String?, make: @Sendable (Int) -> String)] = [
        ("users in a URL", "url", { "/" + repeated("@//a:b", $0) }),
        ("users with an end", "url", { "/" + repeated("//a:b@", $0) }), ("paths", "url", { repeated("/invite/x", $0) }),
        ("escapes of escapes", "url", { "/?a=" + repeated("%25", $0 * 2) + "41=x" }),
        ("doubtful parameters", "url", { "/?" + repeated("state=a%26state%3D", $0) }),
        ("fields", "head", { "GET / H\r\n" + repeated("token: <redacted:a:0123456789> x ", $0) }),
        ("values before names", "application/json", { "[" + repeated(#"{"value":"#, $0) }),
        ("values", "application/json", { "{" + repeated(#""value":"x","#, $0) }),
        ("values and arrays", "application/json", { "{" + repeated(#""value":[{"a":"x"},"#, $0) }),
        ("arrays", "application/json", { repeated("[", $0 * 4) }),
        ("pairs", "application/json", { repeated(#"["password","#, $0) }),
        ("structures", "application/json", { #"{"token":"# + repeated(#"[{"a":"x"},"#, $0) }),
        ("quotes in a script", "text/javascript", { repeated("token='a`\"", $0) }),
        ("delimiters", "multipart/mixed; boundary=" + repeated("-", 60), { repeated("-", $0 * 8) }),
        ("lines of dashes", "multipart/mixed", { "--x\n" + repeated("--y\n", $0) }),
        ("cells", "text/csv", { "a,password\n" + repeated("\"", $0) + repeated("x,", $0) }),
        ("links", "text/plain", { repeated("https://a/invite/", $0) }),
        ("words", "text/plain", { repeated("Authorization: Digest ", $0) }),
        ("tags", "text/html", { repeated("<a b=", $0) }),
    ]

    private static var threadTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds of this thread's processor time, which other tests take no part of.
    private func cost(_ type: String?, _ input: String) -> UInt64 {
        let began = Self.threadTime
        switch type {
        case "url": _ = redactor.redact(url: input)
        case "head": _ = redactor.redact(head: Array(input.utf8))
        default: _ = redact(Array(input.utf8), as: type)
        }
        return Self.threadTime - began
    }

    /// Quadratic work costs 64 times as much for eight times as much; the best of several tries counts.
    @Test(arguments: inputs.indices)
    func `eight times as much does not cost many times as much`(row: Int) {
        let (name, type, make) = Self.inputs[row]
        let (small, large) = (make(500), make(4000))
        var best: (small: UInt64, large: UInt64) = (.max / 24, .max)
        for _ in 0..<8 where best.large > best.small * 24 {
            best = (min(best.small, cost(type, small)), min(best.large, cost(type, large)))
        }
        #expect(best.large <= best.small * 24, "\(name): \(best)")
    }

    @Test(arguments: [10, 2000]) func `parts within parts are hidden beyond eight levels`(depth: Int) {
        let secret = "zq7marked9thing"
        let open = (0..<depth).map { "--b\($0)x\r\nContent-Type: multipart/mixed; boundary=b\($0 + 1)x\r\n\r\n" }
            .joined()
        let body =
            open + "--b\(depth)x\r\nContent-Disposition: form-data; name=a\r\n\r\n\(secret)\r\n--b\(depth)x--\r\n"
        for type in ["multipart/mixed; boundary=b0x", "multipart/mixed", "text/plain", nil] {
            for size in [Int.max, 100] {
                let text = redact(body, as: type, piece: size)
                #expect(!text.contains(secret) && text.contains("<redacted:part:"))
                #expect(text.contains("boundary=b8x") && !text.contains("boundary=b9x"))
            }
        }
    }
}
