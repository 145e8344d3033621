import Admin
import JSON
import Platform

/// Restores the files by which commands find this Shunt after they were deleted.
final class FolderKeeper: Sendable {
    private let file: AdminFile
    let record: AdminRecord
    /// nil where this Shunt is in no list.
    private let everyRunning: RunningList?
    private let announcer: Announcer

    init(_ file: AdminFile, _ record: AdminRecord, _ everyRunning: RunningList?, _ announcer: Announcer) {
        (self.file, self.record, self.everyRunning, self.announcer) = (file, record, everyRunning, announcer)
    }

    /// Lets commands in other folders find this Shunt; without that it serves nonetheless.
    func list() {
        do throws(FileFailure) {
            try everyRunning?.add(record)
        } catch {
            let text = "`shunt ps` and commands in other folders do not find this Shunt: \(error)"
            announcer.warn("problem", text) { $0.member("message", text) }
        }
    }

    /// Not for a project that was deleted, which commands could not use.
    private func restoreEntry() {
        guard let everyRunning, !everyRunning.contains(record),
            Files.isDirectory(Path.directory(of: record.profilesDirectory))
        else { return }
        try? everyRunning.add(record)
    }

    func unlist() { everyRunning?.remove(pid: record.pid) }

    /// Looks twice a second until the task is cancelled.
    func watch() async {
        var failed = ""
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(500))
            guard !Task.isCancelled else { return }
            restoreEntry()
            failed = keep(failed)
        }
    }

    /// - Parameter failed: the error that was reported last.
    /// - Returns: why it failed; empty if everything is there.
    private func keep(_ failed: String) -> String {
        let missing = file.missing(port: record.port)
        guard !missing.isEmpty else { return "" }
        do throws(FileFailure) {
            try file.write(record)
            let names = missing.map { Path.short($0) }
            let deed = names.count == 1 ? "was deleted and is" : "were deleted and are"
            announcer.warn("restored", "\(names.joined(separator: " and ")) \(deed) made anew") {
                $0.member("files", names)
            }
            return ""
        } catch {
            let text = "\(error)"
            guard text != failed else { return failed }
            announcer.warn("problem", "commands do not find this Shunt any more: \(text)") {
                $0.member("message", text)
            }
            return text
        }
    }
}
