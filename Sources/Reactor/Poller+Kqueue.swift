#if canImport(Darwin) || SHUNT_KQUEUE
import Platform

#if SHUNT_KQUEUE
import CKqueue
#endif

/// kqueue(2) with EV_CLEAR, which is edge-triggered: each descriptor is registered once, for reading and writing.
final class Poller {
    private let queue: CInt
    private let events: UnsafeMutableBufferPointer<kevent>

    init() throws(SystemError) {
        events = .allocate(capacity: 256)
        events.initialize(repeating: kevent())
        queue = kqueue()
        guard queue >= 0 else { throw .last("kqueue") }
        _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
        var user = kevent()
        user.filter = Int16(EVFILT_USER)
        user.flags = UInt16(EV_ADD | EV_CLEAR)
        if kevent(queue, &user, 1, nil, 0, nil) != 0 { throw .last("kevent") }
    }

    deinit {
        events.deallocate()
        close(queue)
    }

    func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
        var changes = [kevent(), kevent()]
        for (index, filter) in [EVFILT_READ, EVFILT_WRITE].enumerated() {
            changes[index].ident = UInt(descriptor)
            changes[index].filter = Int16(filter)
            changes[index].flags = UInt16(EV_ADD | EV_CLEAR)
            changes[index].udata = UnsafeMutableRawPointer(bitPattern: UInt(token))
        }
        if kevent(queue, &changes, 2, nil, 0, nil) != 0 { throw .last("kevent") }
    }

    func remove(_ descriptor: CInt) {
        var changes = [kevent(), kevent()]
        for (index, filter) in [EVFILT_READ, EVFILT_WRITE].enumerated() {
            changes[index].ident = UInt(descriptor)
            changes[index].filter = Int16(filter)
            changes[index].flags = UInt16(EV_DELETE)
        }
        _ = kevent(queue, &changes, 2, nil, 0, nil)
    }

    /// Waits for events, at most for `nanoseconds` (nil: without end), and hands each one over.
    func wait(nanoseconds: UInt64?, _ handle: (PollerEvent) -> Void) {
        let time = Int(clamping: nanoseconds ?? 0)
        var limit = timespec(tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000)
        let count = withUnsafePointer(to: &limit) {
            kevent(queue, nil, 0, events.baseAddress, CInt(events.count), nanoseconds == nil ? nil : $0)
        }
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.filter == Int16(EVFILT_USER) { continue }
            let (reads, isOver) = (event.filter == Int16(EVFILT_READ), event.flags & UInt16(EV_EOF) != 0)
            // The error of the socket: without one, the end of what is written may be this side's own.
            let isBroken = isOver && event.fflags != 0
            handle(
                PollerEvent(
                    token: UInt64(UInt(bitPattern: event.udata)), isReadable: reads || isBroken, isWritable: !reads,
                    isHungUp: isOver && reads || isBroken, isBroken: isBroken, hasEndedWriting: isOver && !reads))
        }
    }

    /// Ends the current or the next wait.
    ///
    /// From any thread.
    func wake() {
        var user = kevent()
        user.filter = Int16(EVFILT_USER)
        user.fflags = UInt32(NOTE_TRIGGER)
        _ = kevent(queue, &user, 1, nil, 0, nil)
    }
}
#endif
