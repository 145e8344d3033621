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

private let commands = [
    "serve",
    "run",
    "use",
    "mocks",
    "status",
    "ps",
    "stop",
    "reload",
    "logs",
    "show",
    "stats",
    "export",
    "import",
    "seal",
    "unseal",
    "keys",
    "replay",
    "diff",
    "clear",
    "bridge",
    "proxy",
    "hosts",
    "expect",
    "compare",
    "record",
    "recordings",
    "pair",
    "devices",
    "unlock",
    "lock",
    "init",
    "edit",
    "ca",
    "trust",
    "client-kit",
    "lint",
    "doctor",
    "validate",
    "fmt",
    "explain",
    "demo",
    "completions",
    "version",
    "help",
    "inspect",
    "network",
    "push",
    "offline",
    "token",
    "audit",
]

@Suite struct CommandLineTests {
    let shunt: Shunt
    init() throws { shunt = try Shunt() }

    @Test func `alone it lists every command`() throws {
        for arguments in [[], ["help"], ["--help"]] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 0)
            for command in commands { #expect(result.output.contains("\n  \(command) ")) }
            #expect(result.errors.isEmpty)
        }
    }

    @Test(arguments: commands) func `help of a command explains every option`(command: String) throws {
        let result = try shunt.run(command, "--help")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("Usage: shunt \(command)"))
        let options = optionsByCommand[command, default: []] + ["--help"]
        for option in options { #expect(result.output.contains("\(option)")) }
        // A table that grew has to grow here, too.
        let named = result.output.split(separator: "\n").filter { $0.hasPrefix("  -") || $0.hasPrefix("      --") }
        #expect(named.count == options.count)
        #expect(try shunt.run("help", command).output == result.output)
    }

    @Test func `lines of help fit a terminal`() throws {
        for command in commands {
            for line in try shunt.run(command, "--help").output.split(separator: "\n") {
                #expect(line.count <= 100, "\(command): \(line)")
            }
        }
    }

    private static let wrongLines: [([String], String)] = [
        // What is typed, and what the message has to name.
        (["srve"], "Did you mean `shunt serve`?"),
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
        (["serve", "now"], "unexpected argument “now”"),
        (["serve", "--log", "loud"], "text, json or off"),
        (["serve", "--drain-time", "5"], "500ms, 15s, 2m"),
        (["serve", "--head-timeout", "0s"], "no possible time"),
        (["serve", "--head-size", "1m"], "from 1k to 64k"),
        (["serve", "--host", "example.test"], "is no address"),
        (["serve", "--cert", "a.pem"], "without --key"),
        (["serve", "--origin", "localhost:3000"], "has no scheme"),
        (["serve", "--origin", "Staging=https://a.test"], "is no name for a profile"),
        (["serve", "--origin", "https://a.test", "--origin", "https://b.test"], "two origins for every host"),
        (["serve", "--origin", "https://a.test", "--profiles", "x"], "exclude each other"),
        (["serve", "-q", "--log", "text"], "exclude each other"),
        (["serve", "-v", "--log", "json"], "leave --verbose away"),
        (["serve", "--qr", "--no-pages"], "shunt pair"),
        (["init", "--host", "api.shop.test"], "without an origin"),
        (["init", "--from-running", "--local", "https://a.test"], "exclude each other"),
        (["init", "-p", "4884"], "without --from-running"),
        (["init", "--local", "ftp://a.test"], "has the scheme"),
        (["hosts", "--dry-run"], "without add or remove"),
        (["hosts", "edit"], "neither add nor remove"),
        (["use"], "Usage: shunt use NAME"),
        (["use", "--active"], "--active needs a --device"),
        (["use", "staging", "--device", "x", "--active"], "exclude each other"),
        (["devices", "forget"], "Usage: shunt devices [forget NAME|all]"),
        (["devices", "keep", "x"], "“keep x”"),
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
        (["show", "1", "--raw", "head"], "Give request or response"),
        (["show", "1", "--raw", "response", "--json"], "exclude each other"),
        (["stats", "--by", "hots"], "Did you mean host?"),
        (["help", "serv"], "Did you mean `shunt help serve`?"),
    ]

    @Test(arguments: wrongLines)
    func `a command line that is wrong ends with 64 and says why`(arguments: [String], expected: String) throws {
        let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
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

    @Test func `version is the same for people and programs`() throws {
        let text = try shunt.run("version").output
        let json = try JSONReader.read(try shunt.run("version", "--json").output)
        #expect(text == "shunt \(json["version"]?.string ?? "")\n")
    }
}

private let limits = [
    "--head-size", "--fields", "--head-timeout", "--idle-timeout", "--connect-timeout", "--response-timeout",
    "--body-timeout", "--max-connections", "--client-connections", "--client-rate",
]

/// Of commands that may speak to a Shunt on another machine.
private let elsewhere = ["--admin", "--admin-ca", "--token-file"]

