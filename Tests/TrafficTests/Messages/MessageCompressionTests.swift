import Exchanges
import Foundation
import Testing

/// Messages that are compressed, and what becomes too much.
@Suite struct MessageCompressionTests {
    @Test(arguments: [
        ("permessage-deflate", true, true, 15, 15),
        ("permessage-deflate; server_no_context_takeover", false, true, 15, 15),
        ("x-other, permessage-deflate;client_no_context_takeover ; client_max_window_bits=10", true, false, 15, 10),
        (
            " PERMESSAGE-DEFLATE ;server_max_window_bits = \"9\", permessage-deflate; server_no_context_takeover", true,
            true, 9, 15
        ),
        ("permessage-deflate; server_max_window_bits=99999999999999999999; client_max_window_bits", true, true, 15, 15),
    ])
    func `what both ends agreed on is read`(value: String, server: Bool, client: Bool, serverBits: Int, clientBits: Int)
        throws
    {
        let deflate = try #require(PermessageDeflate(extensions: value))
        #expect(deflate.server.keepsContext == server && deflate.client.keepsContext == client)
        #expect(deflate.server.windowBits == serverBits && deflate.client.windowBits == clientBits)
    }

    @Test(arguments: ["", ",,", ";", "x-webkit-deflate-frame", "permessage-deflated", "=;=, ;;"])
    func `what is no permessage-deflate is none`(value: String) {
        #expect(PermessageDeflate(extensions: value) == nil)
    }

    private func reader(_ parameters: String = "", limit: Int) -> WebSocketReader {
        WebSocketReader(
            from: .origin, deflate: PermessageDeflate(extensions: "permessage-deflate" + parameters), limit: limit)
    }

    @Test func `what inflates well is counted to its end, and those after it are read`() {
        var writer = WebSocketWriter(isMasking: false, deflater: Deflater(keepsContext: true))
        let long = (0..<20_000).flatMap { Array("{\"n\":\($0 &* 2_654_435_761 % 1_000_003)}".utf8) }
        let stream =
            writer.message(1, long, isCompressed: true) + writer.message(1, Array(long[..<500]), isCompressed: true)
        let found = reader(limit: 1000).all(stream, by: 4096)
        #expect(found.map(\.length) == [Int64(long.count), 500] && found.map(\.isCut) == [true, false])
        #expect(found[0].bytes == Array(long[..<1000]) && found[1].bytes == Array(long[..<500]))
    }

    @Test func `a bomb is inflated to the limit and not on`() throws {
        let bomb = [UInt8](repeating: 0x61, count: 30_000_000)
        for keepsContext in [true, false] {
            var writer = WebSocketWriter(isMasking: false, deflater: Deflater(keepsContext: keepsContext))
            let after = Array("after it".utf8)
            let stream =
                writer.message(1, bomb, cuts: [1000], isCompressed: true)
                + writer.message(1, after, isCompressed: true) + writer.message(1, after)
            let parameters = keepsContext ? "" : "; server_no_context_takeover"
            let found = reader(parameters, limit: 10_000).all(stream)
            try #require(found.count == 3)
            #expect(found[0].bytes == Array(bomb[..<10_000]) && found[0].isCut)
            #expect(found[0].length < 2_000_000, "inflated to \(found[0].length)")
            // It may refer to what was not inflated.
            #expect(found[1].isUndecodable == keepsContext && found[1].bytes == (keepsContext ? [] : after))
            #expect(found[1].length > 0 && found[2].bytes == after)
        }
    }

    @Test func `what cannot be inflated ends the reading`() {
        let writer = WebSocketWriter(isMasking: false)
        let good = writer.frame(0x81, Array("good".utf8))
        for size in [1, 1000] {
            let found = reader(limit: 100).all(good + writer.frame(0xC1, [0xFF, 0xFF, 0xFF]) + good, by: size)
            #expect(found.map(\.kind) == [.text, .error])
        }
        for (first, rule) in [(UInt8(0xC9), "control"), (0xC0, "continuation")] {
            let start = first == 0xC0 ? writer.frame(0x01, []) : []
            let found = reader(limit: 100).all(start + writer.frame(first, []))
            #expect(found.map(\.kind) == [.error])
            #expect(String(decoding: found[0].bytes, as: UTF8.self).contains(rule))
        }
    }
}
