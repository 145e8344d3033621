/// The fields of a request to APNs that say how to deliver its notification.
public struct PushFields: Sendable, Equatable {
    public var authorization: String?
    public var topic: String?
    public var pushType: String?
    public var id: String?
    public var expiration: String?
    public var priority: String?
    public var collapseID: String?
    public var channelID: String?
    /// A field came twice.
    public private(set) var hasDuplicates = false

    public init() {}

    /// Takes a field's value; fields that APNs does not know say nothing.
    /// - Parameter name: in any case.
    public mutating func take(_ name: String, _ value: String) {
        let isFirst =
            switch name.lowercased() {
            case "authorization": Self.set(&authorization, value)
            case "apns-topic": Self.set(&topic, value)
            case "apns-push-type": Self.set(&pushType, value)
            case "apns-id": Self.set(&id, value)
            case "apns-expiration": Self.set(&expiration, value)
            case "apns-priority": Self.set(&priority, value)
            case "apns-collapse-id": Self.set(&collapseID, value)
            case "apns-channel-id": Self.set(&channelID, value)
            default: true
            }
        if !isFirst { hasDuplicates = true }
    }

    /// False where it came before.
    private static func set(_ field: inout String?, _ value: String) -> Bool {
        defer { field = value }
        return field == nil
    }
}

/// Where a request to APNs leads.
public enum PushTarget: Equatable, Sendable {
    case device(token: String)
    /// All devices that have subscribed to a channel of the app.
    case broadcast(bundle: String)

    /// - Parameter path: with the query, which no path of APNs has.
    /// - Throws: the reason why APNs refuses the path.
    public init(path: String) throws(PushReason) {
        guard !path.utf8.contains(UInt8(ascii: "?")) else { throw .badPath }
        if let token = Self.rest(path, behind: "/3/device") {
            guard !token.isEmpty else { throw .missingDeviceToken }
            guard !token.utf8.contains(UInt8(ascii: "/")) else { throw .badPath }
            self = .device(token: token)
        } else if let bundle = Self.rest(path, behind: "/4/broadcasts/apps"), !bundle.isEmpty, !bundle.contains("/") {
            self = .broadcast(bundle: bundle)
        } else {
            throw .badPath
        }
    }

    private static func rest(_ path: String, behind prefix: String) -> String? {
        if path == prefix { return "" }
        let bytes = path.utf8
        guard bytes.starts(with: prefix.utf8) else { return nil }
        let rest = bytes.dropFirst(prefix.utf8.count)
        return rest.first == UInt8(ascii: "/") ? String(Substring(rest.dropFirst())) : nil
    }
}

extension PushReason: Error {}
