/// What APNs accepts and advises against.
public enum PushWarning: String, Sendable, CaseIterable {
    case noType = "no-push-type"
    case backgroundPriority = "background-priority"
    case payloadNearLimit = "payload-near-limit"
    /// Apple takes a connection per notification for an attack.
    case connectionPerPush = "connection-per-push"
    /// More often than every 20 minutes; on a single connection that is a refusal.
    case tokenRenewedOften = "token-renewed-often"

    /// As the log has it among what was changed.
    public var mark: String { "!" + rawValue }

    public var sentence: String {
        switch self {
        case .noType: "apns-push-type is missing: watchOS needs it, and other systems may deliver later without it"
        case .backgroundPriority: "a background notification has priority 10, and APNs asks for 5"
        case .payloadNearLimit: "the payload is within a tenth of its limit"
        case .connectionPerPush: "each notification came on a connection of its own, which APNs takes for an attack"
        case .tokenRenewedOften: "the provider token was renewed within 20 minutes, which APNs refuses"
        }
    }

    /// Those that one notification alone shows.
    /// - Parameter bytes: of its payload.
    public static func found(in fields: PushFields, bytes: Int) -> [PushWarning] {
        var found: [PushWarning] = []
        if fields.pushType == nil { found.append(.noType) }
        if fields.pushType == PushType.background.rawValue, (fields.priority ?? "10") == "10" {
            found.append(.backgroundPriority)
        }
        let max = PushType.maxPayload(fields.pushType.flatMap { PushType(rawValue: $0) })
        if bytes <= max, bytes * 10 >= max * 9 { found.append(.payloadNearLimit) }
        return found
    }
}
