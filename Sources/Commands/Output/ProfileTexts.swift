import Admin
import JSON
import Profiles

// Values of the Profiles module in words and as JSON, alike in every command.

extension TrustRule {
    /// For the list of what is not checked.
    var exceptionText: String {
        let end = until.map { ", until \($0)" } ?? ""
        return "\(pattern) in profile \(profile) (\(placeText))\(end)" + (reason.map { ": \($0)" } ?? "")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { object in
            writeMembers(to: &object)
        }
    }
}

extension ProfileLibrary {
    /// The personal overrides that were read: `, with staging.local.json`; empty without any.
    var withText: String {
        var names = overrides.map { $0.file.split(separator: "/").last.map(String.init) ?? $0.file }
        if let settings { names.append("--set" + (settings.texts.count > 1 ? " (\(settings.texts.count) times)" : "")) }
        return names.isEmpty ? "" : ", with " + names.joined(separator: " and ")
    }
}

extension ProfileProblem {
    func write(to writer: inout JSONWriter) {
        writer.object([
            "file": file, "line": line, "column": column, "message": message, "expected": expected, "hint": hint,
        ])
    }
}

extension Profile {
    /// The profile that it extends.
    var extends: String? { levels.dropFirst().first }

    /// What it is, such as `local, extends staging`.
    var kindText: String { extends.map { "\(kind.rawValue), extends \($0)" } ?? kind.rawValue }
}

extension CommandFailure {
    /// Each problem on a line of its own, ready for editors that jump to `file:line:column`.
    static func profiles(_ problems: ProfileProblems) -> CommandFailure {
        let count = problems.all.count
        return CommandFailure(
            "the profiles have \(count == 1 ? "an error" : "\(count) errors")", advice: problems.description)
    }
}
