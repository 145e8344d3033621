#if !canImport(Darwin)
extension UserFolder {
    static let usualPlace = ".local/share"
}
#endif
