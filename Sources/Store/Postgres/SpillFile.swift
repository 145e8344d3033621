import Bytes
import Platform

/// Batches that the server has not acknowledged, one behind the other in a file; confined to the recorder's thread.
///
/// A head has the file's name and the numbers of its first batch and of the next exchange. Each batch has its length in
/// front: one that a killed process has written in part is cut off. The file is emptied when all were brought in.
final class SpillFile {
    struct Spilled {
        let number: Int64
        /// The numbers that its new exchanges have here.
        let first: Int64
        let count: Int64
        /// Of a transaction that may have taken effect, and the number that its first new exchange got in it.
        let attempt: (xid: String, first: Int64)?
        let bytes: [UInt8]
    }

    /// Numbers from here on are not those of the store: they are replaced when a batch is brought in.
    static let firstNumber: Int64 = 1 << 62
    /// Far more than a batch has.
    private static let maxCount: Int64 = 1 << 32
    private static let mark = Array("shunt spill 1\n\0\0".utf8)
    private static let headSize = 64
    /// Bytes that were brought in from which on the file is made shorter.
    private static let worthwhile = 1 << 20
    /// Of a batch, behind its length: three numbers, and the length of the transaction's number.
    private static let batchHead = 25

    let path: String
    /// By which the store knows what was brought in from this file.
    let name: String
    private var descriptor: CInt
    /// Where batches are that were not brought in, behind `done` that were.
    private var places: [Range<Int>] = []
    private var done = 0
    /// The number of the first batch in the file.
    private var number: Int64 = 1
    private var next = firstNumber
    private var end = headSize
    /// The last batch that an earlier process has left; 0 if there is none.
    let inherited: Int64

    var count: Int { places.count - done }
    /// Bytes of the file.
    var size: Int { end }

