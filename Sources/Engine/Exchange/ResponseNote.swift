import Synchronization

/// A field line that every response has, and that may change at any time.
///
/// Shared by all threads.
public final class ResponseNote: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// - Parameters:
    ///   - name: the field's name.
    ///   - value: visible ASCII and spaces.
    public init(_ name: String, _ value: String) { bytes = Mutex(Self.line(name, value)) }

    public func change(_ name: String, to value: String) { bytes.withLock { $0 = Self.line(name, value) } }

    var line: [UInt8] { bytes.withLock { $0 } }

    private static func line(_ name: String, _ value: String) -> [UInt8] {
        Array("\(name): ".utf8) + value.utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
            + Array("\r\n".utf8)
    }
}
