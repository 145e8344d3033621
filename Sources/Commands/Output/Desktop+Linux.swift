#if os(Linux)
import Platform

enum Desktop {
    static let opener = "xdg-open"
    /// Without a display xdg-open starts a browser in the terminal.
    static var isThere: Bool { getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil }
}
#endif
