import Platform

/// Bytes that are read once, from front to back; confined to its owner.
package protocol ByteSource: AnyObject {
    /// Reads some bytes, at least one; 0 at the end.
    func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int
}

/// Takes bytes one behind the other; confined to its owner.
package protocol ByteSink: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer) throws(AgeFailure)
}

/// A descriptor that blocks; it stays open.
package final class DescriptorSource: ByteSource {
    private let descriptor: CInt
    /// What was read of it so far.
    package private(set) var count = 0

    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    package func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        while true {
            let count = systemRead(descriptor, room)
            if count >= 0 {
                self.count += count
                return count
            }
            guard errno == EINTR else { throw .system(errno) }
        }
    }
}

/// A descriptor that blocks; it stays open.
package final class DescriptorSink: ByteSink {
    private let descriptor: CInt

    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(AgeFailure) {
        var sent = 0
        while sent < bytes.count {
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            if count >= 0 { sent += count } else if errno != EINTR { throw .system(errno) }
        }
    }
}

/// Bytes in memory.
package final class ArraySource: ByteSource {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        let count = min(room.count, rest.count)
        room.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}

/// Gathers bytes in memory.
package final class ArraySink: ByteSink {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package func write(_ bytes: UnsafeRawBufferPointer) throws(AgeFailure) { self.bytes.append(contentsOf: bytes) }
}

extension ByteSink {
    package func write(_ bytes: [UInt8]) throws(AgeFailure) {
        let result = bytes.withUnsafeBytes { bytes -> AgeFailure? in
            do throws(AgeFailure) { try write(bytes) } catch { return error }
            return nil
        }
        if let result { throw result }
    }
}

/// A source with a look ahead; confined to its owner.
final class BufferedSource: ByteSource {
    private let source: any ByteSource
    private var buffer: [UInt8]
    private var place = 0..<0

    init(_ source: any ByteSource, size: Int = 1 << 16) {
        self.source = source
        buffer = [UInt8](repeating: 0, count: size)
    }

    /// The next byte, which stays; nil at the end.
    func peek() throws(AgeFailure) -> UInt8? {
        guard place.isEmpty else { return buffer[place.lowerBound] }
        let count = try fill()
        return count == 0 ? nil : buffer[0]
    }

    /// The next byte; nil at the end.
    func next() throws(AgeFailure) -> UInt8? {
        guard let byte = try peek() else { return nil }
        place = place.lowerBound + 1..<place.upperBound
        return byte
    }

    func read(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        guard !place.isEmpty else { return try source.read(into: room) }
        let count = min(room.count, place.count)
        buffer.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place.prefix(count)])) }
        place = place.lowerBound + count..<place.upperBound
        return count
    }

    /// Fills the room as far as the source goes.
    func readAll(into room: UnsafeMutableRawBufferPointer) throws(AgeFailure) -> Int {
        var count = 0
        while count < room.count {
            let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
            guard more > 0 else { break }
            count += more
        }
        return count
    }

    private func fill() throws(AgeFailure) -> Int {
        var failure: AgeFailure?
        let count = buffer.withUnsafeMutableBytes { room -> Int in
            do throws(AgeFailure) { return try source.read(into: room) } catch { failure = error }
            return 0
        }
        if let failure { throw failure }
        place = 0..<count
        return count
    }
}

// Under names that types with a `read` and `write` of their own can still reach.
private func systemRead(_ descriptor: CInt, _ room: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, room.baseAddress, room.count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
