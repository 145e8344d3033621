#if os(Linux) && !SHUNT_KQUEUE
import CSystem
import Platform

/// epoll(7), edge-triggered: each descriptor is registered once, for reading and writing.
final class Poller {
    private static let wakeToken = UInt64.max
    private let epoll: CInt
    private let wakeUp: CInt
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init() throws(SystemError) {
        events = .allocate(capacity: 256)
        events.initialize(repeating: epoll_event())
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, wakeUp >= 0 else { throw .last("epoll_create1") }
        try add(wakeUp, token: Self.wakeToken)
    }

    deinit {
        events.deallocate()
        close(wakeUp)
        close(epoll)
    }

    func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        event.data.u64 = token
        if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0 { throw .last("epoll_ctl") }
    }

    func remove(_ descriptor: CInt) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Waits for events, at most for `nanoseconds` (nil: without end), and hands each one over.
    func wait(nanoseconds: UInt64?, _ handle: (PollerEvent) -> Void) {
        let count = wait(nanoseconds)
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            let token = event.data.u64
            if token == Self.wakeToken {
                var value: UInt64 = 0
                _ = read(wakeUp, &value, 8)
                continue
            }
            let bits = event.events
            let broken = bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
            let gone = broken || bits & EPOLLRDHUP.rawValue != 0
            handle(
                PollerEvent(
                    token: token, isReadable: bits & EPOLLIN.rawValue != 0 || gone,
                    isWritable: bits & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0,
                    isHungUp: gone, isBroken: broken, hasEndedWriting: false))
        }
    }

    /// Old kernels and some sandboxes lack epoll_pwait2, which takes nanoseconds.
    private var isCoarse = false

    private func wait(_ nanoseconds: UInt64?) -> CInt {
        if !isCoarse {
            let count = shunt_epoll_pwait2(
                epoll, events.baseAddress, CInt(events.count), Int64(clamping: nanoseconds ?? 0), nanoseconds == nil)
            if count >= 0 || errno != ENOSYS && errno != EPERM { return CInt(count) }
            isCoarse = true
        }
        // Rounded up: waking a millisecond early would only mean to sleep again.
        let milliseconds = nanoseconds.map { $0 == 0 ? 0 : CInt(clamping: $0 / 1_000_000 + 1) } ?? -1
        return epoll_wait(epoll, events.baseAddress, CInt(events.count), milliseconds)
    }

    /// Ends the current or the next wait.
    ///
    /// From any thread.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp, &one, 8)
    }
}
#endif
