import Profiles

/// Whether the profiles of a running Shunt still load; where they do not, those that it has read before respond.
enum FilesOnDisk {
    /// What is wrong with the files; empty where they load, or where there are none.
    static func problems(_ directory: String) -> [String] {
        guard !directory.isEmpty else { return [] }
        do throws(ProfileProblems) {
            _ = try Project(profilesDirectory: directory).read()
            return []
        } catch {
            return error.all.map(\.description)
        }
    }

    static func text(_ problems: [String]) -> String {
        guard !problems.isEmpty else { return "" }
        return "  NOT LOADED   the files have errors, so the profiles read before respond:\n"
            + problems.map { "    \($0)\n" }.joined()
    }

    /// Says it beside the result of a command that makes a profile respond.
    static func tell(_ directory: String) {
        let problems = problems(directory)
        guard !problems.isEmpty else { return }
        Terminal.complain(
            "the files have errors, so the profiles read before respond:\n"
                + problems.map { "  \($0)" }.joined(separator: "\n"))
    }
}
