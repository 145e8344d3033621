import Reactor
import Synchronization

/// Tells browsers when one of the files changes that a route has sent.
///
/// The files are looked at again and again while a browser listens: that works on every system and every file system,
/// and nothing happens while none does.
final class ReloadWatch: Sendable {
    /// Between two looks.
    private static let interval = 250
    /// Files that are looked at; a page has fewer.
    private static let maxFiles = 2000
    private static let maxListeners = 64

    private struct State {
        var files: [[UInt8]: OpenFile.State] = [:]
        var listeners = 0
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

    /// Events for one browser, made on a thread of their own; nil where there are too many listeners.
    func listen() -> HandledStream? {
        let isFree = state.withLock { state in
            guard state.listeners < Self.maxListeners else { return false }
            state.listeners += 1
            return true
        }
        guard isFree else { return nil }
        let stream = HandledStream(isEndless: true)
        do throws(SystemError) {
            try Loop.startThread(name: "reload") { [self] in
                watch(stream)
                stream.finish()
                state.withLock { $0.listeners -= 1 }
            }
            return stream
        } catch {
            state.withLock { $0.listeners -= 1 }
            return nil
        }
    }

    private func watch(_ stream: HandledStream) {
        // The first bytes show the browser that the connection works.
        guard stream.send(Array(": reloads when a file changes\n\n".utf8)) else { return }
        var known = state.withLock { $0.files }
        var hasChanged = false
        while stream.pause(milliseconds: Self.interval) {
            let isChanging = takeChanges(into: &known)
            if isChanging {
                hasChanged = true
            } else if hasChanged {
                // A build tool writes many files: this was the last of them.
                guard stream.send(Array("event: reload\ndata:\n\n".utf8)) else { return }
                hasChanged = false
            }
        }
    }

    /// Whether a file differs from what was sent; a file that is missing is looked for again later.
    private func takeChanges(into known: inout [[UInt8]: OpenFile.State]) -> Bool {
        var isChanging = false
        for (name, sent) in state.withLock({ $0.files }) {
            guard let now = folder.open(name)?.state else { continue }
            if known[name] ?? sent != now {
                isChanging = true
                // Pages that did not ask for it since are not to be reloaded for it once more.
                note(name, now)
            }
            known[name] = now
        }
        return isChanging
    }
}
