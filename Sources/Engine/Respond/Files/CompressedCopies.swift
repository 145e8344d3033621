import HTTP
import Platform
import Reactor
import Synchronization

/// Files without compressed copies beside them, so that not every request looks for all copies.
///
/// A new copy is found within a second; until then clients get the file itself.
final class CompressedCopies: Sendable {
    private static let maxNames = 4096
    /// Microseconds.
    private static let duration: Int64 = 1_000_000

    /// Until when it is taken to be without one.
    private let plain = Mutex<[[UInt8]: Int64]>([:])

    func mayExist(of name: [UInt8], in folder: Folder) -> Bool {
        let now = wallClock()
        // A clock that was set back does not make it longer.
        if let until = plain.withLock({ $0[name] }), now < until, until - now <= Self.duration { return false }
        if ContentCodings.Coding.allCases.contains(where: { folder.open(name + $0.endingBytes) != nil }) { return true }
        plain.withLock { plain in
            if plain.count >= Self.maxNames { plain.removeAll(keepingCapacity: true) }
            plain[name] = now + Self.duration
        }
        return false
    }
}

extension ContentCodings.Coding {
    var endingBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: ending.utf8Start, count: ending.utf8CodeUnitCount)
    }
}
