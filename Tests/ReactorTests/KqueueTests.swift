#if canImport(Darwin) || SHUNT_KQUEUE
import Foundation
import Testing

#if SHUNT_KQUEUE
import CKqueue
import CSystem
#endif

/// What kqueue(2) reports: of macOS itself there, of Tests/Kqueue on Linux.
@Suite struct KqueueTests {
    /// What an event tells, without what only the kernel knows.
    private struct Report: Equatable, CustomStringConvertible {
        let filter: CInt
        let isEOF: Bool
        let hasError: Bool
        let description: String

        init(_ event: kevent) {
            (filter, isEOF) = (CInt(event.filter), event.flags & UInt16(EV_EOF) != 0)
            hasError = isEOF && event.fflags != 0
            let names = [EVFILT_READ: "read", EVFILT_WRITE: "write", EVFILT_USER: "user", EVFILT_TIMER: "timer"]
            description = (names[filter] ?? "?") + (isEOF ? " EOF" : "") + (hasError ? " error" : "")
        }
    }

    /// A queue with two connected sockets.
    private final class Scene {
        let queue = kqueue()
        var (own, peer): (CInt, CInt) = (-1, -1)

        init(_ domain: CInt) throws {
            if domain == AF_UNIX {
                var pair: [CInt] = [-1, -1]
                try #require(socketpair(AF_UNIX, Self.stream, 0, &pair) == 0)
                (own, peer) = (pair[0], pair[1])
                return
            }
            let listener = socket(AF_INET, Self.stream, 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (own, connected) = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                    _ = bind(listener, raw, size)
                    _ = listen(listener, 1)
                    _ = getsockname(listener, raw, &size)
                    let own = socket(AF_INET, Self.stream, 0)
                    return (own, connect(own, raw, size))
                }
            }
            try #require(connected == 0)
            (self.own, peer) = (own, accept(listener, nil, nil))
        }

        deinit { for descriptor in [queue, own, peer] where descriptor >= 0 { close(descriptor) } }

        #if canImport(Glibc)
        private static let stream = CInt(SOCK_STREAM.rawValue)
        #else
        private static let stream = SOCK_STREAM
        #endif

        func event(_ filter: CInt, _ flags: CInt, fflags: UInt32 = 0, data: Int = 0, ident: UInt? = nil) -> kevent {
            var event = kevent()
            (event.ident, event.filter) = (ident ?? UInt(own), Int16(filter))
            (event.flags, event.fflags, event.data) = (UInt16(flags), fflags, data)
            return event
        }

        /// 0, or why a change was refused.
        @discardableResult
        func change(_ events: kevent...) -> CInt {
            kevent(queue, events, CInt(events.count), nil, 0, nil) == 0 ? 0 : errno
        }

        /// What is reported, waiting for `seconds` at most for the first.
        func events(_ seconds: Int = 0, room: Int = 8) -> [kevent] {
            var found = Array(repeating: kevent(), count: room)
            var limit = timespec(tv_sec: seconds, tv_nsec: 0)
            let count = kevent(queue, nil, 0, &found, CInt(room), &limit)
            return Array(found.prefix(Int(max(count, 0))))
        }

        /// All that is reported until one of the reports is an end of reading, and one an end of writing if asked for.
        func ends(alsoWriting: Bool) -> [kevent] {
            var ends: [kevent] = []
            for _ in 0..<20 where ends.count < (alsoWriting ? 2 : 1) {
                ends += events(5).filter { $0.flags & UInt16(EV_EOF) != 0 }
            }
            return ends
        }

        func said(_ seconds: Int = 0) -> [String] { events(seconds).map { Report($0).description } }

        func send(_ text: String) { _ = write(peer, text, text.utf8.count) }

        func receive(_ count: Int) {
            var room = [UInt8](repeating: 0, count: count)
            _ = read(own, &room, count)
        }

