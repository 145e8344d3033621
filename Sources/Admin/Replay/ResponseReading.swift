import HTTP

/// A response on its way from a connection, bytes as they come.
struct ResponseReading {
    private static let bodyLimit = RecordedResponse.bodyLimit
    private let method: Method
    private var bytes: ContiguousArray<UInt8> = []
    private var parsed = ResponseHead()
    private var decoder: BodyDecoder?
    private(set) var status = 0
    private(set) var head: [UInt8] = []
    private(set) var body: [UInt8] = []
    private(set) var isCut = false
    private var hasEnded = false

    init(method: String) { self.method = Method.lookup(ContiguousArray(method.utf8).span) }

    /// Empty at the end of the connection.
    mutating func append(_ piece: ArraySlice<UInt8>) {
        if piece.isEmpty { hasEnded = true }
        bytes += piece
    }

    /// True when all is there.
    mutating func advance() throws(HTTPFailure) -> Bool {
        while decoder == nil { if try !readHead() { return false } }
        while true {
            let held = bytes
            guard let next = try decoder?.next(held.span) else { return true }
            switch next {
            case .framing(let count), .trailers(let count): bytes.removeFirst(count)
            case .data(let count):
                let room = max(0, Self.bodyLimit - body.count)
                body += bytes.prefix(min(room, count))
                if count > room { isCut = true }
                bytes.removeFirst(count)
                decoder?.advance(count)
            case .needMore:
                if hasEnded { try decoder?.endOfInput() }
                return hasEnded
            case .end: return true
            }
        }
    }

    /// False when more must come; responses that are not the last one are passed over.
    private mutating func readHead() throws(HTTPFailure) -> Bool {
        let held = bytes
        let length = try parsed.parse(held.span, to: method)
        guard let length else {
            guard hasEnded else { return false }
            // With nothing in front of it, this says that the response was cut short.
            var nothing = BodyDecoder(.chunked, isResponse: true)
            try nothing.endOfInput()
            return false
        }
        status = parsed.status
        head = Array(bytes[..<length])
        bytes.removeFirst(length)
        if !parsed.isInformational { decoder = BodyDecoder(parsed.framing, isResponse: true) }
        return true
    }
}
