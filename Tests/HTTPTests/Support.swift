import HTTP
import Testing

/// The bytes of a message that is written with "\r\n" where it matters.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8], _ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

/// A request head of these lines, with the empty line at the end.
func head(_ lines: String...) -> [UInt8] { bytes(lines.map { $0 + "\r\n" }.joined() + "\r\n") }

/// What reading a head came to, in a shape that can be compared.
enum Outcome: Equatable, CustomStringConvertible {
    case incomplete
    case refused(HTTPFailure.Kind, Int)
    case read(String)

    var description: String {
        switch self {
        case .incomplete: "incomplete"
        case .refused(let kind, let status): "refused: \(kind) \(status)"
        case .read(let text): text
        }
    }
}

extension RequestHead {
    /// Feeds a prefix of each length in turn, then all.
    mutating func feed(_ bytes: [UInt8], cuts: [Int] = [], limits: HeadLimits = HeadLimits()) -> Outcome {
        do throws(HTTPFailure) {
            for cut in cuts + [bytes.count] {
                if let length = try parse(bytes.span.extracting(0..<cut), limits: limits) {
                    return .read(summary(bytes, length))
                }
            }
            return .incomplete
        } catch {
            return .refused(error.kind, error.status)
        }
    }

    func summary(_ bytes: [UInt8], _ length: Int) -> String {
        var lines = [
            "\(length) \(text(bytes, methodRange)) \(method) \(targetForm) \(text(bytes, target)) \(version)",
            "path \(text(bytes, path)) query \(text(bytes, query)) both \(text(bytes, pathAndQuery))",
            "authority \(text(bytes, authority)) host \(text(bytes, host)) port \(port.map { String($0) } ?? "-")",
            "\(framing) \(keepAlive) \(expectsContinue) \(upgrade) \(text(bytes, upgradeRange)) \(acceptsTrailers)",
        ]
        lines += fields.map { $0.summary(bytes) }
        return lines.joined(separator: "\n")
    }
}

extension ResponseHead {
    mutating func feed(
        _ bytes: [UInt8], to method: HTTP.Method = .get, cuts: [Int] = [], limits: HeadLimits = HeadLimits()
    ) -> Outcome {
        do throws(HTTPFailure) {
            for cut in cuts + [bytes.count] {
                if let length = try parse(bytes.span.extracting(0..<cut), to: method, limits: limits) {
                    let first = "\(length) \(version) \(status) \(text(bytes, reason)) \(framing) \(keepAlive)"
                    return .read(([first] + fields.map { $0.summary(bytes) }).joined(separator: "\n"))
                }
            }
            return .incomplete
        } catch {
            return .refused(error.kind, error.status)
        }
    }
}

extension Field {
    func summary(_ bytes: [UInt8]) -> String {
        "\(id) [\(text(bytes, name))] [\(text(bytes, value))] \(line) \(isHopByHop)"
    }
}

/// A row of a table of bytes that are refused, which a failing test names by its reason alone.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let input: [UInt8]
    let kind: HTTPFailure.Kind
    let status: Int

    init(_ why: String, _ input: [UInt8], _ kind: HTTPFailure.Kind, _ status: Int) {
        testDescription = why
        self.input = input
        self.kind = kind
        self.status = status
    }
}

/// A row of a table of bytes that are read.
struct Reading: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let input: [UInt8]
    let summary: String

    init(_ why: String, _ input: [UInt8], _ summary: String) {
        testDescription = why
        self.input = input
        self.summary = summary
    }
}
