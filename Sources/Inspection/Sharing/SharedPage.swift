import Bytes

/// The page around shared exchanges.
enum SharedPage {
    static func start(version: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <title>Traffic of Shunt</title><style>\(style)</style></head>
        <body><header><h1>Traffic</h1><p>Recorded by Shunt \(HTMLText.escaped(version)).</p>
        <p role="search"><label for="find">Search</label> <input id="find" type="search" autocomplete="off">
        <output id="shown" for="find"></output></p></header>
        <main>

        """
    }

    static func end(_ summary: ExportSummary) -> String {
        """
        </main>
        <footer><p>\(summary.exchanges) \(summary.exchanges == 1 ? "exchange" : "exchanges"). \
        \(HTMLText.escaped(summary.secretsText))</p></footer>
        <script>\(script)</script></body></html>

        """
    }

    /// Nothing but this style and this script, and pictures that stand in the page itself.
    private static let policy =
        "default-src 'none'; script-src '\(digest(script))'; style-src '\(digest(style))'; img-src data:; "
        + "base-uri 'none'; form-action 'none'"

    private static func digest(_ text: String) -> String { "sha256-" + Base64Encoder.text(sha256(text.utf8)) }

    private static func variables(_ value: ((String, String, String)) -> String) -> String {
        (PageStyle.colours + phases).map { "--\($0.0):\(value($0))" }.joined(separator: ";")
    }

    private static let phases = [
        ("blocked", "#8a94a6", "#6b7487"), ("dns", "#7a5ccc", "#a78bfa"), ("connect", "#b3261e", "#ff8a80"),
        ("tls", "#a3590a", "#f0b458"), ("send", "#1d7a62", "#7fb8a8"), ("wait", "#2456c8", "#8ab0ff"),
        ("receive", "#1a7f37", "#57ab5a"),
    ]

    /// Rows far away cost no layout, and those that are closed none at all.
    private static let style = """
        :root{color-scheme:light dark;\(variables { $0.1 })}\
        @media(prefers-color-scheme:dark){:root{\(variables { $0.2 })}}\
        *{box-sizing:border-box}[hidden]{display:none}\
        body{margin:0;padding:0 16px 16px;background:var(--back);color:var(--text);font:15px/1.5 \(PageStyle.sans);\
        overflow-wrap:anywhere}\
        header{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline;\
        padding:8px 0;background:var(--back);border-bottom:1px solid var(--line)}\
        h1{font-size:18px;margin:0}header p,footer p{margin:0;color:var(--quiet)}\
        h2{font-size:14px;margin:14px 0 4px}\
        input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:5px;\
        padding:3px 8px;max-width:100%}\
        main>details{border-bottom:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 36px;\
        scroll-margin-top:60px}details[open]{padding-bottom:12px;contain-intrinsic-size:auto 900px}\
        summary{cursor:pointer;padding:6px 2px}details[open]>summary{font-weight:600;background:var(--chosen)}\
        small,.note{color:var(--quiet);font-size:13px}.bad{color:var(--red)}p{margin:6px 0}a{color:var(--accent)}\
        pre{font:13px/1.45 \(PageStyle.mono);margin:0;padding:8px;background:var(--raised);border:1px solid var(--line);\
        border-radius:5px;white-space:pre-wrap;overflow-wrap:anywhere}pre small{font-family:\(PageStyle.sans)}\
        ins,del{text-decoration:none}ins{color:var(--accent)}del{color:var(--red)}\
        img{max-width:100%;max-height:360px;background:var(--raised);border:1px solid var(--line)}\
        svg{display:block;width:100%;height:8px;border-radius:4px;background:var(--raised)}\
        \(phases.map { ".\($0.0){fill:var(--\($0.0))}" }.joined())\
        :focus-visible{outline:2px solid var(--accent);outline-offset:1px}footer{padding-top:12px}\
        @media print{header{position:static}input,label,output{display:none}\
        main>details{content-visibility:visible}pre,img{break-inside:auto}summary{break-after:avoid}}
        """

    /// Searches, opens what a link names, and opens what is printed.
    private static let script = #"""
        "use strict";
        const all = [...document.querySelectorAll("main > details")];
        const [field, shown] = ["find", "shown"].map(id => document.getElementById(id));
        const MOST_PRINTED = 300;
        let timer, opened = [];
        function find() {
            const wanted = field.value.toLowerCase();
            for (const one of all) one.hidden = wanted !== "" && !one.textContent.toLowerCase().includes(wanted);
            shown.textContent = wanted && `${all.filter(one => !one.hidden).length} of ${all.length}`;
        }
        field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(find, 120); });
        function jump() {
            const one = all.find(({ id }) => id === location.hash.slice(1));
            if (!one) return;
            [one.hidden, one.open] = [false, true];
            one.scrollIntoView();
        }
        addEventListener("hashchange", jump);
        jump();
        if (all.length === 1) all[0].open = true;
        addEventListener("beforeprint", () => {
            const closed = all.filter(one => !one.hidden && !one.open);
            opened = closed.length <= MOST_PRINTED ? closed : [];
            for (const one of opened) one.open = true;
        });
        addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
        """#
}
