import Bytes
import Reactor
import Store

/// Finished exchanges of streams, kept for reuse together with their tasks, and recordings with their memory.
///
/// Confined to its worker.
final class RestingExchanges {
    private let exchanges = Box<[ClientExchange]>([])
    private let recordings = Box<[Recording]>([])
    /// The channel of a stream's exchange between two streams.
    let nullChannel: Channel
    private static let maxExchanges = 256
    private static let maxRecordings = 128

    init(_ buffers: BufferPool) { nullChannel = Channel(buffers) }

    func takeExchange() -> ClientExchange? { exchanges.value.popLast() }

    /// Keeps an exchange for the next stream; false where there are enough.
    func keep(_ exchange: ClientExchange) -> Bool {
        guard exchanges.value.count < Self.maxExchanges else { return false }
        exchanges.value.append(exchange)
        return true
    }

    /// Begins to record an exchange; nil without a store.
    func recording(of client: Client, _ metrics: ExchangeMetrics) -> Recording? {
        guard let store = client.state.store else { return nil }
        let recording = recordings.value.popLast() ?? Recording(store)
        recording.begin(client, metrics)
        return recording
    }

    /// Keeps a recording's memory for the next exchange.
    func keep(_ recording: Recording) {
        guard recording.isSmall, recordings.value.count < Self.maxRecordings else { return }
        recordings.value.append(recording)
    }

    /// Lets the tasks of all exchanges end.
    func drain() {
        for exchange in exchanges.value { exchange.client.waiter.wake() }
        exchanges.value.removeAll()
    }
}
