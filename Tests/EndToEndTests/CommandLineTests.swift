import Commands
import Foundation
import JSON
import TestSupport
import Testing

/// Runs the real `shunt` in a folder, with nothing of the environment that could change what it does.
struct Shunt {
    let folder: TemporaryFolder

    /// In an empty folder that is the root of a repository, so that no search leaves it.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write(".git/HEAD", "ref: refs/heads/main\n")
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, arguments, directory: folder.path, environment: environment)
    }
}

@Suite struct CommandLineTests {
    let shunt: Shunt
    init() throws { shunt = try Shunt() }

    /// The real program; all that follows on the command line is Commands', which tests call in their process.
    @Test(arguments: [
        ["version"], ["--version"], ["use", "--help"], ["help", "use"], ["srve"], ["serve", "--prot"], [],
    ])
    func `the program writes and returns what the command line as a library does`(words: [String]) async throws {
        let program = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        let library = await CapturedRun.run(words)
        #expect(program.status == library.status)
        #expect(program.output == library.output)
        #expect(program.errors == library.errors)
    }

    @Test func `help has every command once, by what one wants, those of every day first`() async {
        let help = await CapturedRun.run("help").output
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let groups = lines.drop { $0 != "Every day:" }.prefix { !$0.hasPrefix("`") }
        let names = groups.compactMap { $0.wholeMatch(of: /\ \ ([a-z-]+) {2,}[A-Z].+/).map { String($0.1) } }
        #expect(names.prefix(5) == ["init", "serve", "use", "logs", "inspect"])
        #expect(names == Tool.commandNames && Set(names).count == names.count)
        #expect(groups.filter { $0.hasSuffix(":") }.count > 5)
        let filters = await CapturedRun.run("logs", "--help").output
        for row in ["\nWhat came of it:\n", "\n  ~slow TIME "] { #expect(filters.contains(row), "\(filters)") }
    }

    @Test func `alone it lists every command, and the help of each explains every option`() async throws {
        let short = await CapturedRun.run([])
        #expect(short.status == 0 && short.errors.isEmpty)
        for words in [["help"], ["--help"]] {
            let listed = await CapturedRun.run(words)
            #expect(listed.status == 0 && listed.errors.isEmpty)
            for command in Tool.commandNames { #expect(listed.output.contains("\n  \(command) ")) }
        }
        let completions = await CapturedRun.run("completions", "bash").output
        for command in Tool.commandNames {
            let help = await CapturedRun.run(command, "--help")
            #expect(help.status == 0 && help.errors.isEmpty)
            #expect(help.output.contains("Usage: shunt \(command)"))
            #expect(await CapturedRun.run("help", command).output == help.output)
            #expect(short.output.contains("\n  \(command) "))
            let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 100, "\(command): \(line)") }
            let options = lines.indices.filter { lines[$0].hasPrefix("  -") || lines[$0].hasPrefix("      --") }
            var names: Set<Substring> = []
            for index in options {
                let name = lines[index].split(separator: " ").first { $0.hasPrefix("--") } ?? ""
                #expect(names.insert(name).inserted, "\(command) has \(name) twice")
                #expect(completions.contains(name), "\(command) \(name)")
                // What it is for stands behind it, or in the next line where it is long.
                let words = lines[index].contains(/--[a-z-]+( [^ ]+)* {2,}[^ ]/)
                #expect(words || lines[index + 1].contains(/^ {12,}[^ ]/), "\(command): \(lines[index])")
            }
            #expect(names.contains("--help"))
        }
    }

