import Admin
import Platform
import Profiles

extension Command {
    static let attach = Command(
        name: "attach",
        summary: "Let a server on this machine respond for a path of the team's gateway.",
        usage: "attach [URL] --route PATH --to ORIGIN [options]",
        details: [
            "The gateway at URL (else that of --admin) sends requests for PATH here, which arrive at ORIGIN: those of the "
                + "devices of your own, and those with the field Shunt-Attach that this command prints. All others go to "
                + "the route's own origin. This machine opens the connections, so that the gateway needs no way to it.",
            "Ctrl-C ends it: requests under way are finished, and later ones go to the route's own origin. If the connection "
                + "breaks, they do so at once, and this command connects again until it is ended.",
        ],
        options: [
            .value("route", "PATH", "/v1/cart for only that path, /v1/cart/* for /v1/cart and all below it. Required."),
            .value("to", "ORIGIN", "A server that this machine reaches, such as http://localhost:3000. Required."),
            .value(
                "profile", "NAME", default: "as for `shunt serve`",
                "The profile whose trust rules judge an https ORIGIN; without a folder of profiles it is `default`."),
            .flag("list", "List what is attached, of all users.").excluding("route", "to"),
            .running, .profiles, .quiet, .json,
        ],
        operands: 0...1,
        examples: [
            (
                "Your own cart service for your phone",
                "shunt attach https://gateway.office.example:4890 --route '/v1/cart/*' --to http://localhost:3000"
            ),
            ("Who responds to what?", "shunt attach --list"),
        ],
        signals: [SIGINT, SIGTERM],
        canBeRemote: true,
        run: AttachCommand.run)
}

/// What `shunt attach` does.
enum AttachCommand {
    static func run(_ given: Arguments) async throws -> CInt {
        var arguments = given
        if let url = given.operands.first {
            if given.has("admin") || given.has("port") {
                throw UsageError("“\(url)” names a gateway, and an option does as well", advice: "Name one.")
            }
            arguments.add("admin", url)
        }
        if arguments.has("list") {
            let list = try AdminClient(try RunningShunt.find(arguments)).ask(API.attachments)
            let text = list.attachments.map { AttachmentText($0).text + "\n" }.joined()
            return CommandResult(list, text.isEmpty ? "Nothing is attached.\n" : text).show(arguments)
        }
        guard let path = arguments.text("route"), let to = arguments.text("to") else {
            throw UsageError(
                "`shunt attach` lacks --route and --to",
                advice: "Usage: shunt attach URL --route /v1/cart --to http://localhost:3000")
        }
        let origin = try UsageError.of {
            _ = try AttachedPath(path)
            return try OriginAddress.attached(to)
        }
        let library = try profiles(arguments)
        guard library?.isProduction(origin: origin.description) != true else {
            throw CommandFailure(
                "\(origin) is an origin of production in your own profiles",
                advice: "Name a server of your own with --to.")
        }
        let trust = try trust(of: origin, library, arguments)
        let client = AdminClient(try RunningShunt.find(arguments))
        let signals = try ServeCommand.startSignals([SIGINT, SIGTERM])
        return try await AttachedMachine(client: client, path: path, origin: origin, trust: trust, arguments: arguments)
            .run(signals)
    }

    /// This machine's own profiles, whose production stays read-only; nil without any.
    private static func profiles(_ arguments: Arguments) throws -> ProfileLibrary? {
        guard let project = try? Project.find(arguments), project.hasFiles else { return nil }
        return try project.load()
    }

    /// How the origin's certificate is judged; nil for plain HTTP.
    private static func trust(
        of origin: OriginAddress, _ library: ProfileLibrary?, _ arguments: Arguments
    ) throws -> TrustPolicy? {
        guard let library, origin.isTLS else {
            if library == nil, let name = arguments.text("profile") {
                throw CommandFailure(
                    "there is no profile “\(name)”, since there is no folder of profiles",
                    advice: "Name the folder with --profiles.")
            }
            return origin.isTLS ? .default(certificateAuthorities: []) : nil
        }
        let name = try Project.find(arguments).choose(arguments.text("profile"), from: library)
        return library[name]?.trust(of: NamedHost(host: origin.host, port: origin.port))?.policy
    }
}

/// One attachment in words.
struct AttachmentText {
    private let entry: Record<API.Attachment>

    init(_ entry: Record<API.Attachment>) { self.entry = entry }

    var text: String {
        "\(entry.path) of \(entry.user)'s devices to \(entry.to)"
            + (entry.address.map { " of the machine \($0)" } ?? "")
            + (entry.isUp ? ", since \(Words.span(Words.seconds(since: entry.since)))" : ", which is connecting")
    }
}
