import Cluster
import Engine
import Inspection
import Profiles
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
        (self.status, self.message, self.advice) = (status, message, advice)
        (self.line, self.column) = (line, column)
        self.fields = fields
    }
}

extension AdminRefusal {
    /// The same with the problem of the profiles, since what is missing may be in files that could not be read.
    func explained(by problems: [String]) -> AdminRefusal {
        guard status == 404, let first = problems.first else { return self }
        let reason = "The profiles have errors, so the old ones stay: \(first)"
        let words = [advice, reason].compactMap(\.self).joined(separator: "\n")
        return AdminRefusal(status, message, advice: words, line: line, column: column, fields: fields)
    }

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

    /// Any error of a request, as the response says it.
    init(_ error: any Error) {
        switch error {
        case let error as AdminRefusal: self = error
        case let error as Refusal: self.init(400, error.message, advice: error.advice)
        case let error as RequestEditFailure: self.init(400, error.message, advice: error.advice)
        case let error as LoginFailure: self.init(409, error.message, advice: error.advice)
        case let error as ProgramFailure: self.init(409, error.message, advice: error.advice)
        case let error as RouteRefusal: self.init(409, error.message, advice: error.advice)
        case let error as ReplayFailure: self.init(502, error.message)
        case let error as EngineFailure: self.init(error.status, error.message, advice: error.advice)
        case let error as Attachments.Refusal: self.init(error)
        case let error as ClusterRefusal: self.init(error)
        case let error as HoldFailure: self.init(error)
        case let error as ProxyError: self.init(error)
        case let error as SessionFailure: self.init(error)
        case let error as StoreFailure: self.init(error)
        case let error as TokenFailure: self.init(error)
        default: self.init(500, "\(error)")
        }
    }

    init(_ failure: StoreFailure) {
        switch failure.kind {
        case .missing: self = .noStore
        case .busy, .away: self = .busy("\(failure)")
        default: self.init(500, "\(failure)")
        }
    }
}
