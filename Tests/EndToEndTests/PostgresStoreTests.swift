import Foundation
import JSON
import TestSupport
import Testing

/// A store in PostgreSQL through the doors that users use.
@Suite(.postgres) struct PostgresStoreTests {
    private static let profile = """
        { "kind": "local", "routes": [{ "path": "/*", "mock": { "text": "pong" } }] }
        """

    @Test func `several Shunts record into one store, and every command reads it`() async throws {
        let server = try PostgresServer()
        let store = server.address
        let first = try ServingShunt(["local": Self.profile], ["--store", store, "--node", "office"])
        let key = first.folder.path + "/.shunt/store.key"
        let second = try ServingShunt(
            ["local": Self.profile], ["--store", store, "--node", "ci", "--store-key", key])
        let result = try await blocking { () throws -> [ChildProcess.Result] in
            for shunt in [first, second] {
                for path in ["a", "b"] {
                    let response = try shunt.curl("http://127.0.0.1:\(shunt.port)/\(path)")
                    #expect(response.output == "pong", "\(response)")
                }
            }
            #expect(
                try eventually {
                    try first.run("logs", "--store", store, "--json").output.split(separator: "\n").count == 4
                })
            // Which of the two writes first is open.
            let office = try JSONReader.read(
                Array(first.run("logs", "-n", "1", "--store", store, "~node office", "--json").output.utf8))
            let id = try #require(office["id"]?.number?.int64)
            return [
                try first.run("logs", "--store", store, "~node ci"), try first.run("logs", "--json"),
                try second.run("show", String(id), "--store", store), try second.run("stats", "--json"),
                try second.run("export", "--har", "--store", store),
                try first.run("expect", "~u /a: 2..2", "--store", store),
                try first.curl(
                    "-H", "Authorization: Bearer none", "http://127.0.0.1:\(first.port)/c"),
                try second.run("clear", "--yes", "~u /b", "--store", store),
                try second.run("logs", "--store", store),
            ]
        }
        #expect(result[0].output.split(separator: "\n").count == 2 && result[0].output.contains("ci "), "\(result[0])")
        #expect(result[1].output.contains(#""node":"office""#) && result[1].output.contains(#""node":"ci""#))
        #expect(result[2].output.contains("node") && result[2].output.contains("office"), "\(result[2])")
        #expect(result[3].status == 0 && result[3].output.contains("127.0.0.1"), "\(result[3])")
        #expect(result[4].status == 0 && result[4].output.contains("/a"), "\(result[4].errors)")
        #expect(result[5].status == 0, "\(result[5])")
        #expect(result[7].status == 0 && result[7].output.contains("2 exchanges removed"), "\(result[7])")
        #expect(!result[8].output.contains("/b") && result[8].output.contains("/a"))
        try first.stop()
        try second.stop()
    }

    @Test(arguments: ["text", "json"])
    func `the password of a store is on no command line, in no file and in no output`(log: String) async throws {
        let server = try PostgresServer()
        let (secret, store) = (PostgresServer.password, server.networkAddress)
        let shunt = try ServingShunt(
            ["local": Self.profile], ["--store", store, "--log", log], environment: ["PGPASSWORD": secret])
        let outputs = try await blocking { () throws -> [String] in
            func run(_ words: String...) throws -> String {
                let result = try ChildProcess.run(
                    ShuntBinary.path, words, directory: shunt.folder.path, environment: ["PGPASSWORD": secret])
                return result.output + result.errors
            }
            #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/a").output == "pong")
            #expect(try eventually { try run("logs").contains("/a") })
            var outputs = [
                try ChildProcess.run("/bin/ps", ["-eo", "args"]).output, try run("status"), try run("status", "--json"),
                try run("show", "1"), try run("stats", "--json"), try run("doctor"),
                try ChildProcess.run("/usr/bin/env", ["grep", "-rl", secret, "."], directory: shunt.folder.path).output,
            ]
            // What is said of a server that lets nobody in, and of one that is away.
            let refused = try ChildProcess.run(
                ShuntBinary.path, ["logs", "--store", store], directory: shunt.folder.path,
                environment: ["PGPASSWORD": "wrong-" + secret])
            #expect(refused.status == 1 && refused.errors.contains("password authentication failed"), "\(refused)")
            try server.stop()
            outputs += [refused.output + refused.errors, try run("logs")]
            _ = try shunt.curl("http://127.0.0.1:\(shunt.port)/b")
            #expect(eventually { shunt.process.errors.contains("PostgreSQL at 127.0.0.1") })
            return outputs + [shunt.process.errors, shunt.process.output]
        }
        #expect(outputs[0].contains("serve") && outputs[1].contains("local"), "\(outputs[1])")
        for output in outputs { #expect(!output.contains(secret), "\(output)") }
        try server.start()
        try shunt.stop()
    }

    @Test func `logs -f goes on when the server is back`() async throws {
        let server = try PostgresServer()
        let shunt = try ServingShunt(["local": Self.profile], ["--store", server.address])
        let follower = try ChildProcess(
            ShuntBinary.path, ["logs", "-f", "--store", server.address], directory: shunt.folder.path)
        try await blocking {
            // A first one that it shows says that it follows.
            #expect(
                try eventually {
                    _ = try shunt.curl("http://127.0.0.1:\(shunt.port)/before")
                    return follower.output.contains("/before")
                }, "\(follower.errors)")
            try server.stop(hard: true)
            #expect(eventually { follower.errors.contains("when the server is back") }, "\(follower.errors)")
            _ = try shunt.curl("http://127.0.0.1:\(shunt.port)/meanwhile")
            try server.start()
            #expect(eventually { follower.output.contains("/meanwhile") }, "\(follower.errors)")
            follower.signal(SIGINT)
            #expect(try follower.wait().status == 0)
        }
        try shunt.stop()
    }

    @Test func `a run and its recording have the traffic of that run alone`() async throws {
        let server = try PostgresServer()
        let mocks = """
            { "kind": "local", "routes": [
                { "path": "/fine", "mock": { "text": "pong" } }, { "path": "/broken", "mock": { "status": 500 } }] }
            """
        let other = try ServingShunt(["local": mocks], ["--store", server.address, "--record", "served"])
        let key = other.folder.path + "/.shunt/store.key"
        try await blocking {
            _ = try other.curl("http://127.0.0.1:\(other.port)/broken")
            #expect(try eventually { try other.run("logs", "--store", server.address).output.contains("/broken") })
            let task = "curl -sS --noproxy '*' $SHUNT_URL/fine http://127.0.0.1:\(other.port)/broken"
            func run(_ more: [String]) throws -> ChildProcess.Result {
                try ChildProcess.run(
                    ShuntBinary.path,
                    [
                        "run", "--store", server.address, "--store-key", key, "--expect", "~c 5xx: 0", "--expect",
                        "~all: 1",
                    ]
                        + more + ["--", "sh", "-c", task],
                    directory: other.folder.path)
            }
            for more in [[], ["--node", "ci"], ["--node", "ci"]] {
                let result = try run(more)
                #expect(result.status == 0 && result.output.contains("pong"), "\(result)")
            }
            try other.stop()
            let served = try other.folder.read("Recordings/served.har")
            #expect(served.contains("/broken") && !served.contains("/fine"))
        }
    }

    @Test func `a recording goes on when the server is back, and has each exchange once`() async throws {
        let server = try PostgresServer()
        let shunt = try ServingShunt(["local": Self.profile], ["--store", server.address, "--record", "all"])
        let recorder = try ChildProcess(
            ShuntBinary.path, ["record", "more", "--store", server.address], directory: shunt.folder.path)
        try await blocking {
            #expect(eventually { recorder.errors.contains("until Ctrl-C") }, "\(recorder.errors)")
            func ask(_ path: String) throws { _ = try shunt.curl("http://127.0.0.1:\(shunt.port)/\(path)") }
            func has(_ name: String, _ path: String) -> Bool {
                (try? shunt.folder.read("Recordings/\(name).har").contains("/\(path)\"")) ?? false
            }
            try ask("before")
            #expect(eventually { has("all", "before") && has("more", "before") }, "\(recorder.errors)")
            try server.stop(hard: true)
            #expect(eventually { recorder.errors.contains("when the server is back") }, "\(recorder.errors)")
            try ask("meanwhile")
            try server.start()
            #expect(eventually { has("all", "meanwhile") && has("more", "meanwhile") }, "\(recorder.errors)")
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            try shunt.stop()
            for name in ["all", "more"] {
                let archive = try JSONReader.read(try shunt.folder.read("Recordings/\(name).har"))
                #expect(archive["log"]?["entries"]?.array?.count == 2)
            }
        }
    }

    @Test func `addresses that cannot be used are refused with words`() throws {
        let shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", Self.profile)
        let secret = try shunt.run("serve", "--store", "postgres://ada:hunter22@127.0.0.1/shunt")
        #expect(secret.status == 64 || secret.status == 2, "\(secret)")
        #expect(secret.errors.contains("PGPASSFILE") && !secret.errors.contains("hunter22"), "\(secret.errors)")
        let parameter = try shunt.run("logs", "--store", "postgres://ada@127.0.0.1/shunt?password=hunter22")
        #expect(parameter.errors.contains("PGPASSFILE") && !parameter.errors.contains("hunter22"), "\(parameter)")
        for spelling in [
            "POSTGRES://ada:hunter22@h/d", "Postgresql:ada:hunter22@h/d", "host=h user=ada password=hunter22",
            "postgres://ada@h/d?dbname=password%3Dhunter22", "postgres://ada@h/password%3Dhunter22",
        ] {
            for command in ["serve", "logs"] {
                let result = try shunt.run(command, "--store", spelling)
                #expect(result.status == 64 && !result.errors.contains("hunter22"), "\(spelling): \(result)")
            }
        }
        let away = try shunt.run("serve", "--store", "postgres://ada@127.0.0.1:1/shunt", "--port", "0")
        #expect(away.status == 1 && away.errors.contains("--store-spill"), "\(away)")
        let other = try shunt.run("serve", "--store-spill", "spill.db", "--port", "0")
        #expect(other.errors.contains("--store-spill is for a store in PostgreSQL"), "\(other)")
    }
}
