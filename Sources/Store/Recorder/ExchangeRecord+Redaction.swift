import Bytes
public import Exchanges
public import Reactor
package import Redaction

extension ExchangeRecord {
    /// The same without secrets: all facts go through this function before they are written, logged or reported.
    ///
    /// It covers every text, since each may quote bytes from the network.
    func redacted(by secrets: RecordingRedaction) -> ExchangeRecord {
        var out: [UInt8] = []
        out.reserveCapacity(place.count + 128)
        out.append(contentsOf: bytes[place.prefix(Self.headSize)])
        for text in Text.allCases.prefix(Self.ownTexts) {
            guard let range = self.text(text) else { continue }
            let start = out.count
            redact(text, range, secrets, into: &out)
            Self.store(out.count - start, at: Self.lengths + 4 * text.rawValue, in: &out)
        }
        let start = out.count
        remember(context, areLists: false, secrets, into: &out) { redactContext(secrets, into: &$0) }
        Self.store(out.count - start, at: Self.contextSize, in: &out)
        // The lists have an entry of their own: with a trace in them they are never the same twice.
        if !listPlace.isEmpty {
            remember(listPlace, areLists: true, secrets, into: &out) { redactLists(secrets, into: &$0) }
        }
        return ExchangeRecord(out, 0..<out.count)
    }

    private func remember(
        _ part: Range<Int>, areLists: Bool, _ secrets: RecordingRedaction, into out: inout [UInt8],
        _ redact: (inout [UInt8]) -> Void
    ) {
        bytes.withUnsafeBufferPointer { all in
            let known = Span(_unsafeElements: UnsafeBufferPointer(rebasing: all[part]))
            secrets.remembering(known, areLists: areLists, into: &out, redact)
        }
    }

    private func redact(_ text: Text, _ range: Range<Int>, _ secrets: RecordingRedaction, into out: inout [UInt8]) {
        let value = bytes[range]
        switch text {
        // Instead of a URL it is the beginning of an unreadable request.
        case .url where !isReadable: secrets.redact(text: value.span, isCut: true, into: &out)
        case .url: secrets.redact(url: value.span, into: &out)
        // The rows of its certificates are found by it.
        case .chain where value.allSatisfy({ ByteSearch.hexDigit($0) != nil }): out.append(contentsOf: value)
        // Shunt has made it, and filters find it.
        case .session where value.count == 16 && value.allSatisfy({ ByteSearch.hexDigit($0) != nil }):
            out.append(contentsOf: value)
        case .client where value.allSatisfy({ $0 &- 0x2E < 13 || $0 == 0x5B || $0 == 0x5D || $0 &- 0x61 < 6 }):
            out.append(contentsOf: value)
        default: secrets.redact(text: value.span, isCut: false, into: &out)
        }
    }

    private var isReadable: Bool { text(.method).map { bytes[$0] != [UInt8(ascii: "-")] } ?? true }

    private func redactContext(_ secrets: RecordingRedaction, into out: inout [UInt8]) {
        let start = out.count
        out.append(contentsOf: bytes[context.prefix(Self.contextHead)])
        for text in Self.contextTexts {
            guard let range = self.text(text) else { continue }
            let begin = out.count
            redact(text, range, secrets, into: &out)
            Self.store(out.count - begin, at: start + 4 * (text.rawValue - Self.ownTexts), in: &out)
        }
    }

    private func redactLists(_ secrets: RecordingRedaction, into out: inout [UInt8]) {
        eachList { index, texts in
            Self.append(count: texts.count, to: &out)
            // Digits of Shunt's own making, however much they look like a token.
            let isTrace =
                index == ExchangeTable.traceIndex && texts.count > 0 && Exchange.Trace(texts: strings(texts)) != nil
            var rest = texts
            for _ in 0..<texts.count {
                let (text, place) = (next(&rest), out.count)
                Self.append(count: text.count, to: &out)
                if isTrace {
                    out.append(contentsOf: bytes[text])
                } else {
                    secrets.redact(text: bytes[text].span, isCut: false, into: &out)
                    Self.store(out.count - place - 4, at: place, in: &out)
                }
            }
        }
    }

    private static func append(count: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: count)) { bytes.append(contentsOf: $0) }
    }

    private static func store(_ count: Int, at place: Int, in bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: Int32(truncatingIfNeeded: count), toByteOffset: place, as: Int32.self)
        }
    }
}

extension Exchange {
    /// The same without secrets, by the same function.
    package func redacted(by secrets: RecordingRedaction) -> Exchange {
        var bytes: [UInt8] = []
        ExchangeRecord.write(self, to: &bytes)
        var exchange = ExchangeRecord(bytes, 0..<bytes.count).redacted(by: secrets).exchange
        exchange.id = id
        return exchange
    }
}

extension LogWriter {
    /// Starts a log whose secrets are replaced as in a store, with a new key for each log.
    ///
    /// - Parameter isHeld: nothing is written before ``LogWriter/release()``.
    public convenience init(descriptor: CInt, format: LogFormat, keepsSecrets: Bool = false, isHeld: Bool = false)
        throws(SystemError)
    {
        try self.init(descriptor: descriptor, format: format, isHeld: isHeld) {
            let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            if keepsSecrets {
                let secrets = RecordingRedaction(ownSecretsBy: key)
                return { record in OwnSecrets.number == 0 ? record : record.redacted(by: secrets) }
            }
            let secrets = RecordingRedaction(key: key, rules: RedactionRules())
            return { record in record.redacted(by: secrets) }
        }
    }
}