        func closePeer(reset: Bool = false) {
            var lingering = linger(l_onoff: 1, l_linger: 0)
            if reset { setsockopt(peer, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size)) }
            close(peer)
            peer = -1
        }
    }

    private static let domains = [AF_INET, AF_UNIX]

    @Test(arguments: domains)
    func `what is there is reported until it is taken, and with EV_CLEAR once`(domain: CInt) throws {
        let scene = try Scene(domain)
        #expect(scene.change(scene.event(EVFILT_READ, EV_ADD)) == 0)
        #expect(scene.said().isEmpty)
        scene.send("hello")
        #expect(scene.events(5).map(\.data) == [5])
        scene.receive(2)
        #expect(scene.events().map(\.data) == [3])
        scene.receive(3)
        #expect(scene.said().isEmpty)
        #expect(scene.change(scene.event(EVFILT_READ, EV_DELETE)) == 0)
        scene.send("again")
        #expect(scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR)) == 0)
        #expect(scene.events(5).map(\.data) == [5])
        #expect(scene.said().isEmpty)
        scene.send("!")
        #expect(scene.events(5).map(\.data) == [6])
    }

    @Test(arguments: domains)
    func `reading does not report writing again`(domain: CInt) throws {
        let scene = try Scene(domain)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR), scene.event(EVFILT_WRITE, EV_ADD | EV_CLEAR))
        #expect(scene.said(5) == ["write"])
        scene.send("x")
        #expect(scene.said(5) == ["read"])
    }

    @Test(arguments: domains)
    func `the peer's end comes with what it has sent before`(domain: CInt) throws {
        let scene = try Scene(domain)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR))
        scene.send("last")
        shutdown(scene.peer, CInt(SHUT_WR))
        let ends = scene.ends(alsoWriting: false)
        #expect(ends.map(\.data) == [4])
        #expect(ends.map { Report($0).description } == ["read EOF"])
    }

    @Test(arguments: domains)
    func `this side's own end is the end of writing alone`(domain: CInt) throws {
        let scene = try Scene(domain)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR), scene.event(EVFILT_WRITE, EV_ADD | EV_CLEAR))
        #expect(scene.said(5) == ["write"])
        shutdown(scene.own, CInt(SHUT_WR))
        #expect(scene.said(5) == ["write EOF"])
        scene.send("still")
        // The acknowledgement may tell of the end once more.
        #expect(scene.said(5).filter { $0 != "write EOF" } == ["read"])
    }

    @Test func `a reset is the end of both with an error`() throws {
        let scene = try Scene(AF_INET)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR), scene.event(EVFILT_WRITE, EV_ADD | EV_CLEAR))
        #expect(scene.said(5) == ["write"])
        scene.closePeer(reset: true)
        #expect(
            Set(scene.ends(alsoWriting: true).map { Report($0).description }) == ["read EOF error", "write EOF error"])
    }

    @Test func `a peer of the same machine that goes is the end of both without an error`() throws {
        let scene = try Scene(AF_UNIX)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_CLEAR), scene.event(EVFILT_WRITE, EV_ADD | EV_CLEAR))
        #expect(scene.said(5) == ["write"])
        scene.closePeer()
        #expect(Set(scene.ends(alsoWriting: true).map { Report($0).description }) == ["read EOF", "write EOF"])
    }

    @Test func `an event for one time goes, and one that is handed out waits to be let in again`() throws {
        let scene = try Scene(AF_UNIX)
        scene.send("x")
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_ONESHOT))
        #expect(scene.said(5) == ["read"] && scene.said().isEmpty)
        #expect(scene.change(scene.event(EVFILT_READ, EV_DELETE)) == ENOENT)
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_DISPATCH))
        #expect(scene.said(5) == ["read"] && scene.said().isEmpty)
        #expect(scene.change(scene.event(EVFILT_READ, EV_ENABLE)) == 0)
        #expect(scene.said(5) == ["read"])
        scene.change(scene.event(EVFILT_READ, EV_DELETE))
        scene.change(scene.event(EVFILT_READ, EV_ADD | EV_DISABLE))
        #expect(scene.said().isEmpty)
        scene.change(scene.event(EVFILT_READ, EV_ENABLE))
        #expect(scene.said(5) == ["read"])
    }

    @Test func `a change that cannot be made is reported where there is room, and else ends the call`() throws {
        let scene = try Scene(AF_UNIX)
        scene.send("x")
        var room = Array(repeating: kevent(), count: 4)
        let changes = [
            scene.event(EVFILT_READ, EV_DELETE), scene.event(EVFILT_READ, EV_ADD | EV_RECEIPT),
            scene.event(EVFILT_READ, EV_ADD, ident: 9999),
        ]
        // Nothing else is reported by the same call.
        try #require(kevent(scene.queue, changes, 3, &room, 4, nil) == 3)
        #expect(room[..<3].allSatisfy { $0.flags & UInt16(EV_ERROR) != 0 })
        #expect(room[..<3].map(\.data) == [Int(ENOENT), 0, Int(EBADF)])
        #expect(scene.said(5) == ["read"])
        // What comes before the one that fails is done, and what comes after it is not.
        let failed = scene.change(
            scene.event(EVFILT_READ, EV_DELETE), scene.event(EVFILT_WRITE, EV_DELETE),
            scene.event(EVFILT_WRITE, EV_ADD))
        #expect(failed == ENOENT && scene.said().isEmpty)
        #expect(scene.change(scene.event(1, EV_ADD)) == EINVAL)
    }

    @Test func `a trigger is reported once with EV_CLEAR, with the flags and the number that it was given`() throws {
        let scene = try Scene(AF_UNIX)
        let id: UInt = 7
        #expect(scene.change(scene.event(EVFILT_USER, 0, fflags: UInt32(NOTE_TRIGGER), ident: id)) == ENOENT)
        scene.change(scene.event(EVFILT_USER, EV_ADD | EV_CLEAR, fflags: 1, ident: id))
        #expect(scene.said().isEmpty)
        scene.change(
            scene.event(EVFILT_USER, 0, fflags: UInt32(NOTE_TRIGGER) | UInt32(NOTE_FFOR) | 4, data: 9, ident: id))
        scene.change(scene.event(EVFILT_USER, 0, fflags: UInt32(NOTE_TRIGGER), data: 9, ident: id))
        let seen = scene.events(5)
        #expect(seen.map(\.fflags) == [5] && seen.map(\.data) == [9])
        #expect(scene.said().isEmpty)
        scene.change(scene.event(EVFILT_USER, EV_DELETE, ident: id))
        scene.change(scene.event(EVFILT_USER, EV_ADD, fflags: UInt32(NOTE_TRIGGER), ident: id))
        #expect(scene.said(5) == ["user"] && scene.said(5) == ["user"])
    }

    @Test func `a trigger of another thread ends a wait`() async throws {
        let queue = kqueue()
        defer { close(queue) }
        var user = kevent()
        (user.filter, user.flags) = (Int16(EVFILT_USER), UInt16(EV_ADD | EV_CLEAR))
        #expect(kevent(queue, &user, 1, nil, 0, nil) == 0)
        let waiter = Thread {
            var user = kevent()
            (user.filter, user.fflags) = (Int16(EVFILT_USER), UInt32(NOTE_TRIGGER))
            _ = kevent(queue, &user, 1, nil, 0, nil)
        }
        waiter.start()
        var event = kevent()
        #expect(kevent(queue, nil, 0, &event, 1, nil) == 1 && event.filter == Int16(EVFILT_USER))
    }

    @Test func `a timer counts how often it has gone off`() throws {
        let scene = try Scene(AF_UNIX)
        scene.change(scene.event(EVFILT_TIMER, EV_ADD, data: 1, ident: 3))
        #expect(scene.said(5) == ["timer"] && scene.said(5) == ["timer"])
        scene.change(scene.event(EVFILT_TIMER, EV_DELETE, ident: 3))
        scene.change(
            scene.event(EVFILT_TIMER, EV_ADD | EV_ONESHOT, fflags: UInt32(NOTE_USECONDS), data: 10, ident: 3))
        #expect(scene.events(5).map(\.data) == [1])
        #expect(scene.change(scene.event(EVFILT_TIMER, EV_DELETE, ident: 3)) == ENOENT)
    }

    @Test(arguments: [false, true])
    func `a descriptor that is closed takes its events along, also where another one means the same`(
        replaced: Bool
    ) throws {
        let scene = try Scene(AF_UNIX)
        let other = dup(scene.own)
        defer { close(other) }
        scene.change(scene.event(EVFILT_READ, EV_ADD))
        scene.send("x")
        #expect(scene.said(5) == ["read"])
        if replaced { dup2(scene.queue, scene.own) } else { close(scene.own) }
        #expect(scene.said().isEmpty)
        #expect(scene.change(scene.event(EVFILT_READ, EV_DELETE)) == ENOENT)
        if !replaced { scene.own = -1 }
    }
}
#endif
