import Admin
import Age
import Inspection
import JSON
import Platform
import Store

extension Command {
    static let importing = Command(
        name: "import",
        summary: "Add an HTTP Archive (HAR) to the recorded traffic.",
        usage: "import FILE.har [options]",
        details: [
            "FILE may be sealed, by `shunt export --to` or by age; it is opened with --identity while it is read.",
            "Common faults in archives of browsers and other proxies are corrected; an entry that cannot be read is "
                + "skipped and reported with its line. Secrets are replaced as in recorded traffic.",
        ],
        options: [
            .flag("keep-secrets", "Store credentials as they are in the file."), .identity, .passphrase,
            .passphraseFile,
            .running, .store, .storeKey, .profiles, .quiet, .json,
        ],
        examples: [
            ("The traffic of a browser", "shunt import ~/Downloads/shop.har"),
            ("A sealed one", "shunt import traffic.har.age"),
            ("Into a store of its own", "shunt import shop.har --store shop.db"),
        ], run: ImportCommand.run)
}

/// What `shunt import` does.
enum ImportCommand {
    /// Days that a store keeps traffic for by default.
    private static let days = StoreSettings().ageLimit / 86_400
    private static let maxShown = 20

    static func run(_ arguments: Arguments) async throws -> CInt {
        let name = arguments.operands[0]
        let descriptor = try opened(name)
        let source = try ImportSource(descriptor, name, arguments)
        let path = try StoredTraffic.path(arguments)
        guard !SealedStores.isSealed(path) else {
            throw CommandFailure(
                "\(Path.short(path)) is a sealed store, which takes recorded traffic only",
                advice: "Name a store for it with --store FILE.")
        }
        let archive = try HARImport(store: path, keepsSecrets: arguments.has("keep-secrets"))
        let (fatal, isWhole) = try feed(archive, source, name)
        let problems = archive.problems + (fatal.map { [$0] } ?? [])
        if arguments.has("json") {
            writeJSON(archive, problems, path)
        } else {
            for problem in problems.prefix(maxShown) { Terminal.error("\(text(problem, name))\n") }
            let more = archive.problemCount + (fatal == nil ? 0 : 1) - min(problems.count, maxShown)
            if more > 0 { Terminal.error("and \(more) more\n") }
            let count = "\(archive.count) \(archive.count == 1 ? "entry" : "entries")"
            Terminal.tell("\(count) imported into \(Path.short(path)).\n", arguments)
            if !isWhole { Terminal.error("What follows in \(name) was not imported.\n") }
        }
        let now = Int64(time(nil)) * 1_000_000
        if let oldest = archive.oldest, oldest < now - days * 86_400_000_000 {
            Terminal.error(
                "shunt: some of it is older than \(days) days, and a Shunt that records into this store would remove "
                    + "that\n  Keep it in a store of its own, with --store FILE.\n")
        }
        return problems.isEmpty && isWhole ? 0 : 1
    }

    /// - Parameter name: `-` for standard input.
    static func opened(_ name: String) throws -> CInt {
        let descriptor = name == "-" ? 0 : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(name, "read") }
        return descriptor
    }

    /// Reads the archive to its end.
    /// - Returns: what ended the import before the end of the file, and whether the file was read to its end.
    static func feed(
        _ archive: HARImport, _ source: ImportSource, _ name: String
    ) throws -> (problem: HARProblem?, isWhole: Bool) {
        var chunk: [UInt8] = []
        defer { source.endProgress() }
        do throws(HARProblem) {
            while true {
                let count: Int?
                do throws(AgeFailure) { count = try source.next(&chunk) } catch {
                    archive.abandon()
                    Terminal.error("\(name) cannot be read to its end: \(error.message)\n")
                    return (nil, false)
                }
                guard let count else { break }
                try archive.feed(Array(chunk[..<count]))
            }
            try archive.finish()
            return (nil, true)
        } catch {
            archive.abandon()
            return (error, false)
        }
    }

    static func text(_ problem: HARProblem, _ name: String) -> String {
        let entry = problem.entry.map { "entry \($0): " } ?? ""
        return "\(name):\(problem.line):\(problem.column): \(entry)\(problem.message)"
    }

    private static func writeJSON(_ archive: HARImport, _ problems: [HARProblem], _ path: String) {
        Terminal.outObject { object in
            object.members(["store": path, "imported": archive.count])
            object.objects("problems", problems) { one, problem in
                one.member("line", problem.line)
                one.member("column", problem.column)
                one.member("entry", problem.entry)
                one.member("message", problem.message)
            }
        }
    }
}
