/// How far an exchange has come when a filter is asked about it.
public enum FilterStage: Sendable {
    /// The head of the request is known, and the profile.
    case request
    /// The head of the response is known, too.
    case response
    /// A message of a stream is known, too.
    case message
}

extension TrafficFilter {
    /// The first operator that asks for something that is not known at a stage; nil where all is.
    public func unknown(at stage: FilterStage) -> String? { root.unknown(at: stage) }

    /// Whether an exchange may meet it once all is known.
    public func mayMatch(_ subject: some FilterSubject, at stage: FilterStage) -> Bool {
        root.verdict(subject, at: stage) ?? true
    }
}

extension FilterNode {
    fileprivate func unknown(at stage: FilterStage) -> String? {
        switch self {
        case .term(let term): term.unknown(at: stage)
        case .not(let node): node.unknown(at: stage)
        case .and(let nodes), .or(let nodes): nodes.lazy.compactMap { $0.unknown(at: stage) }.first
        }
    }
}

extension FilterNode {
    /// nil where it cannot be told yet.
    fileprivate func verdict(_ subject: some FilterSubject, at stage: FilterStage) -> Bool? {
        switch self {
        case .term(let term): return term.unknown(at: stage) == nil && !term.isOfResponse ? term.matches(subject) : nil
        case .not(let node): return node.verdict(subject, at: stage).map(!)
        case .and(let nodes):
            let verdicts = nodes.map { $0.verdict(subject, at: stage) }
            return verdicts.contains(false) ? false : verdicts.contains(nil) ? nil : true
        case .or(let nodes):
            let verdicts = nodes.map { $0.verdict(subject, at: stage) }
            return verdicts.contains(true) ? true : verdicts.contains(nil) ? nil : false
        }
    }
}

extension FilterTerm {
    /// It asks whether there is a response.
    fileprivate var isOfResponse: Bool {
        switch self {
        case .withResponse, .withoutResponse: true
        default: false
        }
    }

    fileprivate func unknown(at stage: FilterStage) -> String? {
        switch self {
        case .all, .since, .withResponse, .withoutResponse, .call: nil
        case .text(let text, _): text.unknown(at: stage)
        case .field([.request], _): nil
        case .field(let sides, _): stage != .request ? nil : sides == [.response] ? "~hs" : "~h"
        case .status: stage != .request ? nil : "~c"
        case .error: stage != .request ? nil : "~e"
        case .asset: stage != .request ? nil : "~a"
        case .mock: stage != .request ? nil : "~mock"
        case .bridge: stage != .request ? nil : "~bridge"
        case .changed(let name): stage != .request ? nil : "~\(name.dropFirst())"
        case .identifiers: "~id"
        case .slow: "~slow"
        case .webSocket: stage == .message ? nil : "~websocket"
        case .body(let sides, _):
            stage == .message ? nil : sides.count == 2 ? "~b" : sides == [.request] ? "~bq" : "~bs"
        case .contract: "~contract"
        case .callStatus: "~grpcstatus"
        case .reason: "~reason"
        case .operation: "~gql"
        case .graphQLError: "~gqlerror"
        }
    }
}

extension FilterText {
    fileprivate func unknown(at stage: FilterStage) -> String? {
        switch self {
        case .method, .url, .host, .client, .app, .requestType, .profile, .session: nil
        case .responseType: stage != .request ? nil : "~ts"
        case .anyType: stage != .request ? nil : "~t"
        case .destination: stage != .request ? nil : "~dst"
        case .route: stage != .request ? nil : "~route"
        case .trust: stage != .request ? nil : "~trust"
        case .node: "~node"
        }
    }
}
