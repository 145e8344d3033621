/// The look of the pages that Shunt makes itself: colours and type of the inspector's stylesheet.
///
/// Each page has it in its head, since old browsers and pages without scripts show it, too. Phones that do not know
/// `light-dark()` get the same pairs by a media query.
package enum PageStyle {
    /// Names of the inspector's variables, each with its value on light and on dark.
    package static let colours = [
        ("back", "#ffffff", "#16181d"), ("raised", "#f5f6f8", "#1d2026"), ("line", "#dfe2e7", "#2e323b"),
        ("text", "#1b1e24", "#e4e7ec"), ("quiet", "#5d6573", "#9aa3b2"), ("accent", "#2456c8", "#8ab0ff"),
        ("chosen", "#dde8ff", "#25365c"), ("red", "#b3261e", "#ff8a80"), ("pX", "#c43d00", "#ff8c4a"),
    ]
    package static let sans = #"system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif"#
    package static let mono =
        #"ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", Menlo, Consolas, monospace"#

    /// A stylesheet: a card on the page's ground, headings, links, code.
    package static let sheet = """
        :root{color-scheme:light dark;\(colours.map { "--\($0.0):\($0.1)" }.joined(separator: ";"));--mono:\(mono)}\
        @media(prefers-color-scheme:dark){:root{\(colours.map { "--\($0.0):\($0.2)" }.joined(separator: ";"))}}\
        *{box-sizing:border-box}body{margin:0;padding:6vh 16px 16px;background:var(--back);color:var(--text);\
        font:16px/1.5 \(sans);overflow-wrap:anywhere}\
        main{max-width:44em;margin:0 auto;padding:20px 28px;border:1px solid var(--line);border-radius:10px;\
        background:var(--raised)}h1{font-size:20px;line-height:1.3;margin:0 0 12px}p{margin:12px 0}a{color:var(--accent)}\
        small{color:var(--quiet)}code,pre{font-family:var(--mono);font-size:.9em;background:var(--back);\
        border:1px solid var(--line);border-radius:5px;padding:1px 5px}\
        :focus-visible{outline:2px solid var(--accent);outline-offset:1px}
        """

    /// A whole page.
    ///
    /// - Parameters:
    ///   - title: plain text.
    ///   - main: HTML.
    ///   - more: rules of the page's own.
    package static func page(title: String, _ main: String, more: String = "") -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(HTMLText.escaped(title))</title><style>\(sheet)\(more)</style></head>
        <body><main>\(main)</main></body></html>

        """
    }

    /// Text with its lines, and with what stands in backquotes as code.
    package static func text(_ text: String) -> String {
        let parts = HTMLText.escaped(text).split(separator: "`", omittingEmptySubsequences: false)
        // An odd number of backquotes are not pairs.
        guard parts.count % 2 == 1 else { return HTMLText.escaped(text) }
        return parts.indices.map { $0 % 2 == 1 ? "<code>\(parts[$0])</code>" : String(parts[$0]) }.joined()
    }
}
