import Foundation
import JSON
import TestSupport
import Testing

/// Recording what passes, and responding with it when the origin is gone.
@Suite struct RecordCommandTests {
    private static let origin = #"""
        {"kind": "local", "routes": [
          {"path": "/v1/cart", "mock": {"responses": [{"json": {"items": []}}, {"json": {"items": [1, "é😀"]}}]}},
          {"path": "/login", "method": "POST", "mock": {"text": "welcome", "headers": {"Set-Cookie": "sid=s3cr3t; Path=/"}}},
          {"path": "/image", "mock": {"file": "image.bin", "headers": {"Content-Type": "image/png"}}},
          {"path": "/gone", "mock": {"status": 404, "text": "no such thing\n"}}]}
        """#
    private static let image = String(decoding: (0..<2000).map { UInt8($0 % 128) }, as: UTF8.self)

    private static func requests(_ shunt: ServingShunt) throws -> [String] {
        let base = "http://127.0.0.1:\(shunt.port)"
        let login = ["-H", "Content-Type: application/json", "-d", #"{"user": "ada", "password": "\#(shunt.port)"}"#]
        return try [
            ["\(base)/v1/cart"], ["\(base)/v1/cart"], ["\(base)/image"], ["\(base)/gone"], login + ["\(base)/login"],
        ].map { arguments in
            let result = try shunt.curl(
                ["-H", "Host: api.shop.test", "-w", "%{http_code} %{content_type}"] + arguments)
            return result.output + result.errors
        }
    }

    @Test func `what was recorded responds byte by byte when the origin is gone, also after SIGKILL`() throws {
        let shunt = try ServingShunt(["local": Self.origin], files: ["Profiles/image.bin": Self.image])
        let recorder = try ChildProcess(
            ShuntBinary.path, ["record", "shop", "~d api.shop.test"], directory: shunt.folder.path)
        #expect(eventually { shunt.folder.exists("Recordings/shop.har") && recorder.errors.contains("until") })
        let live = try Self.requests(shunt)
        #expect(
            eventually {
                (try? shunt.run("recordings", "show", "shop").output.split(separator: "\n").count) == 5
            }, "\(recorder.errors)")
        recorder.signal(9)
        _ = try recorder.wait()
        try shunt.stop()
        let archive = try shunt.folder.read("Recordings/shop.har")
        #expect(!archive.contains("s3cr3t") && !archive.contains("\"\(shunt.port)\""))
        _ = try JSONReader.read(archive, dialect: .strict)

        let replay = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"recording": "shop", "after": "error"}]}"#],
            files: ["Recordings/shop.har": archive])
        #expect(try Self.requests(replay) == live)
        let miss = try replay.curl("-H", "Host: api.shop.test", "http://127.0.0.1:\(replay.port)/v1/card")
        #expect(miss.output.contains("the path is /v1/card, not /v1/cart"))
        let explained = try replay.run("explain", "http://api.shop.test/v1/cart")
        #expect(explained.output.contains("recorded entries 1 (200), 2 (200) in turn, then an error"))
        try replay.stop()
    }

    @Test func `a recording is added to only if that is asked for, also where its end is missing`() throws {
        let shunt = try ServingShunt(["local": Self.origin], files: ["Profiles/image.bin": Self.image])
        let url = "http://127.0.0.1:\(shunt.port)/gone"
        _ = try shunt.curl(url)
        #expect(eventually { (try? shunt.run("logs").output.contains("/gone")) == true })
        func record(_ arguments: String...) throws -> ChildProcess.Result {
            let recorder = try ChildProcess(
                ShuntBinary.path, ["record", "shop", "--all"] + arguments, directory: shunt.folder.path)
            #expect(eventually { recorder.errors.contains("until") || !recorder.isRunning })
            recorder.signal(2)
            return try recorder.wait()
        }
        let first = try record()
        #expect(first.status == 0 && first.errors.contains("1 exchange recorded in Recordings/shop.har"), "\(first)")
        let refused = try record()
        #expect(refused.status == 1 && refused.errors.contains("there is a recording Recordings/shop.har already"))
        let whole = try shunt.folder.read("Recordings/shop.har")
        for text in [whole, String(whole.dropLast(3)), String(whole.dropLast(60))] {
            try shunt.folder.write("Recordings/shop.har", text)
            let added = try record("--append")
            #expect(added.status == 0, "\(added)")
            let archive = try JSONReader.read(try shunt.folder.read("Recordings/shop.har"), dialect: .strict)
            let count = archive["log"]?["entries"]?.array?.count
            #expect(count == (text.count > whole.count - 60 ? 2 : 1))
        }
        try shunt.stop()
    }

    @Test func `serve --record has what the log tells of, whenever it is killed and however small the store`() throws {
        let shunt = try ServingShunt(
            ["local": Self.origin], ["--record", "all", "--store-size", "1m"],
            files: ["Profiles/image.bin": String(repeating: "image ", count: 8000)])
        let base = "http://127.0.0.1:\(shunt.port)"
        // A handshake that fails has no URL.
        _ = try shunt.curl("--tls-max", "1.1", "https://127.0.0.1:\(shunt.port)/")
        let urls = (1...120).flatMap { ["-o", "/dev/null", "\(base)/image?\($0)"] }
        #expect(try shunt.curl(urls).status == 0)
        func told() -> [String] {
            shunt.process.errors.split(separator: "\n").compactMap { line in
                line.contains("/image?")
                    ? line.split(separator: "?").last.map { String($0.prefix { $0.isNumber }) } : nil
            }
        }
        #expect(eventually { told().count >= 100 })
        shunt.process.signal(9)
        _ = try shunt.process.wait()
        // The entry that was being written may lack its end.
        let shown = try JSONReader.read(try shunt.run("recordings", "show", "all", "--json").output)
        let entries = shown["entries"]?.array ?? []
        let recorded = Set(entries.compactMap { $0["url"]?.string?.split(separator: "?").last.map(String.init) })
        #expect(Set(told()).subtracting(recorded).isEmpty)
        #expect(entries.allSatisfy { $0["status"]?.number?.int64 == 200 })
    }

    @Test func `recordings are listed, those that cannot be read with their reason`() throws {
        let shunt = try ServingShunt(
            ["local": Self.origin],
            files: [
                "Profiles/image.bin": Self.image, "Recordings/broken.har": "[]",
                "Recordings/half.har": #"{"log":{"entries":[{"request":{"#,
            ])
        let list = try shunt.run("recordings")
        #expect(list.status == 1)
        #expect(
            list.output
                == "NAME    ENTRIES\nbroken        -  has no object where the archive should be, in line 1, column 1\n"
                + "half          0  the end is missing\n")
        let show = try shunt.run("recordings", "show", "none")
        #expect(show.status == 1 && show.errors.contains("the recording none cannot be read: No such file"))
        try shunt.stop()
    }
}
