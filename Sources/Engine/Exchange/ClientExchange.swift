import Exchanges
package import HTTP
package import Reactor
import Rewriting
import Store
import TLS

/// Serves one request after the other of one client, each with its response.
///
/// It holds the parts of an exchange; ``serve()`` is the life of a request. Confined to its worker.
package final class ClientExchange {
    let state: WorkerState
    package let client: Client
    let request = Request()
    package let metrics = ExchangeMetrics()
    let body: RequestBody
    /// Records the present exchange; nil without a store.
    private(set) var recording: Recording?
    private var keptRelayMemory: RelayMemory?
    private var presentBinding = OriginBinding()
    /// What the route of the present request does to it.
    var way = Passage()
    /// A handler responds to the present request, or its response is on its way: its connection is not closed for new ones.
    var isHandled = false {
        didSet {
            guard isHandled != oldValue else { return }
            client.connected.handled += isHandled ? 1 : -1
        }
    }
    /// It has become a WebSocket, which lasts until one end closes it.
    var isWebSocket = false {
        didSet {
            guard isWebSocket != oldValue else { return }
            if isWebSocket { didAnswer() }
            state.counters.webSockets += isWebSocket ? 1 : -1
        }
    }
    /// It is a WebSocket or an event stream at an origin, which stays with its environment after a switch, until one end
    /// closes it or ``isEnded`` is set.
    var isLasting = false {
        didSet {
            guard isLasting != oldValue else { return }
            isEnded = false
            if !isLasting {
                messages.endInjection()
                messages.closeGates()
            }
            state.lasting[ObjectIdentifier(self)] = isLasting ? self : nil
        }
    }
    /// Messages to be put into it; nil as long as there are none.
    var injection: InjectedMessages?
    /// What its messages go through; nil where they go on as they come.
    var gates: MessageGates?
    var messages: StreamMessages { StreamMessages(exchange: self) }
    /// It is to end, since another profile is active.
    var isEnded = false
    /// By which environment the request is routed, until its response begins; else 0.
    private var routed: UInt64 = 0

    package init(_ channel: Channel, _ waiter: Waiter, _ state: WorkerState, peer: SocketAddress? = nil) {
        self.state = state
        client = Client(channel, waiter, state, peer: peer)
        body = RequestBody(client, request)
    }

    /// What a relay works with; none is kept while the connection rests.
    var relayMemory: RelayMemory {
        if let keptRelayMemory { return keptRelayMemory }
        let memory = RelayMemory(state.limits)
        keptRelayMemory = memory
        return memory
    }

    /// The bytes of the present request's head.
    var headBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(Span(_unsafeElements: request.received.elements), borrowing: self) }
    }

    /// Whether its connection to the origin is the client's own; a change is made to a copy.
    var binding: OriginBinding {
        get { presentBinding }
        set { presentBinding = newValue }
    }

    /// What the response brings about when it is sent.
    var effects: PendingEffects {
        get { way.effects }
        // Taken out meanwhile, as a channel's ``Channel/input`` is.
        _modify {
            var taken = PendingEffects()
            swap(&taken, &way.effects)
            defer { swap(&taken, &way.effects) }
            yield &taken
        }
    }

    /// The request's head as origins get it, as far as its route changes it.
    var sent: OwnedHead {
        // Not a getter: that would count a reference.
        _read { if let changed = way.edits?.request { yield changed } else { yield request.received } }
    }

    // MARK: HTTP/1.1

    /// Reads the next request's head, if all of it lies in the input.
    package func readHead() throws(HTTPFailure) -> Bool {
        guard try request.received.read(&client.channel.input, state) else { return false }
        try request.takeSessionLabel(state)
        forgetRoute()
        return true
    }

    /// Responds to bytes that are no request, and ends the connection.
    package func refuse(_ failure: EngineFailure) async {
        client.mustClose = true
        if !client.channel.isStream { request.received.takeUnreadable(&client.channel.input, state) }
        request.received.forget()
        forgetRoute()
        if state.isObserved {
            metrics.observe(RequestDescription(unreadable: headBytes, isStream: client.channel.isStream))
        }
        record(headBytes)
        metrics.didFail(failure)
        await respond(.failure(failure, wantsHTML: false))
        finish()
    }

    /// Another request begins.
    func forgetRoute() {
        request.forgetRoute()
        way = Passage()
    }

    /// Gives back the memory that an idle connection does not need.
    func rest() {
        request.received.clear(state)
        keptRelayMemory = nil
    }

    /// Releases the memory of the last request.
    @inline(never)
    package func release() {
        request.received.release(state)
        body.release()
        request.lookahead.forgetContent()
    }

    // MARK: Parts

    /// The request waits for its response, by the present environment.
    func didRoute() {
        didAnswer()
        routed = state.present.didRoute()
    }

    /// A response has begun that may last, or the exchange is over.
    func didAnswer() {
        guard routed != 0 else { return }
        state.present.didAnswer(routed)
        routed = 0
    }

    /// The client's network reaches no origin, and what it gets is not a kept response.
    var isCutOff: Bool { state.hasCuts && client.channel.wire?.network?.cutsOrigins == true && way.staleAge == nil }

    /// Begins to record an exchange with its request's head.
    func record(_ head: Span<UInt8>) {
        guard let recording = state.resting.recording(of: client, metrics) else { return }
        recording.add(.clientRequest, head)
        self.recording = recording
    }

    /// Leaves the exchange out of the traffic; nothing of it was handed over yet.
    func ignore() {
        metrics.ignore()
        guard let recording else { return }
        recording.abandon()
        state.resting.keep(recording)
        self.recording = nil
    }

    /// The exchange is over: counts, log and store.
    func finish() {
        state.counters.exchanges &+= 1
        guard metrics.isObserved else { return }
        if let recording {
            if let body = way.sentBody { recording.add(originRequest: body) }
            recording.finish()
        }
        if let observer = state.observer { observer.exchangeEnded(tracedExchange()) }
        if let recording {
            state.resting.keep(recording)
            self.recording = nil
        }
        metrics.end()
    }

    /// The exchange as observers get it; where it has a span, its operation is looked for now, else by the recorder.
    private func tracedExchange() -> Exchange {
        var exchange = ExchangeReport(metrics: metrics, client: client).exchange
        if let trace = exchange.trace, trace.isSampled, exchange.operation == nil {
            exchange.operation = recording?.operation(url: exchange.url)
        }
        return exchange
    }

    /// Logs a connection that ends without a request.
    func note(connection failure: EngineFailure) {
        guard state.isObserved else { return }
        metrics.begin(now: state.core.now)
        let exchange = ExchangeReport(metrics: metrics, client: client).exchange(ofConnection: failure)
        state.resting.recording(of: client, metrics)?.finish(exchange)
        state.observer?.exchangeEnded(exchange)
    }
}
