import Admin
import Platform

/// What the files of a folder looked like, to see whether one was changed, added or removed.
struct FolderWatch: Sendable, Equatable {
    private struct Look: Sendable, Equatable {
        let inode: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64
    }

    private var looks: [String: Look] = [:]
    var files: [String] { Array(looks.keys) }

    /// - Parameters:
    ///   - directory: the folder; nil where only `others` count.
    ///   - others: paths of files elsewhere that count too, such as CAs that profiles name.
    init(_ directory: String?, _ others: [String] = []) {
        if let directory {
            let names = ((try? Files.names(in: directory)) ?? [])
            look(at: names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".json5") }.map { directory + "/" + $0 })
        }
        look(at: others)
    }

    /// Whether nothing but recordings differs.
    func differsByRecordings(from other: FolderWatch) -> Bool {
        Set(looks.keys).union(other.looks.keys).allSatisfy { path in
            looks[path] == other.looks[path] || path.hasSuffix(".har")
        }
    }

    /// Takes more files in, as they are now.
    mutating func look(at paths: [String]) {
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            looks[path] = Look(
                inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(time.tv_sec),
                nanoseconds: Int64(time.tv_nsec))
        }
    }
}
