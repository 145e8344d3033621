import Bytes
import Foundation
import Testing

/// Pages that Shunt makes look like the inspector.
@Suite struct PageStyleTests {
    @Test func `colours and type are those of the inspector's stylesheet`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let sheet = try String(
            contentsOf: root.appendingPathComponent("Sources/Admin/Inspector/Web/style.css"), encoding: .utf8)
        for (name, light, dark) in PageStyle.colours {
            #expect(sheet.contains("--\(name): light-dark(\(light), \(dark));"), "\(name)")
            #expect(PageStyle.sheet.contains("--\(name):\(light)") && PageStyle.sheet.contains("--\(name):\(dark)"))
        }
        #expect(sheet.contains(" \(PageStyle.sans);") && sheet.contains("--mono: \(PageStyle.mono);"))
    }

    @Test func `no rule names a colour that the sheet does not define`() {
        var rest = PageStyle.sheet[...]
        var used: Set<Substring> = []
        while let place = rest.range(of: "var(--") {
            rest = rest[place.upperBound...]
            used.insert(rest.prefix { $0 != ")" })
        }
        let known = Set(PageStyle.colours.map { Substring($0.0) } + ["mono"])
        #expect(!used.isEmpty && used.isSubset(of: known), "\(used.subtracting(known))")
    }

    @Test(arguments: [
        ("plain", "plain"), ("<b> & \"c\"", "&lt;b&gt; &amp; &quot;c&quot;"),
        ("run `shunt ca` now", "run <code>shunt ca</code> now"),
        ("`a` and `<b>`", "<code>a</code> and <code>&lt;b&gt;</code>"),
        ("one ` alone", "one ` alone"), ("", ""), ("``", "<code></code>"),
    ])
    func `text is escaped, and what stands in backquotes is code`(text: String, html: String) {
        #expect(PageStyle.text(text) == html)
    }
}
