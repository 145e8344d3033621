import CSystem
import Platform

extension Loop {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            shunt_crash_stack()
            body()
            shunt_crash_stack_free()
        }
    }

    /// Starts a detached thread of the system that runs `body` once.
    public static func startThread(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
        #if canImport(Glibc)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
                pthread_setname_np(pthread_self(), start.name)
                ignoreBrokenPipes()
                start.run()
                return nil
            }, start.toOpaque())
        #else
        var thread: pthread_t?
        let result = pthread_create(
            &thread, nil,
            { raw in
                let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
                pthread_setname_np(start.name)
                start.run()
                return nil
            }, start.toOpaque())
        #endif
        guard result == 0 else {
            start.release()
            throw SystemError("pthread_create", code: result)
        }
        #if canImport(Glibc)
        pthread_detach(thread)
        #else
        if let thread { pthread_detach(thread) }
        #endif
    }
}

#if canImport(Glibc)
/// Keeps a client that left from ending the process: sendfile(2) has no flag for it, as send(2) has.
private func ignoreBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
#endif
