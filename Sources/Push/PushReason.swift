/// Why APNs refuses a notification, by its own words.
public enum PushReason: String, Sendable, CaseIterable {
    case badChannelID = "BadChannelId"
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPath = "BadPath"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case channelNotRegistered = "ChannelNotRegistered"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case expiredProviderToken = "ExpiredProviderToken"
    case expiredToken = "ExpiredToken"
    case idleTimeout = "IdleTimeout"
    case invalidProviderToken = "InvalidProviderToken"
    case invalidPushType = "InvalidPushType"
    case methodNotAllowed = "MethodNotAllowed"
    case missingChannelID = "MissingChannelId"
    case missingDeviceToken = "MissingDeviceToken"
    case missingProviderToken = "MissingProviderToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case payloadTooLarge = "PayloadTooLarge"
    case shutdown = "Shutdown"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case topicDisallowed = "TopicDisallowed"
    case unregistered = "Unregistered"

    /// The status of the response, as Apple's table has it.
    public var status: Int {
        switch self {
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken: 403
        case .badPath, .channelNotRegistered: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .shutdown: 503
        default: 400
        }
    }

    /// The body of the response, and the debug data of a GOAWAY.
    /// - Parameter timestamp: milliseconds since 1970, with 410 alone.
    public func body(timestamp: Int64? = nil) -> [UInt8] {
        Array(
            (timestamp.map { #"{"reason":"\#(rawValue)","timestamp":\#($0)}"# } ?? #"{"reason":"\#(rawValue)"}"#).utf8)
    }
}
