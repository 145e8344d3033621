import TestSupport
import Testing

/// What a page can tell apart, in each of the engines that people browse with.
@Suite struct WorldBrowserTests {
    enum Browser: String, CaseIterable {
        case chromium, firefox, webkit

        static let areInstalled =
            ClientProgram.browser != nil && ClientProgram.find("firefox-esr", "firefox") != nil
            && ClientProgram.find("WebKitWebDriver") != nil && ClientProgram.find("Xvfb") != nil
    }

    private static let caches = [
        "a permanent redirect does not outlive its environment",
        "a script with max age does not outlive its environment",
        "a 304 of one environment shows no page of another",
    ]
    private static let others = [
        "uploads of 8 MB see the status", "uploads in plain text see the status", "logins are kept apart",
        "a changed style is shown", "a changed style that may be stored is shown",
        "calls of a bridge are replied to", "the inspector loads and lists",
    ]

    private func expect(_ cases: [String], in browser: Browser) throws {
        let names = cases.map { $0.replacing(" ", with: "_") }
        try ClientProgram.expect(
            cases,
            of: ["python3", "-B", SampleApp.scripts + "/world.py", browser.rawValue, ShuntBinary.path] + names)
    }

    @Test func `Chromium shows what the present environment has, whatever it has stored of the one before`() throws {
        try expect(Self.caches, in: .chromium)
    }

    @Test(
        .extended, .enabled(if: Browser.areInstalled, "Chromium, Firefox or WebKit \(ClientProgram.hint)"),
        arguments: Browser.allCases)
    func `each browser sees refusals, switches, changed files, a bridge's replies and the inspector`(browser: Browser)
        throws
    {
        try expect(Self.caches + Self.others, in: browser)
    }
}
