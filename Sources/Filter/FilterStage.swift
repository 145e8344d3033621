/// How far an exchange has come when a filter is asked about it.
public enum FilterStage: Sendable {
    /// The head of the request is known, and the profile.
    case request
    /// The head of the response is known, too.
    case response
}

extension TrafficFilter {
    /// The first operator that asks for something that is not known at a stage; nil where all is.
    public func unknown(at stage: FilterStage) -> String? { root.unknown(at: stage) }
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

extension FilterTerm {
    fileprivate func unknown(at stage: FilterStage) -> String? {
        switch self {
        case .all, .since, .withResponse, .withoutResponse: nil
        case .text(let text, _): text.unknown(at: stage)
        case .field([.request], _): nil
        case .field(let sides, _): stage == .response ? nil : sides == [.response] ? "~hs" : "~h"
        case .status: stage == .response ? nil : "~c"
        case .error: stage == .response ? nil : "~e"
        case .asset: stage == .response ? nil : "~a"
        case .mock: stage == .response ? nil : "~mock"
        case .bridge: stage == .response ? nil : "~bridge"
        case .changed(let name): stage == .response ? nil : "~\(name.dropFirst())"
        case .identifiers: "~id"
        case .slow: "~slow"
        case .webSocket: "~websocket"
        case .body(let sides, _): sides.count == 2 ? "~b" : sides == [.request] ? "~bq" : "~bs"
        case .reason: "~reason"
        }
    }
}

extension FilterText {
    fileprivate func unknown(at stage: FilterStage) -> String? {
        switch self {
        case .method, .url, .host, .client, .app, .requestType, .profile: nil
        case .responseType: stage == .response ? nil : "~ts"
        case .anyType: stage == .response ? nil : "~t"
        case .destination: stage == .response ? nil : "~dst"
        case .route: stage == .response ? nil : "~route"
        case .trust: stage == .response ? nil : "~trust"
        case .node: "~node"
        }
    }
}
