import JSON

/// The command that starts the server of an origin.
public struct ProgramSettings: Hashable, Sendable {
    /// What starts it.
    public enum Start: String, CaseIterable, Sendable { case request, serve }

    public internal(set) var command = ""
    /// The absolute path of the folder in which the shell runs it.
    public internal(set) var directory: String
    /// The target of a request whose response shows that the server is ready; nil where an open port shows it.
    public internal(set) var ready: String?
    /// Nanoseconds that a request waits for it.
    public internal(set) var within: UInt64 = 60_000_000_000
    public internal(set) var start = Start.request

    init(directory: String) { self.directory = directory }

    /// The command's first word without what the shell takes as its own: arguments, and variables in front, may be secrets.
    public var name: String { Self.name(of: command) }

    static func name(of command: String) -> String {
        var quote: Character?
        let words = command.split { sign in
            if sign == quote {
                quote = nil
            } else if quote == nil {
                if sign == "\"" || sign == "'" {
                    quote = sign
                } else {
                    return sign.isWhitespace || "(){};&|".contains(sign)
                }
            }
            return false
        }
        return words.first { !$0.contains("=") && $0 != "exec" }.map(String.init) ?? ""
    }

    /// In words, without anything that is secret.
    package var text: String {
        "`\(name)` in \(directory), started " + (start == .serve ? "with Shunt" : "by the first request")
    }
}

extension ProgramSettings {
    /// An origin with its command; nil after a report.
    static func decode(_ value: JSONValue, _ writing: RouteWriting, _ reporter: Reporter) -> OriginURL? {
        guard writing.isFile else {
            return reporter.refuse(
                value, "an origin with a command in \(reporter.file)", expected: "an origin's URL",
                hint: "commands come from the files of profiles alone")
        }
        guard let fields = Fields(value, keys, reporter) else { return nil }
        var program = ProgramSettings(directory: reporter.absolute("."))
        keys.read(fields, into: &program)
        for key in ["run", "url"] where fields[key] == nil {
            reporter.report(
                fields.place, "the origin has no \"\(key)\"", expected: fields.expected(of: key),
                hint: key == "run" ? "an origin that something else starts is its URL alone" : nil)
        }
        guard let place = fields["url"]?.position, let text = fields.string("url"),
            var url = reporter.attempt(place, { () throws(Refusal) in try OriginURL(parsing: text) }),
            !program.command.isEmpty
        else { return nil }
        url.program = program
        return url
    }
}

/// Refuses two sets of settings for one command in one folder, which is started once.
struct ProgramGuard {
    let sources: [ProfileSource]
    let problems: ProblemList

    private struct Server: Hashable {
        let settings: ProgramSettings
        let isTLS: Bool
        let isHTTP2: Bool
        let host: String
        let port: UInt16
    }

    func check() {
        var known: [[String]: (server: Server, file: String, line: Int)] = [:]
        for source in sources {
            for route in source.routes {
                for case .origin(let url) in route.candidates {
                    guard let program = url.program else { continue }
                    let server = Server(
                        settings: program, isTLS: url.isTLS, isHTTP2: url.isHTTP2, host: url.host, port: url.port)
                    let key = [program.command, program.directory]
                    guard let other = known[key] else {
                        known[key] = (server, source.file, route.place.line)
                        continue
                    }
                    guard other.server != server else { continue }
                    source.reporter(problems).report(
                        route.place,
                        "the command `\(program.name)` has another \"url\", \"ready\", \"within\" or \"start\" than in "
                            + "\(other.file):\(other.line)",
                        expected: "the same, since a command is started once in a folder",
                        hint: "a command that starts one server alone, such as `docker compose up api`")
                }
            }
        }
    }
}
