import Bytes
package import Platform

/// The name of a segment, which no later segment of the same store has.
struct SegmentName: Hashable, Comparable, Sendable {
    private static let digits = 19

    /// The number of its first frame.
    let number: Int64
    /// The number of the first exchange that can begin in it.
    let first: Int64

    init(number: Int64, first: Int64) { (self.number, self.first) = (number, first) }

    /// nil for the name of another file.
    init?(file name: String) {
        guard name.hasSuffix(".age") else { return nil }
        let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == Self.digits }), let number = Int64(parts[0]),
            let first = Int64(parts[1])
        else { return nil }
        (self.number, self.first) = (number, first)
    }

    private var stem: String {
        [number, first].map { number in
            let text = String(number)
            return String(repeating: "0", count: max(0, Self.digits - text.utf8.count)) + text
        }.joined(separator: "-")
    }

    var file: String { stem + ".age" }
    var tail: String { stem + ".tail.age" }
    var index: String { stem + ".index.age" }
    /// The file before its header is written.
    var begun: String { file + ".new" }

    static func < (one: SegmentName, other: SegmentName) -> Bool { one.number < other.number }
}

/// The names in the folder of a sealed store.
///
/// `FRAME-EXCHANGE.age` is a segment, named after its first frame, whose number always advances, and the first exchange
/// that can begin in it. `FRAME-EXCHANGE.tail.age` is what was recorded behind its last whole chunk;
/// `FRAME-EXCHANGE.index.age` says what is in a complete one. `lock` has the numbers of the newest exchange and frame; all
/// else is sealed.
enum SealedFolder {
    static func lock(_ folder: String) -> String { folder + "/lock" }

    /// The segments in their order.
    static func segments(_ folder: String) -> [SegmentName] {
        ((try? Files.names(in: folder)) ?? []).compactMap { SegmentName(file: $0) }.sorted()
    }

    /// Throws if the folder has segments in the form of an earlier Shunt.
    static func check(_ folder: String) throws(StoreFailure) {
        let names = (try? Files.names(in: folder)) ?? []
        let isEarlier = names.contains { name in
            name.hasSuffix(".age") && SegmentName(file: name) == nil
                && name.dropLast(4).allSatisfy { $0.isNumber || $0 == "-" }
        }
        guard !isEarlier else {
            throw StoreFailure(
                .earlierVersion, path: folder,
                "written by an earlier Shunt; `shunt serve --seal` sets it aside, or use that Shunt")
        }
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

    /// The numbers of the newest exchange and of the newest frame, as their recorder noted them.
    static func newest(_ folder: String) -> (exchange: Int64, frame: Int64) {
        let text = String(decoding: (try? Files.read(lock(folder), limit: 64)) ?? [], as: UTF8.self)
        let numbers = text.split { !$0.isNumber }.map { Int64($0) ?? 0 }
        return (numbers.first ?? 0, numbers.dropFirst().first ?? 0)
    }

    /// Removes all that was recorded, which needs no identity, and returns the number of exchanges.
    ///
    /// A recorder notices it, and goes on in a new segment.
    static func clear(_ folder: String) -> Int64 {
        let segments = segments(folder)
        for segment in segments { remove(folder, segment) }
        return segments.first.map {
            UntrustedNumber(newest(folder).exchange).minus(UntrustedNumber($0.first)).plus(1).clamped(to: 0...Int64.max)
        } ?? 0
    }
}

extension stat {
    #if canImport(Darwin)
    package var changedMicroseconds: Int64 { Self.microseconds(st_mtimespec) }
    #else
    package var changedMicroseconds: Int64 { Self.microseconds(st_mtim) }
    #endif

    private static func microseconds(_ time: timespec) -> Int64 {
        UntrustedNumber(time.tv_sec).times(1_000_000).plus(UntrustedNumber(time.tv_nsec / 1000)).clamped()
    }
}
