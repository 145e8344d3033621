import Platform

/// Wakes a thread that waits in poll(2); may be used from every thread.
final class ClusterWaker: Sendable {
    let reading: CInt
    private let writing: CInt

    init() {
        var ends: [CInt] = [-1, -1]
        // Without descriptors the wait ends by its time.
        _ = pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit { for end in [reading, writing] where end >= 0 { close(end) } }

    func wake() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Forgets that it was woken.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }

    /// Waits without a connection.
    func wait(milliseconds: Int) {
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, CInt(clamping: milliseconds))
    }
}
