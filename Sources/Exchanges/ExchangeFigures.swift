/// The numbers of an exchange, which differ each time.
public struct ExchangeFigures: Sendable {
    /// Microseconds since 1970, UTC.
    public var startedAt: Int64
    /// The response's status; nil when none was sent.
    public var status: Int?
    public var retries = 0
    public var timings = Exchange.Timings()
    public var bytes = Exchange.ByteCounts()
    /// The connection to the origin had carried others before.
    public var isReused = false
    /// TLS with the origin went on from an earlier session.
    public var isResumed = false
    public var isUnlocked = false
    public var graphQLErrors: Int?
    public var grpcStatus: Int?

    public init(startedAt: Int64) { self.startedAt = startedAt }
}

extension Exchange {
    /// Its numbers alone.
    public var figures: ExchangeFigures {
        var figures = ExchangeFigures(startedAt: startedAt)
        figures.status = status
        figures.retries = retries
        figures.timings = timings
        figures.bytes = bytes
        figures.isReused = origin?.isReused ?? false
        figures.isResumed = origin?.isResumed ?? false
        figures.isUnlocked = isUnlocked
        (figures.graphQLErrors, figures.grpcStatus) = (graphQLErrors, grpcStatus)
        return figures
    }
}
