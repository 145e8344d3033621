import Store

/// Why the admin interface refuses a request.
struct AdminRefusal: Error {
    let status: Int
    let message: String
    /// The next step.
    let advice: String?
    /// Where in a body, from 1.
    let line: Int?
    /// Where in a filter, or in a line of a body, from 1.
    let column: Int?
    /// Header fields that this refusal adds to the common ones.
    let fields: [(name: String, value: String)]

    init(
        _ status: Int, _ message: String, advice: String? = nil, line: Int? = nil, column: Int? = nil,
        fields: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.message = message
        self.advice = advice
        (self.line, self.column) = (line, column)
        self.fields = fields
    }
}

extension AdminRefusal {
    /// Too many requests of this kind run at present.
    static func busy(_ message: String) -> AdminRefusal {
        AdminRefusal(503, message, advice: "Try again in a moment.", fields: [("Retry-After", "1")])
    }

    static let noStore = AdminRefusal(
        409, "the traffic store is off", advice: "Start Shunt without --no-store, and read what it prints at the start."
    )

    static func noExchange(_ id: Int64) -> AdminRefusal {
        AdminRefusal(
            404, "there is no exchange \(id), or not any more", advice: "GET /v1/traffic lists those that are.")
    }

    init(_ failure: StoreFailure) {
        switch failure.kind {
        case .missing: self = .noStore
        case .busy, .away: self = .busy("\(failure)")
        default: self.init(500, "\(failure)")
        }
    }
}
