import Bytes
import Synchronization

/// What one run has asked of a recording, over all routes that it responds for.
///
/// Shared by all threads.
public final class RecordingUse: Sendable {
    private struct State {
        var turns: [Int: Int] = [:]
        var used: Set<Int> = []
        /// Addresses of the run that was recorded, with those of this one.
        var moves: [(old: [UInt8], new: [UInt8])] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// The number of the next response of a group, from 0.
    public func takeTurn(of group: RecordingIndex.Group) -> Int {
        state.withLock { state in
            let turn = state.turns[group.id, default: 0]
            state.turns[group.id] = turn + 1
            return turn
        }
    }

    public func didRespond(with entry: Int) { state.withLock { _ = $0.used.insert(entry) } }

    /// The numbers of entries whose response no request has got, in ascending order.
    ///
    /// Entries without a body to send are left out: another entry responds in their place.
    public func unused(of file: RecordingFile) -> [Int] {
        let used = state.withLock { $0.used }
        return (0..<file.count).filter { !used.contains($0) && (try? file.isWithheld($0)) != true }
    }

    /// Loopback addresses with a port of the run that was recorded stand for those of this run from now on.
    /// - Parameter ports: of this run by the port of the recorded one.
    public func move(_ ports: [(old: UInt16, new: UInt16)]) {
        let names = ["localhost", "127.0.0.1", "[::1]"]
        let moves = ports.filter { $0.old != $0.new }.flatMap { ports in
            names.map { (old: Array("\($0):\(ports.old)".utf8), new: Array("\($0):\(ports.new)".utf8)) }
        }
        state.withLock { $0.moves = moves }
    }

    /// A text with the addresses of this run.
    public func moved(_ bytes: [UInt8]) -> [UInt8] {
        let moves = state.withLock { $0.moves }
        guard !moves.isEmpty else { return bytes }
        var (result, start, at): ([UInt8], Int, Int) = ([], 0, 0)
        while true {
            at = bytes.withSpan { ByteSearch.byte(UInt8(ascii: ":"), in: $0, from: at, to: bytes.count) }
            guard at < bytes.count else { break }
            for move in moves {
                let name = move.old.lastIndex(of: UInt8(ascii: ":")) ?? 0
                guard at - name >= start, bytes[(at - name)...].starts(with: move.old) else { continue }
                let end = at - name + move.old.count
                // A longer number is another port.
                if end < bytes.count, bytes[end] &- 0x30 < 10 { continue }
                result += bytes[start..<(at - name)] + move.new
                start = end
                break
            }
            at = max(at + 1, start)
        }
        return start == 0 ? bytes : result + bytes[start...]
    }
}

extension RecordingFile {
    /// The loopback ports at which the recorded clients reached each host, by the host's authority in the URL.
    ///
    /// A URL of a loopback name stands for all hosts, with an empty name.
    public func recordedPorts() -> [(host: String, port: UInt16)] {
        var found: [(host: String, port: UInt16)] = []
        for entry in entries where entry.isOwn {
            guard let url = RecordedURL(entry.url), let fields = try? requestFields(entry),
                let authority = fields.first(where: { $0.name.lowercased() == "host" })?.value
            else { continue }
            let host = RecordedURL.host(ofAuthority: Array(authority.utf8)[...])
            guard ["localhost", "127.0.0.1", "[::1]"].contains(host), authority.count > host.count,
                let port = UInt16(authority.dropFirst(host.count + 1))
            else { continue }
            let name = url.host == host ? "" : url.authority
            if !found.contains(where: { $0.host == name && $0.port == port }) { found.append((name, port)) }
        }
        return found
    }
}
