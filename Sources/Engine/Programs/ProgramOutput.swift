import Bytes
import Reactor
import Redaction
import Synchronization

/// The last lines that an origin's program has written, without secrets and control characters.
///
/// In memory alone. Shared by all threads.
final class ProgramOutput: Sendable {
    private struct State {
        var lines: [String] = []
        /// How many lines came before them.
        var dropped = 0
        var line: [UInt8] = []
        /// Within a private key, all lines are secret.
        var isInKey = false
    }

    /// Lines that are kept, and bytes of one.
    private static let limit = 1000
    private static let maxLength = 2048
    private let state = Mutex(State())
    private let redactor: Redactor

    init(_ redactor: Redactor) { self.redactor = redactor }

    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    end(&state)
                } else if state.line.count < Self.maxLength {
                    state.line.append(byte)
                }
            }
        }
    }

    /// Ends a line that has no end.
    func finish() { state.withLock { if !$0.line.isEmpty { end(&$0) } } }

    /// The lines behind a number, the newest ones if there are more than a limit, and the number of the first.
    func lines(after: Int = 0, limit: Int) -> (first: Int, lines: [String]) {
        state.withLock { state in
            let wanted = max(after - state.dropped, state.lines.count - limit, 0)
            let lines = state.lines.dropFirst(wanted)
            return (state.dropped + min(wanted, state.lines.count) + 1, Array(lines))
        }
    }

    private func end(_ state: inout State) {
        var text = PlainText.line(Self.plain(state.line))
        state.line.removeAll(keepingCapacity: true)
        if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY") { state.isInKey = true }
        let isEnd = text.contains("-----END ")
        text = state.isInKey ? "<redacted:key>" : redactor.redact(text: text)
        if isEnd { state.isInKey = false }
        state.lines.append(text)
        guard state.lines.count >= 2 * Self.limit else { return }
        state.dropped += Self.limit
        state.lines.removeFirst(Self.limit)
    }

    /// Without the end of a line of other systems, and without colours (ECMA-48 8.3.117).
    private static func plain(_ line: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var at = 0
        while at < line.count {
            if line[at] == 0x1B, at + 1 < line.count, line[at + 1] == UInt8(ascii: "[") {
                at += 2
                while at < line.count, !(0x40...0x7E).contains(line[at]) { at += 1 }
            } else {
                plain.append(line[at])
            }
            at += 1
        }
        if plain.last == UInt8(ascii: "\r") { plain.removeLast() }
        return plain
    }
}

/// A line that an origin's program has written.
public struct ProgramLine: Sendable {
    public let number: Int
    public let text: String
}
