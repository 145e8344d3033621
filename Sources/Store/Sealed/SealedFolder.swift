package import Platform

/// The names in the folder of a sealed store.
///
/// `NUMBER.age` is a segment, named after its first exchange, and `NUMBER.tail.age` what was recorded behind its last
/// whole chunk; `NUMBER.index.age` says what is in a complete one. `lock` has the number of the newest exchange; all else is sealed.
enum SealedFolder {
    private static let digits = 19

    static func name(_ first: Int64) -> String {
        let number = String(first)
        return String(repeating: "0", count: max(0, digits - number.utf8.count)) + number + ".age"
    }

    static func tail(of name: String) -> String { name.dropLast(4) + ".tail.age" }

    /// The name of a segment before its header is written.
    static func begun(_ name: String) -> String { name + ".new" }

    static func index(of name: String) -> String { name.dropLast(4) + ".index.age" }

    static func lock(_ folder: String) -> String { folder + "/lock" }

    /// The first exchanges of the segments, in their order.
    static func segments(_ folder: String) -> [Int64] {
        ((try? Files.names(in: folder)) ?? []).compactMap { name in
            guard name.hasSuffix(".age"), name.utf8.count == digits + 4 else { return nil }
            return Int64(name.dropLast(4))
        }.sorted()
    }

    /// Whether a path is that of a sealed store.
    static func isSealed(_ path: String) -> Bool { Files.isDirectory(path) && Files.exists(lock(path)) }

    /// Bytes of a segment with its tail, and when it was changed, in microseconds since 1970.
    static func facts(_ folder: String, _ first: Int64) -> (size: Int64, changed: Int64) {
        var sum: (size: Int64, changed: Int64) = (0, 0)
        for name in [name(first), tail(of: name(first))] {
            var facts = stat()
            guard stat(folder + "/" + name, &facts) == 0 else { continue }
            sum.size += Int64(facts.st_size)
            sum.changed = max(sum.changed, facts.changedMicroseconds)
        }
        return sum
    }

    static func remove(_ folder: String, _ first: Int64) {
        unlink(folder + "/" + name(first))
        unlink(folder + "/" + begun(name(first)))
        unlink(folder + "/" + tail(of: name(first)))
        unlink(folder + "/" + index(of: name(first)))
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
        for first in segments { remove(folder, first) }
        return segments.first.map { max(0, newest(folder) - $0 + 1) } ?? 0
    }
}

extension stat {
    #if canImport(Darwin)
    package var changedMicroseconds: Int64 {
        Int64(st_mtimespec.tv_sec) * 1_000_000 + Int64(st_mtimespec.tv_nsec) / 1000
    }
    #else
    package var changedMicroseconds: Int64 { Int64(st_mtim.tv_sec) * 1_000_000 + Int64(st_mtim.tv_nsec) / 1000 }
    #endif
}
