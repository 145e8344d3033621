import Platform
import Synchronization

/// A folder by its path, or one file, from which files are opened that lie within it, and no others.
///
/// A folder that takes another one's place counts at once, as a build tool puts it there.
public final class Folder: Sendable {
    /// The directory that the path meant when it was last looked at.
    final class Root: Sendable {
        let descriptor: CInt
        let device: UInt64
        let inode: UInt64

        init(_ descriptor: CInt, _ status: borrowing stat) {
            self.descriptor = descriptor
            (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        }

        deinit { SystemCall.close(descriptor) }
    }

    /// Files that are kept open.
    private static let maxKept = 128

    public let path: String
    private let root = Mutex<Root?>(nil)
    private let kept = Mutex(Kept())

    /// What was opened lately.
    private struct Kept {
        struct Entry {
            let file: OpenFile
            /// It was asked for since the last sweep.
            var isInUse = true
        }

        var files: [[UInt8]: Entry] = [:]
        /// A thread lets go of what is not used any more.
        var isSwept = false

        mutating func file(_ name: [UInt8]) -> OpenFile? {
            guard let at = files.index(forKey: name) else { return nil }
            files.values[at].isInUse = true
            return files.values[at].file
        }
    }

    private let sweepsByItself: Bool

    /// - Parameter sweepsByItself: files that are not used are closed without a call of ``sweep(all:)``.
    public init(_ path: String, sweepsByItself: Bool = true) {
        self.path = path
        self.sweepsByItself = sweepsByItself
    }

    /// Opens what lies at a path below the folder; nil where there is nothing that may be read.
    ///
    /// Symbolic links are followed as long as they stay within the folder. FIFOs and devices are not waited for, and
    /// are nothing. Where the folder's own path is a file, every path is that file.
    /// - Parameter name: without a `/` at either end and without a zero; empty for the folder itself.
    public func open(_ name: [UInt8]) -> OpenFile? {
        if let known = kept.withLock({ $0.file(name) }) {
            // It was opened in a safe way; if it is still what stands there, how the path leads to it does not matter.
            if isStill(known, at: name) { return known }
            kept.withLock { $0.files[name] = nil }
        }
        guard let file = openAnew(name) else { return nil }
        guard !file.isFolder, !file.isRoot else { return file }
        let hasSweeper = kept.withLock { kept in
            if kept.files.count >= Self.maxKept { kept.files.removeAll(keepingCapacity: true) }
            kept.files[name] = Kept.Entry(file: file)
            defer { kept.isSwept = true }
            return kept.isSwept || !sweepsByItself
        }
        if !hasSweeper { startSweeping() }
        return file
    }

    /// Closes the files that no request has used since the last call, or all of them; false if none is open any more.
    ///
    /// A file that was deleted would take its space for as long as it is open.
    package func sweep(all: Bool = false) -> Bool {
        kept.withLock { kept in
            kept.files = all ? [:] : kept.files.filter { $0.value.isInUse }
            for at in kept.files.values.indices { kept.files.values[at].isInUse = false }
            if kept.files.isEmpty {
                kept.isSwept = false
                root.withLock { $0 = nil }
            }
            return kept.isSwept
        }
    }

    /// Sweeps once a second for as long as files are open.
    private func startSweeping() {
        do throws(SystemError) {
            try Loop.startThread(name: "folder") { [weak self] in
                repeat { sleep(1) } while self?.sweep() == true
            }
        } catch {
            _ = sweep(all: true)
        }
    }

    /// One look at the path instead of opening and closing.
    private func isStill(_ file: OpenFile, at name: [UInt8]) -> Bool { state(of: name) == file.state }

    /// The state of what stands at a path that was opened before; nil for nothing.
    public func state(of name: [UInt8]) -> OpenFile.State? {
        var status = stat()
        let isThere = withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.utf8.count + name.count + 2) {
            var count = 0
            for byte in path.utf8 {
                $0[count] = CChar(bitPattern: byte)
                count += 1
            }
            $0[count] = 0x2F
            for (at, byte) in name.enumerated() { $0[count + 1 + at] = CChar(bitPattern: byte) }
            $0[count + 1 + name.count] = 0
            return $0.baseAddress.map { stat($0, &status) == 0 } ?? false
        }
        if isThere { return OpenFile.State(status) }
        // Where the folder's own path is a file, every path is that file.
        guard errno == ENOTDIR, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return OpenFile.State(status)
    }

    private func openAnew(_ name: [UInt8]) -> OpenFile? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFDIR else { return OpenFile.open(path) }
        guard let root = current(status) else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 2) { memory in
            for (at, byte) in name.enumerated() { memory[at] = CChar(bitPattern: byte) }
            if name.isEmpty { memory[0] = 0x2E }
            memory[max(name.count, 1)] = 0
            guard let base = memory.baseAddress else { return nil }
            return root.open(UnsafePointer(base))
        }
    }

    /// The directory that is there now, kept open: as long as it is, no other one has its number.
    private func current(_ status: borrowing stat) -> Root? {
        let (device, inode) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
        if let known = root.withLock({ $0 }), known.device == device, known.inode == inode { return known }
        let descriptor = Platform.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            SystemCall.close(descriptor)
            return nil
        }
        let new = Root(descriptor, status)
        root.withLock { $0 = new }
        return new
    }
}

extension OpenFile {
    static let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY

    fileprivate static func open(_ path: String) -> OpenFile? {
        let descriptor = Platform.open(path, flags)
        return descriptor >= 0 ? OpenFile(descriptor, isRoot: true) : nil
    }
}
