/// The width in characters of the terminal that a descriptor leads to; nil if it leads to none, or it has no width.
public func terminalWidth(_ descriptor: CInt) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}
