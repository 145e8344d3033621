package import JSON
import Platform

/// What is wrong with a spelling: in a profile, before its place is known, in an option, or in a request.
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    public internal(set) var message: String
    public internal(set) var expected: String?
    public internal(set) var hint: String?

    /// The next step, as a sentence.
    public var advice: String? { expected.map { "Expected \($0)\(hint.map { "; \($0)" } ?? "")." } ?? hint }

    public var description: String {
        [message, expected.map { "expected \($0)" }, hint].compactMap(\.self).joined(separator: "; ")
    }
}

/// Gathers problems, so that one load reports all of them.
package final class ProblemList {
    package init() {}

    package private(set) var all: [ProfileProblem] = []
    /// Absolute paths of the contracts that routes name: they may lie among the profiles.
    private(set) var contracts: Set<String> = []

    func add(contract path: String) { contracts.insert(path) }

    /// Something names a file of this machine.
    package private(set) var namesFiles = false

    func noteFile() { namesFiles = true }

    func add(_ problem: ProfileProblem) {
        // One mistake in an extended profile shows in every profile that extends it.
        if !all.contains(problem) { all.append(problem) }
    }

    /// What was gathered, to be taken over by another list.
    var findings: (problems: [ProfileProblem], contracts: Set<String>, namesFiles: Bool) {
        (all, contracts, namesFiles)
    }

    func add(_ findings: (problems: [ProfileProblem], contracts: Set<String>, namesFiles: Bool)) {
        findings.problems.forEach(add)
        contracts.formUnion(findings.contracts)
        namesFiles = namesFiles || findings.namesFiles
    }

    /// By file and place, as one reads them.
    package var sorted: [ProfileProblem] {
        all.sorted { ($0.file, $0.line, $0.column, $0.message) < ($1.file, $1.line, $1.column, $1.message) }
    }
}

/// Reports the problems of one file.
package struct Reporter {
    package let file: String
    package let problems: ProblemList

    /// The folder of profiles that the file belongs to.
    let profilesDirectory: String

    /// - Parameter profilesDirectory: nil for the file's own directory.
    package init(file: String, problems: ProblemList, profilesDirectory: String? = nil) {
        (self.file, self.problems) = (file, problems)
        self.profilesDirectory = profilesDirectory ?? Path.directory(of: file)
    }

    /// A path that the file names, which is relative to the file's own directory.
    package func absolute(_ path: String) -> String {
        problems.noteFile()
        return Path.absolute(path.hasPrefix("/") ? path : "\(Path.directory(of: file))/\(path)")
    }

    package func report(_ place: (any Placed)?, _ message: String, expected: String? = nil, hint: String? = nil) {
        let place = place?.place
        problems.add(
            ProfileProblem(
                file: file, line: place?.line ?? 0, column: place?.column ?? 0, message: message, expected: expected,
                hint: hint))
    }

    func report(_ place: (any Placed)?, _ refusal: Refusal) {
        report(place, refusal.message, expected: refusal.expected, hint: refusal.hint)
    }

    /// Reports a problem in place of a value.
    func refuse<Value>(
        _ place: (any Placed)?, _ message: String, expected: String? = nil, hint: String? = nil
    ) -> Value? {
        report(place, message, expected: expected, hint: hint)
        return nil
    }

    func refuse<Value>(_ place: (any Placed)?, _ refusal: Refusal) -> Value? {
        refuse(place, refusal.message, expected: refusal.expected, hint: refusal.hint)
    }

    /// The result of a parser, or nil after its refusal was reported.
    func attempt<Value>(_ place: JSONPosition, _ parse: () throws(Refusal) -> Value) -> Value? {
        do throws(Refusal) { return try parse() } catch { return refuse(place, error) }
    }

    /// The absolute path of a file that the text names; nil after a report that it cannot be read.
    func readable(_ path: String, at place: JSONPosition, _ what: String = "", expected: String = "a file") -> String? {
        let file = absolute(path)
        if !path.isEmpty, Files.isReadableFile(file) { return file }
        return refuse(place, "cannot read \(what)\"\(path)\"", expected: "\(expected) at \(file)", hint: Self.ofPaths)
    }

    /// The bytes of such a file; nil after a report why there are none.
    func bytes(of path: String, at place: JSONPosition, limit: Int, expected: String) -> [UInt8]? {
        let file = absolute(path)
        guard Files.isRegular(file) || !Files.exists(file) else {
            return refuse(place, "\"\(path)\" is no file", expected: expected)
        }
        do throws(FileFailure) { return try Files.read(file, limit: limit) } catch {
            return refuse(
                place, "cannot read \"\(path)\": \(error.reason)", expected: "a file at \(file)", hint: Self.ofPaths)
        }
    }

    static let ofPaths = "paths start at the profile's own directory"

    /// The same for what is read from JSON, whose failures have a place.
    func reading<Value>(_ read: () throws(JSONFailure) -> Value) -> Value? {
        do throws(JSONFailure) { return try read() } catch {
            return refuse(error.position, error.message, expected: error.expected)
        }
    }
}

/// Something in a file whose place a report names: a key by its member, or a value.
package protocol Placed { var place: JSONPosition { get } }

extension JSONPosition: Placed { package var place: JSONPosition { self } }
extension JSONValue: Placed { package var place: JSONPosition { position } }
extension JSONMember: Placed { package var place: JSONPosition { keyPosition } }
