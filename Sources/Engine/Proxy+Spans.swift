package import Metrics

// Spans are told by the observer of all exchanges, and sent by an exporter.
extension Proxy {
    /// What has become of spans; nil where none are sent.
    package var spanCounts: SpanQueue.Counts? { spans?.queue.counts }

    /// The same configuration, with an observer that collects spans where they are to be sent.
    static func observed(_ configuration: Configuration) -> (Configuration, (SpanQueue, SpanExport)?) {
        guard let settings = configuration.spans else { return (configuration, nil) }
        var configuration = configuration
        let queue = SpanQueue(next: configuration.observer)
        configuration.observer = queue
        configuration.tracing = configuration.tracing ?? TraceSampling()
        return (configuration, (queue, settings))
    }
}
