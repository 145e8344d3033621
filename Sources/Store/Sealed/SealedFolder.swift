import Bytes
package import Platform

/// The name of a segment, which no later segment of the same store has.
struct SegmentName: Hashable, Comparable, Sendable {
    private static let digits = 19

    /// The number of the first exchange that can begin in it.
    let first: Int64
    /// How many segments before it begin with the same number, since nothing but earlier exchanges is in them.
    let turn: Int

    init(first: Int64, turn: Int = 0) { (self.first, self.turn) = (first, turn) }

    /// nil for the name of another file.
    init?(file name: String) {
        guard name.hasSuffix(".age") else { return nil }
        let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].utf8.count == Self.digits, let first = Int64(parts[0]) else { return nil }
        guard let turn = parts.count == 1 ? 0 : Int(parts[1]), parts.count == 1 || turn > 0 else { return nil }
        (self.first, self.turn) = (first, turn)
    }

    private var stem: String {
        let number = String(first)
        return String(repeating: "0", count: max(0, Self.digits - number.utf8.count)) + number
            + (turn == 0 ? "" : "-\(turn)")
    }

    var file: String { stem + ".age" }
    var tail: String { stem + ".tail.age" }
    var index: String { stem + ".index.age" }
    /// The file before its header is written.
    var begun: String { file + ".new" }

    static func < (one: SegmentName, other: SegmentName) -> Bool {
        (one.first, one.turn) < (other.first, other.turn)
    }
}

/// The names in the folder of a sealed store.
///
/// `NUMBER.age` is a segment, named after its first exchange (`NUMBER-2.age` where others have that one, too), and
/// `NUMBER.tail.age` what was recorded behind its last whole chunk; `NUMBER.index.age` says what is in a complete one.
/// `lock` has the number of the newest exchange; all else is sealed.
enum SealedFolder {

    static func lock(_ folder: String) -> String { folder + "/lock" }

    /// The segments in their order.
    static func segments(_ folder: String) -> [SegmentName] {
        ((try? Files.names(in: folder)) ?? []).compactMap { SegmentName(file: $0) }.sorted()
    }

    /// The name of a segment behind all others.
    static func next(_ folder: String, first: Int64) -> SegmentName {
        guard let last = segments(folder).last, last.first >= first else { return SegmentName(first: first) }
        return SegmentName(first: last.first, turn: last.turn + 1)
    }

    /// Whether a path is that of a sealed store.
    static func isSealed(_ path: String) -> Bool { Files.isDirectory(path) && Files.exists(lock(path)) }

    /// Bytes of a segment with its tail, and when it was changed, in microseconds since 1970.
    static func facts(_ folder: String, _ segment: SegmentName) -> (size: Int64, changed: Int64) {
        var sum: (size: Int64, changed: Int64) = (0, 0)
        for name in [segment.file, segment.tail] {
            var facts = stat()
            guard stat(folder + "/" + name, &facts) == 0 else { continue }
            sum.size += Int64(facts.st_size)
            sum.changed = max(sum.changed, facts.changedMicroseconds)
        }
        return sum
    }

    static func remove(_ folder: String, _ segment: SegmentName) {
        for name in [segment.file, segment.begun, segment.tail, segment.index] { unlink(folder + "/" + name) }
    }

    /// The number of the newest exchange, as its recorder noted it.
    static func newest(_ folder: String) -> Int64 {
        let text = (try? Files.read(lock(folder), limit: 64)) ?? []
        return Int64(String(decoding: text, as: UTF8.self).prefix { $0.isNumber }) ?? 0
    }

    /// Removes all that was recorded, which needs no identity, and returns the number of exchanges.
    ///
    /// A recorder notices it, and goes on in a new segment.
    static func clear(_ folder: String) -> Int64 {
        let segments = segments(folder)
        for segment in segments { remove(folder, segment) }
        return segments.first.map {
            UntrustedNumber(newest(folder)).minus(UntrustedNumber($0.first)).plus(1).clamped(to: 0...Int64.max)
        } ?? 0
    }
}

extension stat {
    #if canImport(Darwin)
    package var changedMicroseconds: Int64 {
        Self.microseconds(st_mtimespec)
    }
    #else
    package var changedMicroseconds: Int64 { Self.microseconds(st_mtim) }
    #endif

    private static func microseconds(_ time: timespec) -> Int64 {
        UntrustedNumber(time.tv_sec).times(1_000_000).plus(UntrustedNumber(time.tv_nsec / 1000)).clamped()
    }
}
