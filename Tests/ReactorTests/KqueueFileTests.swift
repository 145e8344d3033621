#if canImport(Darwin) || SHUNT_KQUEUE
import Platform
import TestSupport
import Testing

#if SHUNT_KQUEUE
import CKqueue
import CSystem
#endif

/// What EVFILT_VNODE reports of files and folders: of macOS itself there, of Tests/Kqueue on Linux.
@Suite struct KqueueFileTests {
    /// A queue and a folder with `file`, `other` and the folder `sub`, which has `inner`.
    private final class Scene {
        let queue = kqueue()
        let folder: TemporaryFolder
        private var descriptors: [CInt] = []

        init() throws {
            folder = try TemporaryFolder()
            for name in ["file", "other", "sub/inner"] { try folder.write(name, "text") }
            try #require(mkdir(folder.path + "/empty", 0o700) == 0)
        }

        deinit { for descriptor in descriptors + [queue] { close(descriptor) } }

        /// Watches what a path names; the descriptor.
        func watch(_ path: String, for fflags: CInt = Scene.all, _ flags: CInt = EV_CLEAR) throws -> CInt {
            let descriptor = open(path == "" ? folder.path : folder.path + "/" + path, O_EVTONLY)
            try #require(descriptor >= 0)
            descriptors.append(descriptor)
            var change = kevent()
            (change.ident, change.filter) = (UInt(descriptor), Int16(EVFILT_VNODE))
            (change.flags, change.fflags) = (UInt16(EV_ADD | flags), UInt32(fflags))
            try #require(kevent(queue, &change, 1, nil, 0, nil) == 0)
            return descriptor
        }

        func unwatch(_ descriptor: CInt) {
            descriptors.removeAll { $0 == descriptor }
            close(descriptor)
        }

        /// What is reported of each descriptor, at once, since changes are made before they are asked for.
        func news() -> [CInt: CInt] {
            var found = Array(repeating: kevent(), count: 8)
            var now = timespec()
            let count = kevent(queue, nil, 0, &found, 8, &now)
            let news = found.prefix(Int(max(count, 0))).map { (CInt($0.ident), CInt($0.fflags)) }
            return Dictionary(news) { $0 | $1 }
        }

        static let all = NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let watched: String
        let expected: CInt
        let make: @Sendable (String) -> CInt
    }

    private static func append(_ path: String) -> CInt {
        let file = open(path, O_WRONLY | O_APPEND)
        _ = write(file, " ", 1)
        return close(file)
    }

    private static let changes = [
        Change(testDescription: "a file is written", watched: "file", expected: NOTE_WRITE) { append($0 + "/file") },
        Change(testDescription: "a file is written under another name", watched: "file", expected: NOTE_WRITE) {
            folder in
            _ = link(folder + "/file", folder + "/second")
            return append(folder + "/second")
        },
        Change(testDescription: "a file is removed", watched: "file", expected: NOTE_DELETE) { unlink($0 + "/file") },
        Change(testDescription: "a file is replaced", watched: "file", expected: NOTE_DELETE) {
            rename($0 + "/other", $0 + "/file")
        },
        Change(testDescription: "a file is moved", watched: "file", expected: NOTE_RENAME) {
            rename($0 + "/file", $0 + "/sub/file")
        },
        Change(testDescription: "the mode of a file changes", watched: "file", expected: NOTE_ATTRIB) {
            chmod($0 + "/file", 0o640)
        },
        Change(testDescription: "a folder gets a file", watched: "sub", expected: NOTE_WRITE) {
            close(open($0 + "/sub/new", O_CREAT | O_WRONLY, 0o600))
        },
        Change(testDescription: "a folder loses a file", watched: "sub", expected: NOTE_WRITE) {
            unlink($0 + "/sub/inner")
        },
        Change(testDescription: "a folder is removed", watched: "empty", expected: NOTE_DELETE) {
            rmdir($0 + "/empty")
        },
        Change(testDescription: "a folder is moved, and then removed", watched: "empty", expected: NOTE_DELETE) {
            folder in
            _ = rename(folder + "/empty", folder + "/sub/empty")
            return rmdir(folder + "/sub/empty")
        },
        Change(testDescription: "a folder is moved", watched: "sub", expected: NOTE_RENAME) {
            rename($0 + "/sub", $0 + "/away")
        },
    ]

    @Test(arguments: changes)
    func `each kind of change is reported, once with EV_CLEAR`(_ change: Change) throws {
        let scene = try Scene()
        let descriptor = try scene.watch(change.watched)
        #expect(scene.news().isEmpty)
        #expect(change.make(scene.folder.path) == 0)
        let news = scene.news()
        #expect(Array(news.keys) == [descriptor] && (news[descriptor] ?? 0) & change.expected == change.expected)
        #expect(scene.news().isEmpty)
    }

    @Test func `what was not asked for, and what happens to a neighbour, is not reported`() throws {
        let scene = try Scene()
        _ = try scene.watch("file", for: NOTE_DELETE)
        _ = try scene.watch("empty")
        _ = try scene.watch("sub", for: NOTE_RENAME)
        #expect(Self.append(scene.folder.path + "/file") == 0 && unlink(scene.folder.path + "/other") == 0)
        #expect(unlink(scene.folder.path + "/sub/inner") == 0)
        #expect(scene.news().isEmpty)
    }

    @Test func `each descriptor of a file is told, until it is closed`() throws {
        let scene = try Scene()
        let (first, second) = (try scene.watch("file"), try scene.watch("file"))
        #expect(Self.append(scene.folder.path + "/file") == 0)
        #expect(Set(scene.news().keys) == [first, second])
        scene.unwatch(first)
        #expect(Self.append(scene.folder.path + "/file") == 0)
        #expect(Set(scene.news().keys) == [second])
        scene.unwatch(second)
        #expect(Self.append(scene.folder.path + "/file") == 0)
        #expect(scene.news().isEmpty)
    }

    @Test func `without EV_CLEAR what has happened is reported again`() throws {
        let scene = try Scene()
        let descriptor = try scene.watch("file", for: NOTE_WRITE | NOTE_ATTRIB, 0)
        #expect(Self.append(scene.folder.path + "/file") == 0)
        #expect(scene.news() == [descriptor: NOTE_WRITE])
        #expect(chmod(scene.folder.path + "/file", 0o640) == 0)
        #expect(scene.news() == [descriptor: NOTE_WRITE | NOTE_ATTRIB])
    }
}
#endif
