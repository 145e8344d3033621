import CSystem
import Platform

/// Opens a URL in the user's browser.
enum BrowserOpener {
    /// False if there is no browser to open it: the user gets the URL instead.
    static func open(_ url: String) -> Bool {
        guard Desktop.isThere, let program = shunt_popen("\(Desktop.opener) \(Path.quoted(url)) >/dev/null 2>&1", "r")
        else { return false }
        return shunt_pclose(program) == 0
    }
}
