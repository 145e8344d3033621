import Platform
import Reactor
import Testing

@Suite struct FileNoticesTests {
    private let folder: String

    init() throws { folder = try Files.makeTemporaryDirectory(named: "notices") }

    private func write(_ name: String, _ text: String = "text") throws {
        try Files.write(Array(text.utf8), to: folder + "/" + name, mode: 0o600)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (String) -> CInt
    }

    private static let changes = [
        Change(testDescription: "a file is made") { close(open($0 + "/new.json", O_CREAT | O_WRONLY, 0o600)) },
        Change(testDescription: "a file is written in place") { folder in
            let file = open(folder + "/old.json", O_WRONLY | O_APPEND)
            _ = Platform.write(file, " ", 1)
            return close(file)
        },
        Change(testDescription: "a recording grows that stays open") { folder in
            let file = open(folder + "/one.har", O_WRONLY | O_APPEND)
            _ = Platform.write(file, " ", 1)
            return file < 0 ? -1 : 0
        },
        Change(testDescription: "a file is replaced") { rename($0 + "/spare.json", $0 + "/old.json") },
        Change(testDescription: "a file is removed") { unlink($0 + "/old.json") },
        Change(testDescription: "the mode of a file changes") { chmod($0 + "/old.json", 0o644) },
        Change(testDescription: "the target of a link elsewhere is written") { folder in
            let file = open(folder + "/elsewhere/target.json", O_WRONLY | O_APPEND)
            _ = Platform.write(file, " ", 1)
            return close(file)
        },
        Change(testDescription: "a link to a folder leads elsewhere") { folder in
            _ = symlink(".", folder + "/outer/spare")
            return rename(folder + "/outer/spare", folder + "/outer/linked")
        },
        Change(testDescription: "the folder is moved away") { rename($0, $0 + ".moved") },
    ]

    @Test(.timeLimit(.minutes(1)), arguments: changes)
    func `each kind of change is told of`(_ change: Change) async throws {
        try write("old.json")
        try write("spare.json")
        try write("one.har")
        try Files.makeDirectory(folder + "/elsewhere", mode: 0o700)
        try write("elsewhere/target.json")
        #expect(symlink("elsewhere/target.json", folder + "/link.json") == 0)
        try Files.makeDirectory(folder + "/outer", mode: 0o700)
        #expect(symlink("../elsewhere", folder + "/outer/linked") == 0)
        let notices = FileNotices(pause: -1)
        defer { notices.end() }
        let paths = ["", "/old.json", "/spare.json", "/one.har", "/link.json", "/outer/linked"].map { folder + $0 }
        var changes = notices.changes.makeAsyncIterator()
        await changes.next()
        notices.watch(paths)
        // They are watched for the first time.
        await changes.next()
        notices.watch(paths)
        #expect(change.make(folder) == 0)
        await changes.next()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a folder is told of that appears, goes and appears again`() async throws {
        let notices = FileNotices(pause: -1)
        defer { notices.end() }
        let inner = folder + "/Profiles"
        var changes = notices.changes.makeAsyncIterator()
        notices.watch([inner])
        await changes.next()
        for _ in 0..<2 {
            try Files.makeDirectory(inner, mode: 0o700)
            repeat { await changes.next() } while !Files.isDirectory(inner)
            notices.watch([inner])
            await changes.next()
            #expect(rmdir(inner) == 0)
            repeat { await changes.next() } while Files.isDirectory(inner)
            notices.watch([inner])
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `elements come without a change only where they are asked for, and end`() async {
        let notices = FileNotices(pause: -1)
        notices.watch([folder], often: true)
        var count = 0
        for await _ in notices.changes {
            count += 1
            // One that was waiting already may follow.
            if count >= 4 { notices.end() }
        }
        #expect(count >= 4)
    }
}
