// Tests of the kit for XCTest, against the Shunt at BASE; compiled beside the kit, prints ok.
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main struct SessionKit {
    static func ask(_ session: ShuntSession, _ path: String) async throws -> String {
        let base = ProcessInfo.processInfo.environment["BASE"] ?? ""
        guard let url = URL(string: base + path) else { throw ShuntError(description: "no URL") }
        var request = URLRequest(url: url)
        session.apply(to: &request)
        return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
    }

    static func check(_ isRight: Bool, _ what: String) throws {
        if !isRight { throw ShuntError(description: what) }
    }

    static func apart(_ number: Int) async throws {
        try await ShuntSession.run(#"{"name": "test \#(number)"}"#) { session in
            try await session.route(#"{"name": "cart", "path": "/cart", "mock": {"json": {"number": \#(number)}}}"#)
            try await session.expect("~u /cart: 1")
            try check(try await ask(session, "/cart") == #"{"number":\#(number)}"#, "cart of \(number)")
            try check(try await ask(session, "/turns") == "first", "turns of \(number)")
            try check(try await session.hits("cart") == 1, "hits of \(number)")
        }
    }

    static func main() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { try await apart(number) } }
            try await group.waitForAll()
        }
        do {
            try await ShuntSession.run { session in
                try await session.mock("/a", #"{"text": "mine"}"#)
                try await session.fault("/b", #"{"kind": "status", "status": 503}"#)
                try check(try await ask(session, "/a") == "mine", "mock")
                try check(try await ask(session, "/b").hasPrefix("503"), "fault")
                try await session.expect("~m POST & ~u /cart: 1")
            }
            throw ShuntError(description: "a miss was not noticed")
        } catch let error as ShuntError {
            try check(error.description.contains("nearest"), error.description)
        }
        print("ok")
    }
}
