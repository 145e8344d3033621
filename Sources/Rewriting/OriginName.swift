/// An origin as URLs name it.
public struct OriginName: Hashable, Sendable {
    public let isTLS: Bool
    /// Lower case, IDNA, no brackets.
    public let host: String
    public let port: UInt16
    /// Empty, or `/` and more without a `/` at its end: what a client's `/` stands for.
    public let basePath: String

    public init(isTLS: Bool, host: String, port: UInt16, basePath: String) {
        self.isTLS = isTLS
        self.host = host
        self.port = port
        self.basePath = basePath
    }
}