    private static let wrongLines: [([String], String)] = [
        // What is typed, and what the message has to name.
        (["srve"], "Did you mean `shunt serve`?"), (["token", "new"], "`shunt token new` lacks an argument"),
        (["token", "revoke"], "`shunt token revoke` lacks an argument"),
        (["token", "list", "ada"], "does not take “ada”"),
        (["token", "make"], "unknown action “make”"), (["token", "list", "--may", "use"], "`shunt token new` alone"),
        (["trust", "statsu"], "Did you mean `shunt trust status`?"), (["trust", "add"], "`shunt trust add` lacks"),
        (["trust", "install", "--old"], "`shunt trust uninstall|status` alone"),
        (["session", "list", "--own-port"], "`shunt session start` alone"), (["session", "expect", "a"], "lacks"),
        (["recordings", "shwo", "x"], "Did you mean `shunt recordings show`?"),
        (["start"], "Did you mean `shunt serve`?"), (["mock"], "Did you mean `shunt mocks`?"),
        (["up"], "Did you mean `shunt serve`?"), (["down"], "Did you mean `shunt stop`?"),
        (["config"], "Did you mean `shunt validate`?"), (["tail"], "Did you mean `shunt logs -f`?"),
        (["ls"], "Did you mean `shunt ps`?"), (["env"], "Did you mean `shunt proxy env`?"),
        (["untrust"], "Did you mean `shunt trust uninstall`?"), (["web"], "Did you mean `shunt inspect`?"),
        (["har"], "Did you mean `shunt export --har`?"), (["setup"], "Did you mean `shunt init`?"),
        (["proxy"], "Usage: shunt proxy env|pac"), (["trust"], "Usage: shunt trust explain|add"),
        (["run"], "Usage: shunt run [options] -- COMMAND"), (["frobnicate"], "`shunt help` lists the commands."),
        (["seal", "--to", "", "x"], "shunt: --to is empty: it needs a recipient or a file of recipients\n"),
        (["seal", "--to", "age2", "x"], "shunt: --to “age2” is no recipient and no file\n"),
        (["serve", "--host", "10.0.0.0/8"], "is no address"),
        (["serve", "--intercept", "10.0.0.0/8"], "the host \"10.0.0.0/8\" is a network of addresses"),
        (["clear", "--store", "a"], "Add --yes"), (["completions", "csh"], "bash, zsh or fish"),
        (["serve", "--prot", "1"], "Did you mean --port?"),
        (["serve", "--port"], "--port needs a value"),
        (["serve", "--port", "70000"], "“70000” is no port"),
        (["serve", "--port=1", "-p", "2"], "--port is given twice"),
        (["serve", "-x"], "there is no option -x"),
        (["serve", "--no-color=yes"], "takes no value"),
        (["serve", "now"], "`shunt serve` does not take “now”"),
        (["serve", "--log", "loud"], "text, json or off"),
        (["serve", "--drain-time", "5"], "500ms, 15s, 2m"),
        (["serve", "--head-timeout", "0s"], "no possible time"),
        (["serve", "--head-size", "1m"], "from 1k to 64k"),
        (["serve", "--host", "example.test"], "is no address"),
        (["serve", "--cert", "a.pem"], "needs --key"),
        (["serve", "--origin", "localhost:3000"], "has no scheme"),
        (["serve", "--origin", "Staging=https://a.test"], "is no name for a profile"),
        (["serve", "--origin", "https://a.test", "--origin", "https://b.test"], "two origins for every host"),
        (["serve", "--origin", "https://a.test", "--profiles", "x"], "exclude each other"),
        (["serve", "-q", "--log", "text"], "exclude each other"),
        (["serve", "-v", "--log", "json"], "leave --verbose away"),
        (["serve", "--qr", "--no-pages"], "shunt pair"),
        (["init", "--host", "api.shop.test"], "--host needs --local, --staging or --production"),
        (["init", "--from-running", "--local", "https://a.test"], "exclude each other"),
        (["init", "-p", "4884"], "needs --from-running"),
        (["init", "--local", "ftp://a.test"], "has the scheme"),
        (["hosts", "--dry-run"], "`shunt hosts add|remove` alone"),
        (["hosts", "edit"], "unknown action “edit”"),
        (["use"], "Usage: shunt use NAME"),
        (["use", "--active"], "--active needs --device, --app, --mine or --user"),
        (["use", "staging", "--device", "x", "--active"], "exclude each other"),
        (["devices", "forget"], "Usage: shunt devices [forget NAME|all]"),
        (["devices", "keep", "x"], "unknown action “keep”"),
        (["unlock", "production"], "for how long?"),
        (["unlock", "production", "--for", "10m"], "why?"),
        (["unlock", "production", "--for", "10m", "--reason", " "], "why?"),
        (["unlock", "production", "--for", "9h", "--reason", "x"], "at most 8h"),
        (["unlock", "--for", "9h", "--reason", "x"], "Usage: shunt unlock NAME"),
        (["lock"], "Usage: shunt lock NAME"),
        (["logs", "--oldest", "-f"], "exclude each other"),
        (["logs", "-n", "x"], "--lines “x” is not possible"),
        (["logs", "~c", "4xx", "&", "~zz"], "(column 10)"),
        (["logs", "--store", "a", "--profiles", "b"], "exclude each other"),
        (["show"], "Usage: shunt show ID"),
        (["show", "x", "--store", "a"], "“x” is not the number"),
        (["show", "1", "--raw", "head"], "Give request, response, origin-request"),
        (["show", "1", "--raw", "response", "--json"], "exclude each other"),
        (["stats", "--by", "hots"], "Did you mean host?"),
        (["help", "serv"], "Did you mean `shunt help serve`?"),
    ]

    @Test(arguments: wrongLines)
    func `a command line that is wrong ends with 64 and says why`(arguments: [String], expected: String) async {
        let result = await CapturedRun.run(arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("shunt: "))
        #expect(result.errors.contains(expected))
    }

    @Test(arguments: [
        (
            ["--store", "/proc/none/x.db"],
            "--store /proc/none/x.db: the store cannot be written: its folder cannot be made: "
        ),
        (["--store", "."], ": the store cannot be written: not a traffic store"),
        (["--store", "Profiles/local.json"], ": the store cannot be written: not a traffic store"),
    ])
    func `a store that was asked for and cannot be written keeps Shunt from serving`(
        arguments: [String], expected: String
    ) throws {
        try shunt.folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0"] + arguments, directory: shunt.folder.path)
        #expect(result.status == 1)
        #expect(result.errors.contains(expected), "\(result.errors)")
        #expect(result.errors.hasSuffix("or record nothing with --no-store.\n"), "\(result.errors)")
        #expect(try shunt.folder.read("Profiles/local.json").hasPrefix("{\"kind\""))
    }

    #if os(Linux)
    @Test(arguments: [
        "version", "validate", "ps", "help", "serve --help", "completions bash", "explain http://localhost/",
    ])
    func `a command whose result cannot be written fails`(words: String) throws {
        let shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        let command = "\(ShuntBinary.path) \(words)"
        let result = try ChildProcess.run("/bin/sh", ["-c", command + " > /dev/full"], directory: shunt.folder.path)
        #expect(result.status == 1)
        #expect(
            result.errors.contains("standard output cannot be written: No space left on device"), "\(result.errors)")
        let closed = try ChildProcess.run("/bin/sh", ["-c", command + " | true"], directory: shunt.folder.path)
        #expect(closed.errors.isEmpty, "\(closed.errors)")
    }
    #endif

    @Test func `version is the same for people and programs`() async throws {
        let text = await CapturedRun.run("version").output
        let json = try JSONReader.read(await CapturedRun.run("version", "--json").output)
        #expect(text == "shunt \(json["version"]?.string ?? "")\n")
    }
}
