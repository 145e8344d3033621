import Engine
import Foundation
import HTTP
import TestSupport

/// Numbers for cases that a seed draws: SplitMix64.
struct SweepRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Not times the step of `next`: seeds in a row would have the same numbers but for the first ones.
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[Int(next() % UInt64(items.count))] }

    /// True once in so many times.
    mutating func once(in count: UInt64) -> Bool { next() % count == 0 }
}

/// How far a sweep goes: `SHUNT_SWEEP` has the number of rounds, each of another seed, or `SEED-SEED`.
///
/// With it, each case is printed before it runs, so that the last line names the one that ended the process.
enum Sweep {
    private static let variable = ProcessInfo.processInfo.environment["SHUNT_SWEEP"]
    static let seeds: [UInt64] = {
        let ends = (variable ?? "1").split(separator: "-").compactMap { UInt64($0) }
        return Array((ends.count > 1 ? ends[0] : 1)...max(ends.last ?? 1, ends.first ?? 1))
    }()

    static func begins(_ text: @autoclosure () -> String) {
        if variable != nil { FileHandle.standardError.write(Data((text() + "\n").utf8)) }
    }
}

extension MemoryWorker {
    /// Responds as origins do, well or badly, to each request that is there to its end, until nothing moves any more.
    func letOriginsRespond(_ random: inout SweepRandom) async {
        for _ in 0..<6 {
            await settle()
            var hasMoved = false
            for origin in origins.channels where origin.isOpen {
                let sent = origin.text
                for _ in 0..<sent.components(separatedBy: " HTTP/1.1\r\n").count - 1 {
                    hasMoved = true
                    // What is kept has an age, and comes again where its origin fails.
                    let isKept = sent.contains("Host: kept.test") && !random.once(in: 3)
                    let response = random.pick(isKept ? Self.aged : Self.responses)
                    origin.receive(response.text)
                    if response.ends { origin.receiveEnd() }
                }
                if hasMoved, random.once(in: 20) { origin.receiveReset() }
            }
            if !hasMoved { return }
        }
    }

    private static let aged: [(text: String, ends: Bool)] = [
        ("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAge: 9223372036854775807\r\nContent-Length: 1\r\n\r\nx", false),
        ("", true),
    ]
    private static let responses: [(text: String, ends: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n0\r\nX: 1\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<body></body>", false),
        ("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAge: 9223372036854775807\r\nContent-Length: 1\r\n\r\nx", false),
        ("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nAge: 99999999999999999999\r\n\r\n", false),
        ("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\n\r\nto the end", true), ("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncut", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", true),
        ("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nConte", true), ("no HTTP at all\r\n\r\n", true), ("", true),
    ]
}

/// The responses that a client got: the final ones, and whether nothing is behind the last of them.
struct SweptResponses {
    struct Response {
        let status: Int
        var body: [UInt8] = []
        var isWhole = true
    }

    private(set) var all: [Response] = []
    private(set) var isWhole = true
    var count: Int { all.count }

    /// - Parameter isHead: whether the request with that number was a HEAD.
    init(_ bytes: [UInt8], isHead: (Int) -> Bool) {
        var rest = bytes[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[..<end.upperBound], as: UTF8.self)
            var response = Response(status: Int(head.dropFirst(9).prefix(3)) ?? 0)
            rest = rest[end.upperBound...]
            guard response.status >= 200 else { continue }
            defer { all.append(response) }
            if isHead(count) || response.status == 204 || response.status == 304 { continue }
            let framing: BodyFraming =
                head.contains("Transfer-Encoding: chunked\r\n")
                ? .chunked
                : head.firstMatch(of: /Content-Length: (\d+)\r\n/).flatMap { UInt64($0.1) }.map { .length($0) }
                    ?? .untilClose
            var decoder = BodyDecoder(framing)
            body: while true {
                switch try? decoder.next(Array(rest).span) {
                case .data(let count):
                    decoder.advance(count)
                    response.body += rest.prefix(count)
                    rest = rest.dropFirst(count)
                case .framing(let count), .trailers(let count): rest = rest.dropFirst(count)
                case .end: break body
                case .needMore, nil:
                    response.isWhole = framing == .untilClose
                    isWhole = response.isWhole
                    rest = []
                    break body
                }
            }
        }
        if !rest.isEmpty { isWhole = false }
    }
}