private let optionsByCommand: [String: [String]] = [
    "serve": [
        "--network", "--profile", "--profiles", "--origin", "--certs", "--cert", "--key", "-H, --host", "-p, --port",
        "--admin-port", "--admin-listen", "--admin-host", "--admin-cert", "--admin-key", "--admin-owner",
        "--pages-port",
        "--workers", "--set", "--strict",
        "--log", "--no-pages", "--no-inspector", "--no-color", "--ready-file", "--metrics", "--drain-time",
        "--metrics-token", "--trace", "--otlp",
        "--drain-idle", "--detach", "-v, --verbose", "-q, --quiet", "--qr",
        "--no-store", "--store", "--store-key", "--store-spill", "--node", "--store-size", "--store-age",
        "--store-body", "--keep-secrets", "--record",
        "--seal", "--seal-to", "--seal-window",
        "--no-proxy", "--intercept", "--proxy-user", "--no-next-proxy", "--client-ca", "--keylog",
        "--cluster", "--cluster-group", "--cluster-field",
    ] + limits,
    "help": ["--man", "--no-pager"],
    "run": [
        "--profile", "--profiles", "--set", "--strict", "--base-url-env", "--wait", "--wait-time", "--certs",
        "--expect", "--report", "--save", "--store", "--store-key", "--node", "--record", "--replay", "--unused",
        "--network", "--seed", "--admin",
    ],
    "expect": ["--har", "--filter", "--suggest", "--schema", "--report", "--save", "--store", "--profiles"],
    "use": [
        "--wait", "--wait-time", "--device", "--mine", "--user", "--active", "-p, --port", "--profiles", "-q, --quiet",
        "--json",
    ] + elsewhere,
    "token": ["--may", "--for", "--until", "-p, --port", "--profiles", "--json"] + elsewhere,
    "audit": ["--since", "--user", "-n, --limit", "-p, --port", "--profiles", "--json"] + elsewhere,
    "status": ["--probe", "-p, --port", "--profiles", "--json"] + elsewhere,
    "logs": [
        "-f, --follow", "-n, --lines", "--oldest", "--messages", "--no-color", "--no-pager", "-p, --port",
        "-i, --identity",
        "--store",
        "--profiles", "--json",
    ],
    "show": [
        "--all", "--messages", "--raw", "--no-pager", "-p, --port", "-i, --identity", "--store", "--profiles", "--json",
    ],
    "stats": ["--by", "-n, --lines", "--no-pager", "-p, --port", "-i, --identity", "--store", "--profiles", "--json"],
    "clear": ["-y, --yes", "-p, --port", "--store", "--profiles", "-q, --quiet", "--json"],
    "pair": ["--profile", "--app", "--ca", "-p, --port", "--profiles", "--json"] + elsewhere,
    "inspect": ["--print", "-p, --port", "--profiles", "--json"] + elsewhere,
    "network": ["--device", "--for", "-p, --port", "--profiles", "--json"] + elsewhere,
    "offline": ["--device", "--for", "-p, --port", "--profiles", "--json"] + elsewhere,
    "devices": ["-p, --port", "--profiles", "--json"] + elsewhere,
    "mocks": [
        "--all", "--device", "--profile", "--keep", "--against", "--path", "--ignore", "-H, --header", "--set",
        "-p, --port", "--store", "--profiles", "--json",
    ] + elsewhere,
    "bridge": ["-o, --output", "--store", "--profiles"],
    "hosts": ["--dry-run", "--file", "--profile", "--profiles", "-q, --quiet", "--json"],
    "proxy": ["--shell", "-p, --port", "--profiles", "--json"],
    "unlock": ["--for", "--reason", "-p, --port", "--profiles", "--json"] + elsewhere,
    "lock": ["-p, --port", "--profiles", "--json"] + elsewhere,
    "ps": ["--json"],
    "stop": ["-p, --port", "--profiles", "-q, --quiet", "--json"],
    "reload": ["-p, --port", "--profiles", "-q, --quiet", "--json"] + elsewhere,
    "init": [
        "--local", "--staging", "--production", "--host", "--from-running", "-p, --port", "--project-ca", "--only-for",
        "--key", "-q, --quiet", "--json",
    ],
    "edit": ["--profiles"],
    "trust": [
        "--profile", "--write", "--fix", "--yes", "--store", "--dry-run", "--old", "--root", "--certs", "--profiles",
        "--json",
    ],
    "client-kit": ["--for", "-o, --output", "--profile", "--certs", "-p, --port", "--profiles"],
    "lint": ["--sarif"],
    "ca": ["--file", "--only-for", "--key", "--certs", "--profiles", "--json"],
    "doctor": ["--certs", "--profiles", "--json"],
    "validate": ["--profile", "--profiles", "--set", "--strict", "--json"],
    "fmt": ["--check", "--profiles", "--json"],
    "explain": ["--profile", "--profiles", "--set", "-X, --method", "-H, --header", "-d, --data", "--json"],
    "export": [
        "--har", "--jsonl", "--curl", "--swift", "-o, --output", "--to", "-a, --armor", "-p, --port", "-i, --identity",
        "--store", "--profiles",
    ],
    "import": [
        "--keep-secrets", "-i, --identity", "--passphrase-file", "--store", "--store-key", "--profiles", "-q, --quiet",
        "--json",
    ],
    "seal": ["--to", "--passphrase", "--passphrase-file", "-a, --armor", "-o, --output", "--profiles"],
    "unseal": ["-i, --identity", "--passphrase", "--passphrase-file", "-o, --output"],
    "keys": [
        "--passphrase", "--passphrase-file", "--secret", "-i, --identity", "--for", "-p, --port", "--profiles",
        "--json",
    ],
    "record": ["--append", "--all", "--store", "--profiles"],
    "recordings": ["--profiles", "--json"],
    "replay": [
        "--profile", "--times", "--force", "-p, --port", "-i, --identity", "--store", "--store-key", "--profiles",
        "--json",
    ],
    "diff": [
        "--between", "--ignore", "-n, --lines", "-H, --header", "--force", "-p, --port", "-i, --identity", "--store",
        "--store-key",
        "--profiles",
        "--json",
    ],
    "push": [
        "--topic", "--alert", "--payload", "--type", "--priority", "--expiration", "--collapse-id", "--tokens",
        "--stdin-jsonl", "--dead", "--resume", "--streams", "--key", "--key-id", "--team-id", "--profile",
        "-f, --follow", "-n, --lines", "--clear", "-p, --port", "--profiles", "--json",
    ],
    "demo": ["--once", "-p, --port", "--no-color"],
    "version": ["--json"],
]
