#if canImport(Darwin)
enum Desktop {
    static let opener = "open"
    static let isThere = true
}
#endif
