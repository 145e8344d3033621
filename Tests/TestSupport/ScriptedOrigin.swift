import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A server for tests that does to each connection just what a script says, on a thread each.
public final class ScriptedOrigin: Sendable {
    public let port: UInt16
    private let listener: CInt
    private let failures = Mutex<[String]>([])
    private let accepted = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let hasClosed = DispatchSemaphore(value: 0)

    /// - Parameter script: gets the connection and its number, counted from 0; the connection closes when it returns.
    public init(_ script: @escaping @Sendable (RawConnection, Int) throws -> Void) {
        let listener = makeSocket()
        var one: CInt = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        _ = withLoopback(0) { bind(listener, $0, $1) }
        listen(listener, 128)
        self.listener = listener
        port = boundPort(listener)
        startThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0, !isStopped.load(ordering: .acquiring) else {
                    if descriptor >= 0 { systemClose(descriptor) }
                    // Here and nowhere else, or the next accept could be at a number that another listener has got.
                    systemClose(listener)
                    hasClosed.signal()
                    return
                }
                let number = accepted.add(1, ordering: .relaxed).oldValue
                let connection = RawConnection(descriptor)
                startThread { [self] in
                    do { try script(connection, number) } catch { failures.withLock { $0.append("\(error)") } }
                    connection.close()
                }
            }
        }
    }

    /// Connections that were accepted so far.
    public var connectionCount: Int { accepted.load(ordering: .relaxed) }

    /// What went wrong inside scripts.
    public var scriptFailures: [String] { failures.withLock { $0 } }

    /// Accepts no more.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        shutdown(listener, CInt(SHUT_RDWR))
        // Where shutdown does not end a listener's wait, a connection does.
        _ = try? RawConnection.connect(port)
        hasClosed.wait()
    }

    /// A port where nobody listens, nor can: it is taken for as long as the tests run.
    public static func closedPort() -> UInt16 {
        let descriptor = makeSocket()
        _ = withLoopback(0) { bind(descriptor, $0, $1) }
        return boundPort(descriptor)
    }
}

/// A port where connecting neither succeeds nor fails: its queue is full and nobody accepts.
public final class FullListener {
    public let port: UInt16
    private let descriptors: [CInt]

    public init() {
        let listener = makeSocket()
        _ = withLoopback(0) { bind(listener, $0, $1) }
        listen(listener, 0)
        let port = boundPort(listener)
        descriptors =
            [listener]
            + (0..<4).map { _ in
                let descriptor = makeSocket()
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                _ = withLoopback(port) { systemConnect(descriptor, $0, $1) }
                return descriptor
            }
        self.port = port
    }

    deinit { for descriptor in descriptors { systemClose(descriptor) } }
}

private func boundPort(_ descriptor: CInt) -> UInt16 {
    var bound = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &bound) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: bound.sin_port)
}

/// Runs `body` on a thread of its own, for what blocks must not run on Swift's pool.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Glibc)
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { raw in
            if let raw { Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body() }
            return nil
        }, box)
    pthread_detach(thread)
    #else
    var thread: pthread_t?
    pthread_create(
        &thread, nil,
        { raw in
            Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
            return nil
        }, box)
    if let thread { pthread_detach(thread) }
    #endif
}

/// Runs what blocks on a thread of its own and waits for it.
public func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}
