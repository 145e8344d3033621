import Commands
import Foundation
import TestSupport
import Testing

/// What a camera makes of the blocks in a terminal.
@Suite struct QRCodeTests {
    private static let reader = """
        import sys, zbar
        lines = open(sys.argv[1], encoding="utf-8").read().split("\\n")[:-1]
        width = len(lines[0])
        rows = []
        for line in lines:
            assert len(line) == width
            rows.append([255 if c in " ▄" else 0 for c in line])
            rows.append([255 if c in " ▀" else 0 for c in line])
        size = 6
        data = b"".join(bytes(v for v in row for _ in range(size)) * size for row in rows)
        image = zbar.Image(width * size, len(rows) * size, "Y800", data)
        zbar.ImageScanner().scan(image)
        print(*[symbol.data for symbol in image], sep="\\n", end="")
        """

    /// The system's own Python, which Debian's package is for; elsewhere there may be none.
    private static let canDecode =
        (try? ChildProcess.run("/usr/bin/python3", ["-c", "import zbar"]).status) == 0

    @Test(
        .enabled(if: canDecode),
        arguments: [
            "http://192.168.1.7:4886/pair?code=ABCD2345",
            "http://[fd12:3456:789a:1:abcd:ef01:2345:6789]:65535/pair?code=ZYXW9876", "x",
        ])
    func `it says what was put into it`(text: String) throws {
        let folder = try TemporaryFolder()
        let code = try #require(QRCode(text))
        let blocks = try folder.write("code", code.text(painted: false))
        let result = try ChildProcess.run("/usr/bin/python3", ["-c", Self.reader, blocks])
        #expect(result.output == text, "\(result)")
    }

    @Test func `painted it has the same modules, in black on white, line by line`() throws {
        let code = try #require(QRCode("http://10.0.0.1:1/"))
        let plain = code.text(painted: false).split(separator: "\n")
        let painted = code.text(painted: true).split(separator: "\n")
        #expect(painted == plain.map { "\u{1b}[38;5;16;48;5;231m\($0)\u{1b}[0m" })
        // Four light modules on each side.
        #expect(plain.prefix(2).allSatisfy { $0.allSatisfy { $0 == " " } })
        #expect(plain.allSatisfy { $0.hasPrefix("    ") && $0.hasSuffix("    ") })
    }

    @Test func `what fits no code gives none`() {
        #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    }
}
