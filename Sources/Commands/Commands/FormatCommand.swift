import Admin
import JSON
import Platform

extension Command {
    static let format = Command(
        name: "fmt",
        summary: "Format the profiles in one style; comments stay.",
        usage: "fmt [FILES…] [options]",
        details: [
            "Files are rewritten in place, and the names of changed files are listed. Without files the command formats "
                + "all profiles, including *.local.json. A file that is not valid JSON5 is reported and stays unchanged; "
                + "the exit status is then 1. `-` formats standard input to standard output."
        ],
        options: [
            .flag("check", "Change nothing; list the files that would change, with exit status 1 if there are any."),
            .profiles.replacing(operand: "files"), .json,
        ],
        examples: [
            ("All profiles of the project", "shunt fmt"),
            ("In CI", "shunt fmt --check"),
            ("From within an editor", "shunt fmt - < Profiles/local.json"),
        ],
        run: FormatCommand.run)
}

/// What `shunt fmt` does.
enum FormatCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        if arguments.operands.contains("-") { return try filter(arguments) }
        let isCheck = arguments.has("check")
        var changed: [String] = []
        var problems: [FormatProblem] = []
        for file in try files(arguments) {
            do throws(FormatProblem) {
                if try FormattedFile(file).update(isCheck: isCheck) { changed.append(Path.short(file)) }
            } catch {
                problems.append(error)
            }
        }
        if arguments.has("json") {
            Terminal.outObject { object in
                object.member("changed", changed)
                object.array("problems") { array in for problem in problems { problem.write(to: &array) } }
            }
        } else {
            Terminal.out(changed.map { $0 + "\n" }.joined())
            for problem in problems { Terminal.error("\(problem)\n") }
        }
        return problems.isEmpty && (changed.isEmpty || !isCheck) ? 0 : 1
    }

    /// From standard input to standard output.
    private static func filter(_ arguments: Arguments) throws -> CInt {
        guard arguments.operands.count == 1, !arguments.has("json") else {
            throw UsageError("`-` stands alone, or with --check", advice: "Usage: shunt fmt - < FILE")
        }
        let name = "<stdin>"
        do throws(FormatProblem) {
            guard let bytes = Terminal.input(limit: FormatProblem.sizeLimit) else {
                throw FormatProblem(file: name, message: "cannot be read: \(String(cString: strerror(errno)))")
            }
            let formatted = try FormatProblem.format(bytes, of: name)
            guard arguments.has("check") else {
                guard Terminal.write(formatted, to: 1) else {
                    throw FormatProblem(
                        file: "<stdout>", message: "cannot be written: \(String(cString: strerror(errno)))")
                }
                return 0
            }
            if formatted != bytes { Terminal.out(name + "\n") }
            return formatted == bytes ? 0 : 1
        } catch {
            Terminal.error("\(error)\n")
            return 1
        }
    }

    /// Absolute, each once.
    private static func files(_ arguments: Arguments) throws -> [String] {
        guard arguments.operands.isEmpty else {
            var files: [String] = []
            for operand in arguments.operands {
                let file = Path.absolute(operand)
                if !files.contains(file) { files.append(file) }
            }
            return files
        }
        let folder = try Project.find(arguments).profilesDirectory
        guard Files.isDirectory(folder) else {
            throw CommandFailure("there is no folder \(Path.short(folder))", advice: "`shunt init` makes one.")
        }
        let files = ((try? Files.names(in: folder)) ?? []).filter(isProfile).map { Path.absolute($0, from: folder) }
            .filter { !Files.isDirectory($0) }
        guard !files.isEmpty else {
            throw CommandFailure("there is no profile in \(Path.short(folder))", advice: "`shunt init` makes some.")
        }
        return files
    }

    /// Other than for serving, personal overrides count too.
    private static func isProfile(_ name: String) -> Bool {
        (name.hasSuffix(".json") || name.hasSuffix(".json5")) && !name.hasPrefix(".") && !name.hasSuffix(".schema.json")
    }
}
