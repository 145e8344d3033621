import Platform
import Reactor
import Synchronization

/// Tells browsers when one of the files changes that a route has sent.
///
/// The files are looked at again and again while a browser listens, by one thread for all browsers: that works on every
/// system and every file system, and nothing happens while none does.
final class ReloadWatch: Sendable {
    /// Microseconds between two looks.
    private static let interval: UInt32 = 250_000
    /// Files that are looked at; a page has fewer.
    private static let maxFiles = 2000
    private static let maxListeners = 64
    /// Bytes of events that a browser may leave unread.
    private static let maxWaiting = 4096

    private struct State {
        var files: [[UInt8]: OpenFile.State] = [:]
        var listeners: [HandledStream] = []
        /// The thread runs.
        var isWatched = false
    }

    private let folder: Folder
    private let state = Mutex(State())

    init(_ folder: Folder) { self.folder = folder }

    /// A file was sent in that state.
    func note(_ name: [UInt8], _ file: OpenFile.State) {
        state.withLock { state in
            guard state.files.count < Self.maxFiles || state.files[name] != nil else { return }
            state.files[name] = file
        }
    }

    /// Events for one browser; nil where there are too many listeners.
    func listen() -> HandledStream? {
        let stream = HandledStream(isEndless: true)
        let hasThread: Bool? = state.withLock { state in
            state.listeners.removeAll(where: \.isCancelled)
            guard state.listeners.count < Self.maxListeners else { return nil }
            state.listeners.append(stream)
            defer { state.isWatched = true }
            return state.isWatched
        }
        guard let hasThread else { return nil }
        // The first bytes show the browser that the connection works.
        _ = stream.send(Array(": reloads when a file changes\n\n".utf8))
        guard !hasThread else { return stream }
        do throws(SystemError) {
            try Loop.startThread(name: "reload") { [self] in watch() }
            return stream
        } catch {
            state.withLock { ($0.listeners, $0.isWatched) = ([], false) }
            return nil
        }
    }

    private func watch() {
        var known: [[UInt8]: OpenFile.State] = [:]
        var hasChanged = false
        while true {
            let (files, listeners) = state.withLock { state in
                state.listeners.removeAll(where: \.isCancelled)
                state.isWatched = !state.listeners.isEmpty
                return (state.files, state.listeners)
            }
            if listeners.isEmpty { return }
            let isChanging = takeChanges(of: files, into: &known)
            if isChanging {
                hasChanged = true
            } else if hasChanged {
                // A build tool writes many files: this was the last of them. A browser that reads nothing must not hold
                // the thread.
                for listener in listeners where listener.waitingCount < Self.maxWaiting {
                    _ = listener.send(Array("event: reload\ndata:\n\n".utf8))
                }
                hasChanged = false
            }
            usleep(Self.interval)
        }
    }

    /// Whether a file differs from what was sent, or from the last look; a file that is missing is looked for again.
    private func takeChanges(
        of files: [[UInt8]: OpenFile.State], into known: inout [[UInt8]: OpenFile.State]
    ) -> Bool {
        var isChanging = false
        for (name, sent) in files {
            guard let now = folder.state(of: name) else { continue }
            if known[name] ?? sent != now {
                isChanging = true
                // Pages that do not ask for it again are not to be reloaded for it once more.
                note(name, now)
            }
            known[name] = now
        }
        return isChanging
    }
}
