import Age
import Platform

/// An archive that is read from front to back, and opened meanwhile if it is sealed.
final class ImportSource {
    private let descriptor: CInt
    private let source: PrefixedSource
    private let reader: AgeReader?

    /// Takes the descriptor over.
    convenience init(_ descriptor: CInt, _ name: String, _ arguments: Arguments) throws {
        try self.init(descriptor, name) { try SealIdentities.opening(name, arguments) }
    }

    /// The same for a command that puts the archive into a temporary store, which is not sealed.
    convenience init(_ descriptor: CInt, _ name: String) throws {
        try self.init(descriptor, name) {
            throw CommandFailure("\(name) is sealed", advice: "Open it first: shunt unseal \(name)")
        }
    }

    /// - Parameter identities: asked for if the file is sealed.
    init(_ descriptor: CInt, _ name: String, _ identities: () throws -> [any AgeIdentity]) throws {
        self.descriptor = descriptor
        source = PrefixedSource(descriptor)
        guard source.isSealed else {
            reader = nil
            return
        }
        let identities = try identities()
        do throws(AgeFailure) { reader = try AgeReader(source, identities) } catch {
            throw CommandFailure.sealed(name, error)
        }
    }

    deinit { if descriptor != 0 { close(descriptor) } }

    /// Makes room for what is said next.
    func endProgress() { source.endProgress() }

    /// The number of the next bytes in `room`; nil at the end.
    func next(_ room: inout [UInt8]) throws(AgeFailure) -> Int? {
        guard let reader else { return try source.next(&room) }
        return try reader.next(into: &room)
    }
}

/// A descriptor whose first bytes were read in advance.
private final class PrefixedSource: ByteSource {
    private static let size = 1 << 16

    private let source: MeteredSource
    private var first: ArraySlice<UInt8> = []
    let isSealed: Bool

    /// A failure to read is reported by the next attempt.
    init(_ descriptor: CInt) {
        source = MeteredSource(descriptor)
        var room = [UInt8](repeating: 0, count: Self.size)
        var bytes: [UInt8] = []
        let enough = Sealed.marks.map(\.count).max() ?? 0
        while bytes.count < enough, let count = try? source.next(&room) { bytes += room[..<count] }
        first = bytes[...]
        isSealed = Sealed.begins(bytes)
    }

    func endProgress() { source.endProgress() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        guard !first.isEmpty else { return try source.read(into: room) }
        let count = min(room.count, first.count)
        room.copyBytes(from: first.prefix(count))
        first = first.dropFirst(count)
        return count
    }

    func next(_ room: inout [UInt8]) throws(AgeFailure) -> Int? {
        if room.count < Self.size { room = [UInt8](repeating: 0, count: Self.size) }
        guard !first.isEmpty else { return try source.next(&room) }
        let count = first.count
        for (index, byte) in first.enumerated() { room[index] = byte }
        first = []
        return count
    }
}
