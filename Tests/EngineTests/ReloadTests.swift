import Engine
import Exchanges
import Foundation
import Profiles
import Reactor
import TLS
import TestSupport
import Testing

/// What profiles that are read again leave as it is, and what ends with the old ones.
@Suite struct ReloadTests {
    private static let inner = ["inner": #"{"kind": "local", "routes": [{"mock": {"text": "pong"}}]}"#]

    @Test(arguments: ["http", "https", "h2c"])
    func `connections to an origin stay as long as nothing about it changes`(scheme: String) async throws {
        let inner = try await Harness.start(
            profiles: Self.inner, active: "inner",
            identities: scheme == "https" ? .development(try DevelopmentCA.ephemeral()) : nil)
        let route = #"{"path": "/*", "origin": "\#(scheme)://localhost:\#(inner.port)"}"#
        func profile(_ routes: String) -> [String: String] {
            ["only": #"{"kind": "local", "routes": [\#(routes)], "trust": {"@loopback": "disabled"}}"#]
        }
        let first = #"{"path": "/first", "origin": "http://127.0.0.1:1"}"#
        let harness = try await Harness.start(profiles: profile(first + "," + route), active: "only")
        let port = harness.port
        func ask() async throws { #expect(try await askOnce(port, "GET", "/").body == "pong") }
        try await ask()
        // A comment, another order, more origins and fewer, another profile.
        let second = #"{"path": "/second", "origin": "http://127.0.0.1:2"}"#
        for routes in [
            "// a comment\n\(first), \(route)", "\(route), \(second), \(first)", route, "\(second), \(route)",
        ] {
            try harness.proxy.replace(with: try Harness.library(profile(routes)))
            try await ask()
        }
        // Then something about it does.
        try harness.proxy.replace(
            with: try Harness.library(profile(#"{"origin": "\#(scheme)://localhost:\#(inner.port)/base"}"#)))
        try await ask()
        try harness.proxy.replace(with: try Harness.library(profile(route)))
        try await ask()
        await harness.stop()
        await inner.stop()
        let reused = harness.log.exchanges.map { $0.origin?.isReused }
        #expect(reused == [false, true, true, true, true, false, false])
    }

    @Test(arguments: [false, true])
    func `a CA file with other content counts for routes and for forwarded hosts`(isForwarded: Bool) async throws {
        let (old, new) = (try DevelopmentCA.ephemeral(), try DevelopmentCA.ephemeral())
        let inner = try await Harness.start(
            profiles: Self.inner, active: "inner", identities: .development(old))
        let folder = try TemporaryFolder()
        try folder.write("ca.pem", old.certificatePEM)
        let host = isForwarded ? "elsewhere.test" : "*"
        try folder.write(
            "Profiles/only.json",
            """
            {"kind": "local", "certificateAuthorities": ["../ca.pem"],
             "routes": [{"host": "\(host)", "path": "/*", "origin": "https://localhost:\(inner.port)"}]}
            """)
        func library() throws -> ProfileLibrary { try ProfileLibrary.load(directory: folder.path + "/Profiles") }
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        configuration.forward = ForwardProxy()
        let proxy = try await Proxy.start(configuration, profiles: try library(), active: "only")
        let port = proxy.addresses[0].port
        func ask() async throws -> String {
            try await blocking {
                let client = try RawConnection.connect(port)
                let target = isForwarded ? "https://localhost:\(inner.port)/" : "/"
                try client.send("GET \(target) HTTP/1.1\r\nHost: localhost:\(inner.port)\r\nConnection: close\r\n\r\n")
                return String(try client.readHead().prefix(12))
            }
        }
        #expect(try await ask() == "HTTP/1.1 200")
        try proxy.replace(with: try library())
        #expect(proxy.changedTrustFiles == [])
        #expect(try await ask() == "HTTP/1.1 200")
        try folder.write("ca.pem", new.certificatePEM)
        // Nothing is read before the reload.
        #expect(try await ask() == "HTTP/1.1 200")
        try proxy.replace(with: try library())
        #expect(proxy.changedTrustFiles == [folder.path + "/ca.pem"])
        #expect(try await ask() == "HTTP/1.1 502")
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
        await inner.stop()
    }

    @Test func `kept responses go with their profile, and when their space changes`() async throws {
        let backend = OfflineTests.Backend(OfflineTests.response("kept"))
        defer { backend.stop() }
        func library(_ names: [String], _ size: String) throws -> ProfileLibrary {
            try Harness.library(
                Dictionary(
                    uniqueKeysWithValues: names.map {
                        (
                            $0,
                            #"{"kind": "local", "offline": {"maxSize": "\#(size)"}, "routes": [{"origin": "\#(backend.url)"}]}"#
                        )
                    }))
        }
        let proxy = try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)]), profiles: try library(["a", "b"], "64MB"),
            active: "a")
        let port = proxy.addresses[0].port
        func ask() async throws { #expect(try await askOnce(port, "GET", "/").body == "kept") }
        try await ask()
        #expect(eventually { proxy.keptBytes > 0 })
        let one = proxy.keptBytes
        try proxy.use("b")
        try await ask()
        #expect(eventually { proxy.keptBytes == 2 * one })
        try proxy.replace(with: try library(["a", "b"], "64MB"))
        #expect(proxy.keptBytes == 2 * one)
        try proxy.replace(with: try library(["b"], "64MB"))
        #expect(proxy.keptBytes == one)
        try proxy.replace(with: try library(["b"], "65MB"))
        #expect(proxy.keptBytes == 0)
        await proxy.drain()
        proxy.stop()
    }

    @Test func `the files of a route are open once, whatever streams began before`() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<20 { try folder.write("site/\(number).txt", "some text") }
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            _ = try connection.readToEnd()
        }
        defer { origin.stop() }
        @Sendable func library(_ comment: String) throws -> ProfileLibrary {
            try Harness.library([
                "only": """
                {"kind": "local", "routes": [{"path": "/files/*", "files": "\(folder.path)/site"}, // \(comment)
                 {"path": "/events", "origin": "http://127.0.0.1:\(origin.port)"}]}
                """
            ])
        }
        let proxy = try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)]), profiles: try library("0"), active: "only")
        let port = proxy.addresses[0].port
        /// Those of this process that lead into the folder.
        @Sendable func openFiles() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0))?
                    .hasPrefix(folder.path) == true
            }
        }
        let streams = try await blocking {
            var streams: [RawConnection] = []
            for number in 0..<5 {
                let stream = try RawConnection.connect(port)
                try stream.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try stream.read(until: "data: 1")
                streams.append(stream)
                for file in 0..<20 {
                    #expect(try ClientKind.h1.ask(port, "GET", "/files/\(file).txt").body == "some text")
                }
                #if os(Linux)
                #expect(try openFiles() <= 21)
                #endif
                try proxy.replace(with: try library("\(number + 1)"))
            }
            return streams
        }
        #if os(Linux)
        // Nobody asks for them any more.
        #expect(try eventually { try openFiles() == 0 })
        #endif
        for stream in streams { stream.close() }
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }
}
