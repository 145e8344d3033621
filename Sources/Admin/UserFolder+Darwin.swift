#if canImport(Darwin)
extension UserFolder {
    static let usualPlace = "Library/Application Support"
}
#endif
