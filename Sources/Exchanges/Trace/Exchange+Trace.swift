extension Exchange {
    /// The exchange as a span of a distributed trace, with a span for each attempt at an origin.
    public struct Trace: Sendable {
        public var id: TraceParent.TraceID
        public var span: UInt64
        /// The client's span; nil where the trace begins here.
        public var parent: UInt64?
        /// It is to be recorded.
        public var isSampled: Bool
        public var attempts: [Attempt] = []

        public init(id: TraceParent.TraceID, span: UInt64, parent: UInt64?, isSampled: Bool) {
            (self.id, self.span, self.parent, self.isSampled) = (id, span, parent, isSampled)
        }

        /// One try at one origin.
        public struct Attempt: Sendable {
            public var span: UInt64
            /// Scheme, host and port.
            public var origin: String
            /// Microseconds from the exchange's start.
            public var start: UInt64
            public var end: UInt64
            /// The stage at which it failed, or why another one followed; nil where the origin responded.
            public var failure: String?

            public init(span: UInt64, origin: String, start: UInt64) {
                (self.span, self.origin, self.start, end) = (span, origin, start, start)
            }
        }
    }
}

extension Exchange.Trace {
    /// The numbers of the trace, of the span, and of the client's span if there is one.
    package var texts: [String] {
        [id.text, TraceParent.text(ofSpan: span)] + (parent.map { [TraceParent.text(ofSpan: $0)] } ?? [])
    }

    /// Reads what ``texts`` returned; nil for anything else.
    package init?(texts: [String]) {
        guard texts.count == 2 || texts.count == 3, texts[0].utf8.count == 32,
            texts.dropFirst().allSatisfy({ $0.utf8.count == 16 }),
            let high = UInt64(texts[0].prefix(16), radix: 16), let low = UInt64(texts[0].suffix(16), radix: 16),
            let id = TraceParent.TraceID(high: high, low: low), let span = UInt64(texts[1], radix: 16)
        else { return nil }
        self.init(id: id, span: span, parent: texts.count > 2 ? UInt64(texts[2], radix: 16) : nil, isSampled: true)
    }
}
