import Age
import Platform

/// Opens a segment with its tail, also while it is being written.
struct SegmentReader {
    private static let limit = 1 << 30
    private static let attempts = 5

    private let folder: String
    private let name: SegmentName
    private let identities: [any AgeIdentity]

    init(_ folder: String, _ name: SegmentName, _ identities: [any AgeIdentity]) {
        (self.folder, self.name, self.identities) = (folder, name, identities)
    }

    /// The first frame; nil if the file was removed, or nothing stands in it yet.
    func head() throws(StoreFailure) -> SegmentFrame.Head? {
        for part in [name.file, name.tail] {
            guard let sealed = read(part, limit: nil) else { continue }
            var plain = try open(sealed, part, chunks: 1).plain
            if part == name.tail { plain = Array(plain.dropFirst(8)) }
            guard let frame = Self.frames(plain).first else { continue }
            guard let head = SegmentFrame.head(frame) else {
                throw StoreFailure(.otherVersion, path: path(part), "written by another version of Shunt")
            }
            return head
        }
        return nil
    }

    /// What the segment has, where that is known: it is not complete otherwise, or of an older version of Shunt.
    func index() -> SegmentIndex? {
        let part = name.index
        guard let sealed = read(part, limit: 1 << 20), let (plain, isWhole) = try? open(sealed, part, chunks: .max),
            isWhole
        else { return nil }
        return SegmentIndex(plain)
    }

    /// All frames that are whole.
    func frames() throws(StoreFailure) -> [ArraySlice<UInt8>] {
        for _ in 0..<Self.attempts {
            guard let sealed = read(name.file, limit: Self.limit) else { return [] }
            let (body, isWhole) = try open(sealed, name.file, chunks: .max)
            if isWhole { return Self.frames(body) }
            // Its writer goes on, or was killed.
            guard let tail = read(name.tail, limit: Self.limit) else { continue }
            let plain = try open(tail, name.tail, chunks: .max).plain
            guard plain.count >= 8 else { continue }
            let start = (0..<8).reduce(0) { $0 | Int(plain[$1]) << (8 * $1) }
            // The segment has grown since it was read.
            guard start <= body.count else { continue }
            return Self.frames(body.prefix(start) + plain[8...])
        }
        throw StoreFailure(
            .damaged, path: path(name.file),
            "the segment was cut: its end and its tail are missing; move it away to read the others")
    }

    private func path(_ part: String) -> String { folder + "/" + part }

    private func read(_ part: String, limit: Int?) -> [UInt8]? {
        guard let limit else {
            // The header and one chunk.
            let descriptor = Platform.open(path(part), O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var room = [UInt8](repeating: 0, count: 256 << 10)
            let count = room.withUnsafeMutableBytes { Platform.read(descriptor, $0.baseAddress, $0.count) }
            return count < 0 ? nil : Array(room.prefix(count))
        }
        return try? Files.read(path(part), limit: limit)
    }

    /// What is genuine of a file, and whether that is all of it.
    private func open(
        _ sealed: [UInt8], _ part: String, chunks: Int
    ) throws(StoreFailure) -> (plain: [UInt8], isWhole: Bool) {
        var plain: [UInt8] = []
        do throws(AgeFailure) {
            let reader = try AgeReader(ArraySource(sealed), identities)
            var (room, rest): ([UInt8], Int) = ([], chunks)
            defer { wipe(&room) }
            while rest > 0, let count = try reader.next(into: &room) {
                plain += room[..<count]
                rest -= 1
            }
            return (plain, true)
        } catch .payload(let reason) {
            // Chunks are appended one by one; one that was changed is no end.
            guard !reason.hasSuffix("was changed") else {
                throw StoreFailure(.damaged, path: path(part), "the segment is damaged: \(reason)")
            }
            return (plain, false)
        } catch .noMatch {
            throw StoreFailure(
                .sealed, path: folder, "none of the identities opens it; it was sealed to other recipients")
        } catch {
            throw StoreFailure(.damaged, path: path(part), error.message)
        }
    }

    private static func frames(_ plain: some Collection<UInt8>) -> [ArraySlice<UInt8>] {
        var rest = Array(plain)[...]
        var frames: [ArraySlice<UInt8>] = []
        while rest.count >= 4 {
            let start = rest.startIndex
            let count = (0..<4).reduce(0) { $0 | Int(rest[start + $1]) << (8 * $1) }
            guard rest.count - 4 >= count else { break }
            frames.append(rest[(start + 4)..<(start + 4 + count)])
            rest = rest[(start + 4 + count)...]
        }
        return frames
    }
}
