import JSON

/// What has no column of its own, as JSON.
struct FactsWriter {
    private var writer = JSONWriter()

    /// Appends the facts, and says where; nil if there are none.
    mutating func append(_ record: ExchangeRecord, to bytes: inout [UInt8]) -> Range<Int>? {
        writer.removeAll()
        writer.beginObject()
        append(record.timings)
        let flags = record.flags
        if flags.contains(.reused) { writer.member("reused", true) }
        if flags.contains(.resumed) { writer.member("resumed", true) }
        if flags.contains(.unlocked) { writer.member("unlocked", true) }
        if flags.contains(.lists) { append(record.lists) }
        writer.endObject()
        guard writer.bytes.count > 2 else { return nil }
        let start = bytes.count
        bytes.append(contentsOf: writer.bytes)
        return start..<bytes.count
    }

    private mutating func append(_ lists: (rewritten: [String], hops: [Exchange.Hop])) {
        if !lists.rewritten.isEmpty { writer.member("rewritten", lists.rewritten) }
        guard !lists.hops.isEmpty else { return }
        writer.key("hops")
        writer.array { array in
            for hop in lists.hops {
                array.object { object in
                    object.member("origin", hop.origin)
                    object.member("outcome", hop.outcome)
                }
            }
        }
    }

    private mutating func append(_ timings: Exchange.Timings) {
        if let blocked = timings.blocked { writer.member("blocked", blocked) }
        if let dns = timings.dns { writer.member("dns", dns) }
        if let connect = timings.connect { writer.member("connect", connect) }
        if let tls = timings.tls { writer.member("tls", tls) }
        if let send = timings.send { writer.member("send", send) }
        if let wait = timings.wait { writer.member("wait", wait) }
        if let receive = timings.receive { writer.member("receive", receive) }
    }
}

extension Exchange {
    /// Takes back what ``FactsWriter`` wrote; what is broken is left out.
    mutating func read(facts: [UInt8]) {
        guard let value = try? JSONReader.read(facts, dialect: .strict) else { return }
        func phase(_ name: String) -> UInt64? { value[name]?.number?.int64.flatMap { UInt64(exactly: $0) } }
        func isSet(_ name: String) -> Bool { value[name]?.bool ?? false }
        timings.blocked = phase("blocked")
        timings.dns = phase("dns")
        timings.connect = phase("connect")
        timings.tls = phase("tls")
        timings.send = phase("send")
        timings.wait = phase("wait")
        timings.receive = phase("receive")
        origin?.isReused = isSet("reused")
        origin?.isResumed = isSet("resumed")
        isUnlocked = isSet("unlocked")
        rewritten = (value["rewritten"]?.array ?? []).compactMap { $0.string }
        hops = (value["hops"]?.array ?? []).compactMap { hop in
            guard let origin = hop["origin"]?.string, let outcome = hop["outcome"]?.string else { return nil }
            return Hop(origin: origin, outcome: outcome)
        }
    }
}
