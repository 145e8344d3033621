import CZlib
import Platform

/// Reads a ZIP archive from a file, entry by entry: stored or deflated, and nothing that readers disagree about.
final class ZipArchive {
    struct Entry {
        let name: String
        fileprivate let method: Int
        fileprivate let packed: Int
        let size: Int
        fileprivate let checksum: UInt32
        fileprivate let offset: Int
    }

    /// Larger entries are not read.
    static let maxEntry = 256 << 20
    private static let maxEntries = 200_000
    private static let maxDirectory = 64 << 20

    let entries: [Entry]
    private let descriptor: CInt
    private let length: Int

    init(_ path: String) throws(LintFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LintFailure("it cannot be read: \(String(cString: strerror(errno)))") }
        do throws(LintFailure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw LintFailure("it is no file")
            }
            length = Int(status.st_size)
            entries = try Self.directory(descriptor, length)
            self.descriptor = descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private static func bytes(_ descriptor: CInt, _ offset: Int, _ count: Int) throws(LintFailure) -> [UInt8] {
        guard offset >= 0, count >= 0 else { throw LintFailure("the archive is cut off") }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { room in
                pread(descriptor, room.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw LintFailure("the archive is cut off") }
            done += got
        }
        return bytes
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int {
        bytes[at..<at + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func directory(_ descriptor: CInt, _ length: Int) throws(LintFailure) -> [Entry] {
        let tailLength = min(length, 22 + 0xFFFF)
        let tail = try bytes(descriptor, length - tailLength, tailLength)
        // The end of the directory, behind which a comment may stand.
        let place = stride(from: tail.count - 22, through: 0, by: -1).first {
            tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) && $0 + 22 + number(tail, $0 + 20, 2) == tail.count
        }
        guard let place else { throw LintFailure("it is no ZIP archive") }
        let (count, size, start) = (
            number(tail, place + 10, 2), number(tail, place + 12, 4), number(tail, place + 16, 4)
        )
        guard count != 0xFFFF, start != 0xFFFF_FFFF, count <= maxEntries, size <= maxDirectory,
            start + size <= length
        else { throw LintFailure("its directory is broken, or of ZIP64, which is not read") }
        let directory = try bytes(descriptor, start, size)
        var entries: [Entry] = []
        var names: Set<String> = []
        var at = 0
        for _ in 0..<count {
            guard at + 46 <= size, directory[at...].starts(with: [0x50, 0x4B, 1, 2]) else {
                throw LintFailure("its directory is cut off")
            }
            let (nameLength, rest) = (
                number(directory, at + 28, 2), number(directory, at + 30, 2) + number(directory, at + 32, 2)
            )
            guard at + 46 + nameLength + rest <= size else { throw LintFailure("its directory is cut off") }
            let name = String(decoding: directory[at + 46..<at + 46 + nameLength], as: UTF8.self)
            // Systems differ in which of two they take.
            guard names.insert(name).inserted else { throw LintFailure("it has two entries \(name)") }
            guard number(directory, at + 8, 2) & 1 == 0 else { throw LintFailure("\(name) is encrypted") }
            entries.append(
                Entry(
                    name: name, method: number(directory, at + 10, 2), packed: number(directory, at + 20, 4),
                    size: number(directory, at + 24, 4), checksum: UInt32(number(directory, at + 16, 4)),
                    offset: number(directory, at + 42, 4)))
            at += 46 + nameLength + rest
        }
        return entries
    }

    /// An entry's content.
    func read(_ entry: Entry) throws(LintFailure) -> [UInt8] {
        guard entry.size <= Self.maxEntry, entry.packed <= Self.maxEntry else {
            throw LintFailure("it is larger than \(Self.maxEntry >> 20) MiB")
        }
        let head = try Self.bytes(descriptor, entry.offset, 30)
        guard head.starts(with: [0x50, 0x4B, 3, 4]) else { throw LintFailure("its head is broken") }
        let start = entry.offset + 30 + Self.number(head, 26, 2) + Self.number(head, 28, 2)
        let packed = try Self.bytes(descriptor, start, entry.packed)
        let content: [UInt8]
        switch entry.method {
        case 0: content = packed
        case 8: content = try Self.inflated(packed, size: entry.size)
        default: throw LintFailure("it is packed by method \(entry.method), which is not read")
        }
        guard content.count == entry.size, crc32(0, content, UInt32(content.count)) == UInt(entry.checksum) else {
            throw LintFailure("its checksum does not fit")
        }
        return content
    }

    private static func inflated(_ packed: [UInt8], size: Int) throws(LintFailure) -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw LintFailure("zlib has no memory")
        }
        defer { inflateEnd(&stream) }
        var input = packed
        // One byte more, so that an entry that is longer than it says shows.
        var room = [UInt8](repeating: 0, count: size + 1)
        let result = input.withUnsafeMutableBufferPointer { input in
            room.withUnsafeMutableBufferPointer { room in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END, Int(stream.total_out) == size else { throw LintFailure("it cannot be unpacked") }
        room.removeLast()
        return room
    }
}
