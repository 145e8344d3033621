extension ClientKit {
    static let xctest = ClientKit(name: "xctest", summary: "sessions for XCTest and Swift Testing") { _ in
        [ClientFile(path: "ShuntSession.swift", text: xctestText)]
    }

    private static let xctestText = ##"""
        // Made by `shunt client-kit`. One file without dependencies: a session of Shunt for each test.
        //   @Test func cart() async throws {                      // or a method of an XCTestCase
        //       try await ShuntSession.run { shunt in
        //           try await shunt.mock("/v1/cart", #"{"json": {"items": []}}"#)
        //           try await shunt.fault("/v1/pay", #""reset""#)
        //           try await shunt.expect("~m POST & ~u /orders: 1")
        //           var request = URLRequest(url: url)
        //           shunt.apply(to: &request)
        //           _ = try await URLSession.shared.data(for: request)
        //       }
        //   }
        // At the end its expectations are checked, and the session ends with all that belongs to it.
        import Foundation

        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        /// What went wrong, or was expected and did not happen.
        struct ShuntError: Error, CustomStringConvertible {
            let description: String
        }

        /// Routes, states and expectations for the requests that carry its field or its cookie.
        actor ShuntSession {
            /// The field, whose value is ``id``.
            static let field = "Shunt-Session"

            nonisolated let id: String
            /// The session's own port where it was started with one.
            nonisolated let url: String?
            private let running: Running
            private var expects = false

            /// The admin interface and its token.
            private struct Running: Decodable, Sendable {
                let admin: String
                let token: String

                /// Of SHUNT_ADMIN and SHUNT_TOKEN, else of the Shunt of this folder, or of that of the test's file.
                static func find(from file: String) throws -> Running {
                    let environment = ProcessInfo.processInfo.environment
                    if let admin = environment["SHUNT_ADMIN"], let token = environment["SHUNT_TOKEN"] {
                        return Running(admin: admin, token: token)
                    }
                    for start in [FileManager.default.currentDirectoryPath, file] {
                        var folder = URL(fileURLWithPath: start).standardizedFileURL
                        while true {
                            let records = folder.appendingPathComponent(".shunt")
                            let names = (try? FileManager.default.contentsOfDirectory(atPath: records.path)) ?? []
                            let record = names.filter { $0.hasSuffix(".json") && Int($0.dropLast(5)) != nil }.min()
                            if let record {
                                let data = try Data(contentsOf: records.appendingPathComponent(record))
                                return try JSONDecoder().decode(Running.self, from: data)
                            }
                            guard folder.path != "/" else { break }
                            folder.deleteLastPathComponent()
                        }
                    }
                    throw ShuntError(
                        description: "no Shunt runs here: start `shunt serve`, or set SHUNT_ADMIN and SHUNT_TOKEN")
                }

                /// Asks the admin interface for JSON.
                func ask<Answer: Decodable>(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
                    guard let url = URL(string: "\(admin)/v1/sessions\(path)") else {
                        throw ShuntError(description: "\(admin) is no URL")
                    }
                    var request = URLRequest(url: url, timeoutInterval: 60)
                    request.httpMethod = method
                    request.httpBody = body.map { Data($0.utf8) }
                    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                    let (data, response) = try await URLSession.shared.data(for: request)
                    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
                    guard status >= 200, status < 300 else {
                        let problem = try? JSONDecoder().decode(Problem.self, from: data)
                        throw ShuntError(
                            description: problem.map { "\($0.detail). \($0.advice ?? "")" } ?? "the status is \(status)")
                    }
                    return try JSONDecoder().decode(Answer.self, from: data)
                }
            }

            private struct Problem: Decodable {
                let detail: String
                let advice: String?
            }

            private struct Facts: Decodable {
                let id: String
                let url: String?
            }

            private struct Nothing: Decodable {}

            private struct Routes: Decodable {
                struct Route: Decodable {
                    let name: String
                    let hits: Int
                }
                let routes: [Route]
            }

            private struct Verdict: Decodable {
                let met: Bool
                let failures: [String]
            }

            private init(_ running: Running, _ facts: Facts) {
                (self.running, id, url) = (running, facts.id, facts.url)
            }

            /// - Parameter settings: as JSON: `{"profile": "staging", "port": true, "network": "3g"}`.
            static func start(_ settings: String = "{}", file: String = #filePath) async throws -> ShuntSession {
                let running = try Running.find(from: file)
                return ShuntSession(running, try await running.ask("POST", "", settings))
            }

            /// Runs `body`, checks what it expects, and ends the session.
            static func run<Value>(
                _ settings: String = "{}", file: String = #filePath, isolation: isolated (any Actor)? = #isolation,
                _ body: (ShuntSession) async throws -> Value
            ) async throws -> Value {
                let session = try await start(settings, file: file)
                do {
                    let value = try await body(session)
                    if await session.expects { try await session.verify() }
                    try await session.end()
                    return value
                } catch {
                    try? await session.end()
                    throw error
                }
            }

            /// Lets a request belong to the session.
            nonisolated func apply(to request: inout URLRequest) {
                request.setValue(id, forHTTPHeaderField: Self.field)
            }

            /// Adds routes, as JSON as a profile has them: one, or an array.
            func route(_ routes: String) async throws {
                let _: Routes = try await running.ask("POST", "/\(id)/routes", routes)
            }

            /// Responds: `mock("/v1/cart", #"{"status": 200, "json": {}}"#)`, with the keys of a mock.
            func mock(_ path: String, _ mock: String) async throws {
                try await route(#"{"path": \#(Self.quoted(path)), "mock": \#(mock)}"#)
            }

            /// Lets requests fail: `fault("/v1/pay", #""reset""#)`; the rest goes on to the profile.
            func fault(_ path: String, _ fault: String) async throws {
                try await route(#"{"path": \#(Self.quoted(path)), "fault": \#(fault)}"#)
            }

            /// How often the route of a name has responded.
            func hits(_ name: String) async throws -> Int {
                let all: Routes = try await running.ask("GET", "/\(id)/routes")
                guard let route = all.routes.first(where: { $0.name == name }) else {
                    throw ShuntError(description: "the session has no route \(name)")
                }
                return route.hits
            }

            /// Texts such as `"~c 5xx: 0"`.
            func expect(_ expectations: String...) async throws {
                try await expectJSON("[\(expectations.map(Self.quoted).joined(separator: ", "))]")
            }

            /// Expectations as JSON, as in a file of `shunt expect`: one, or an array.
            func expectJSON(_ expectations: String) async throws {
                let _: Nothing = try await running.ask("POST", "/\(id)/expectations", expectations)
                expects = true
            }

            /// Throws unless all expectations are met, with the nearest miss of each that is not.
            func verify() async throws {
                let verdict: Verdict = try await running.ask("GET", "/\(id)/verify")
                guard verdict.met else { throw ShuntError(description: verdict.failures.joined(separator: "\n")) }
            }

            func end() async throws {
                let _: Nothing = try await running.ask("DELETE", "/\(id)")
            }

            private static func quoted(_ text: String) -> String {
                let data = (try? JSONEncoder().encode(text)) ?? Data()
                return String(decoding: data, as: UTF8.self)
            }
        }

        """##
}
