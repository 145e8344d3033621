/// The compression that both ends of a WebSocket have agreed on (RFC 7692 7.1).
public struct PermessageDeflate: Sendable, Equatable {
    /// The parameters for the messages of one end.
    public struct Direction: Sendable, Equatable {
        /// A message may refer to earlier messages.
        public var keepsContext = true
        /// The size of the window, as a power of two.
        public var windowBits = 15
    }

    public private(set) var client = Direction()
    public private(set) var server = Direction()

    /// Reads the value of the response's Sec-WebSocket-Extensions; nil if it does not name permessage-deflate.
    public init?(extensions: String) {
        for item in extensions.split(separator: ",") {
            let parts = item.split(separator: ";").map { Self.trimmed($0) }
            guard parts.first?.lowercased() == "permessage-deflate" else { continue }
            for part in parts.dropFirst() { read(part) }
            return
        }
        return nil
    }

    private mutating func read(_ parameter: String) {
        let halves = parameter.split(separator: "=", maxSplits: 1).map { Self.trimmed($0) }
        guard let name = halves.first?.lowercased() else { return }
        let bits = halves.count > 1 ? Int(halves[1].filter { $0 != "\"" }) ?? 15 : 15
        switch name {
        case "client_no_context_takeover": client.keepsContext = false
        case "server_no_context_takeover": server.keepsContext = false
        case "client_max_window_bits": client.windowBits = min(max(bits, 8), 15)
        case "server_max_window_bits": server.windowBits = min(max(bits, 8), 15)
        default: break
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        let rest = text.drop(while: isBlank)
        return String(
            rest.prefix(upTo: (rest.lastIndex { !isBlank($0) }).map { rest.index(after: $0) } ?? rest.startIndex))
    }
}