    /// Opens the file, and makes it if it is missing; one process at a time may have it.
    init(_ path: String) throws(StoreFailure) {
        self.path = path
        try StoreFiles.makeFolder(of: path)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreFailure(.cannotOpen, path: path, "the file cannot be made: \(systemReason())")
        }
        fchmod(descriptor, 0o600)
        do throws(StoreFailure) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw StoreFailure(
                    .cannotOpen, path: path, "another Shunt uses this file; name another with --store-spill FILE")
            }
            var facts = stat()
            guard fstat(descriptor, &facts) == 0, facts.st_uid == geteuid() else {
                throw StoreFailure(.cannotOpen, path: path, "the file belongs to another user; name another one")
            }
            if facts.st_size == 0 {
                name = Hex.text((0..<16).map { _ in UInt8.random(in: 0...255) })
                inherited = 0
            } else {
                let head = Self.read(descriptor, 0..<Self.headSize)
                guard head.count == Self.headSize, head.starts(with: Self.mark) else {
                    throw StoreFailure(.notAStore, path: path, "not a file of spilled traffic; move it away")
                }
                name = String(decoding: head[16..<48], as: UTF8.self)
                (number, next) = (Self.number(head, 48), Self.number(head, 56))
                let places = Self.places(descriptor, Int(facts.st_size))
                inherited = places.isEmpty ? 0 : number + Int64(places.count) - 1
                (self.places, end) = (places, places.last?.upperBound ?? Self.headSize)
                ftruncate(descriptor, off_t(end))
                for place in places {
                    let head = Self.read(descriptor, place.lowerBound + 8..<place.lowerBound + 24)
                    next = max(next, Self.number(head, 0) &+ max(0, min(Self.number(head, 8), Self.maxCount)))
                }
            }
        } catch {
            StoreFiles.closeLocked(descriptor)
            throw error
        }
    }

    deinit { StoreFiles.closeLocked(descriptor) }

    /// The batches that are whole.
    private static func places(_ descriptor: CInt, _ size: Int) -> [Range<Int>] {
        var (places, at): ([Range<Int>], Int) = ([], headSize)
        while true {
            let head = read(descriptor, at..<at + 8)
            guard head.count == 8 else { return places }
            let length = number(head, 0)
            guard length >= batchHead, length <= size - at - 8 else { return places }
            places.append(at..<at + 8 + Int(length))
            at += 8 + Int(length)
        }
    }

    private static func read(_ descriptor: CInt, _ place: Range<Int>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: place.count)
        let count = bytes.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, $0.count, off_t(place.lowerBound))
        }
        return Array(bytes.prefix(max(0, count)))
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int64 {
        bytes.count < at + 8
            ? 0 : Int64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: Int64.self) })
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private func head(_ number: Int64) -> [UInt8] {
        var head = Self.mark + Array(name.utf8)
        Self.append(number, to: &head)
        Self.append(next, to: &head)
        return head
    }

    /// Adds a batch; returns the number of its first new exchange here.
    func add(_ batch: borrowing WriteBatch, attempt: (xid: String, first: Int64)?) throws(StoreFailure) -> Int64 {
        let (first, xid) = (next, Array((attempt?.xid ?? "").utf8.prefix(255)))
        var content: [UInt8] = []
        batch.append(to: &content)
        var bytes: [UInt8] = []
        for number in [Int64(Self.batchHead + xid.count + content.count), first, batch.newCount, attempt?.first ?? 0] {
            Self.append(number, to: &bytes)
        }
        bytes.append(UInt8(xid.count))
        bytes += xid + content
        do throws(StoreFailure) {
            if places.isEmpty { try StoreFiles.write(head(number), descriptor, at: 0, path) }
            try StoreFiles.write(bytes, descriptor, at: end, path)
        } catch {
            ftruncate(descriptor, off_t(end))
            throw error
        }
        places.append(end..<end + bytes.count)
        (end, next) = (end + bytes.count, first + batch.newCount)
        return first
    }

    func oldest() throws(StoreFailure) -> Spilled? {
        guard count > 0 else { return nil }
        let bytes = Self.read(descriptor, places[done])
        let (first, count, given) = (Self.number(bytes, 8), Self.number(bytes, 16), Self.number(bytes, 24))
        let start = 8 + Self.batchHead
        guard bytes.count == places[done].count, start + Int(bytes[start - 1]) <= bytes.count,
            (0...Self.maxCount).contains(count), first >= 0, first < .max - Self.maxCount, given >= 0,
            given < .max - Self.maxCount
        else { throw StoreFailure(.damaged, path: path, "it has numbers that no Shunt has written; move it away") }
        let xid = bytes[start..<start + Int(bytes[start - 1])]
        return Spilled(
            number: number + Int64(done), first: first, count: count,
            attempt: xid.isEmpty ? nil : (String(decoding: xid, as: UTF8.self), given),
            bytes: Array(bytes[xid.endIndex...]))
    }

    /// The oldest was brought in.
    func removeOldest() throws(StoreFailure) {
        done += 1
        guard count == 0 else {
            let brought = places[done].lowerBound - Self.headSize
            // Without room for it, it is done when all are in.
            if brought > max(Self.worthwhile, end - places[done].lowerBound) { try? shorten() }
            return
        }
        number += Int64(done)
        (places, done, end) = ([], 0, Self.headSize)
        try StoreFiles.write(head(number), descriptor, at: 0, path)
        ftruncate(descriptor, off_t(end))
    }

    /// Puts a file of what waits in the place of this one, which is large from what was brought in.
    private func shorten() throws(StoreFailure) {
        let fresh = path + ".new"
        unlink(fresh)
        let target = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw StoreFiles.failure(path) }
        var (kept, at): ([Range<Int>], Int) = ([], Self.headSize)
        do throws(StoreFailure) {
            guard flock(target, LOCK_EX | LOCK_NB) == 0 else { throw StoreFiles.failure(path) }
            try StoreFiles.write(head(number + Int64(done)), target, at: 0, path)
            for place in places[done...] {
                let batch = Self.read(descriptor, place)
                guard batch.count == place.count else { throw StoreFiles.failure(path) }
                try StoreFiles.write(batch, target, at: at, path)
                kept.append(at..<at + place.count)
                at += place.count
            }
            guard rename(fresh, path) == 0 else { throw StoreFiles.failure(path) }
        } catch {
            close(target)
            unlink(fresh)
            throw error
        }
        close(descriptor)
        number += Int64(done)
        (descriptor, places, done, end) = (target, kept, 0, at)
    }
}
