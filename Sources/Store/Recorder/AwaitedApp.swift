import Dispatch
import Synchronization

/// The name of the program that sends a request, where that is still looked for when the exchange is handed over.
///
/// The recorder waits for it, so that neither the request nor its worker has to.
public final class AwaitedApp: Sendable {
    private let name = Mutex<String?>(nil)
    private let isKnown = DispatchSemaphore(value: 0)
    private let end: DispatchTime

    /// - Parameter milliseconds: after which the exchange is recorded without it.
    public init(within milliseconds: Int) { end = .now() + .milliseconds(milliseconds) }

    /// Called once; nil for a client that is no known program.
    public func finish(_ name: String?) {
        self.name.withLock { $0 = name }
        isKnown.signal()
    }

    /// Blocks until it is known.
    func wait() -> String? {
        // The next exchange of the same client waits for it, too.
        if isKnown.wait(timeout: end) == .success { isKnown.signal() }
        return name.withLock { $0 }
    }
}
