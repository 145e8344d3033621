import Admin
import Platform

/// Finds the running Shunt that a command means.
enum RunningShunt {
    /// The one at `--port`, else the only one that runs with the project's profiles.
    static func find(_ arguments: Arguments, _ project: Project) throws(CommandFailure) -> AdminRecord {
        let running = AdminFile(profilesDirectory: project.profilesDirectory).running()
        let wanted: UInt16?
        do throws(UsageError) { wanted = try arguments.port("port") } catch { throw .usage(error) }
        let place = Path.short(project.profilesDirectory)
        guard !running.isEmpty else {
            throw .failed("no Shunt runs with the profiles in \(place)", advice: "Start one with `shunt serve`.")
        }
        let ports = running.map { "\($0.port)" }.joined(separator: ", ")
        if let wanted {
            guard let record = running.first(where: { $0.port == wanted }) else {
                throw .failed(
                    "no Shunt with the profiles in \(place) listens on port \(wanted)", advice: "Running on: \(ports).")
            }
            return record
        }
        guard running.count == 1, let record = running.first else {
            throw .failed(
                "several Shunts run with the profiles in \(place)", advice: "Say which with --port: \(ports).")
        }
        return record
    }

    /// Fails unless the running Shunt has all these profiles; to be asked before anything is sent to one of them.
    static func check(_ names: [String], in running: AdminRecord) throws(CommandFailure) {
        let known: [String]
        do throws(AdminClientFailure) {
            known = try AdminClient(running).status().status.profiles.map(\.name)
        } catch {
            throw .asking(error)
        }
        for name in names where !known.contains(name) {
            let near = Nearest.match(name, in: known).map { "Did you mean “\($0)”? " } ?? ""
            throw .failed(
                "there is no profile “\(name)”", advice: near + "There are: \(known.joined(separator: ", ")).")
        }
    }

    /// The only one that runs with the project's profiles; nil if none or several do.
    static func only(_ project: Project) -> AdminRecord? {
        let running = AdminFile(profilesDirectory: project.profilesDirectory).running()
        return running.count == 1 ? running.first : nil
    }

    /// The active profile, if it responds.
    static func activeProfile(_ running: AdminRecord) -> String? { try? AdminClient(running).status().status.active }
}
