import Bytes
import JSON

/// A request to APNs as it came.
public struct PushRequest: Sendable {
    public let method: String
    /// With the query.
    public let path: String
    public let fields: PushFields
    /// nil where it is longer than any payload may be.
    public let body: [UInt8]?

    public init(method: String, path: String, fields: PushFields, body: [UInt8]?) {
        (self.method, self.path, self.fields, self.body) = (method, path, fields, body)
    }
}

/// A refusal, with the time of 410.
public struct PushRefusal: Error, Equatable, Sendable {
    public let reason: PushReason
    /// Milliseconds since 1970.
    public let timestamp: Int64?

    public init(_ reason: PushReason, timestamp: Int64? = nil) { (self.reason, self.timestamp) = (reason, timestamp) }
}

/// The rules of APNs, by which a stand-in accepts or refuses notifications.
public struct PushRules: Sendable {
    /// Longer bodies are not read.
    public static let maxBody = 5120
    private static let maxCollapseID = 64
    /// Hexadecimal digits; Apple allows tokens of 100 bytes, and has sent 32.
    private static let tokenDigits = 64...200

    public var tokens = ProviderTokenRules()
    /// Identifiers of apps; empty for any.
    public var topics: [String] = []
    /// Device tokens in small letters, each with the time of its 410 in milliseconds since 1970.
    public var unregistered: [String: Int64] = [:]
    public var expired: [String: Int64] = [:]
    /// Tokens of the other environment, say.
    public var badTokens: Set<String> = []
    /// Tokens that belong to one topic alone.
    public var topicsOfTokens: [String: String] = [:]
    /// nil for any.
    public var channels: Set<String>?
    public var throttle: PushThrottle?

    public init() {}

    /// - Parameter now: seconds since 1970.
    /// - Throws: why APNs refuses the notification.
    public func check(_ request: PushRequest, in session: ProviderSession, now: Int64) throws(PushRefusal) -> PushTarget
    {
        let target: PushTarget
        let spelled: String
        do throws(PushReason) {
            target = try checkHead(request, in: session, now)
            try checkBody(request)
            guard case .device(let token) = target else { return target }
            try checkForm(token)
            spelled = token
        } catch {
            throw PushRefusal(error)
        }
        let token = try checkDevice(spelled, topic: request.fields.topic)
        if let throttle, !throttle.allows(token, now: now) { throw PushRefusal(.tooManyRequests) }
        return .device(token: token)
    }

    private func checkHead(
        _ request: PushRequest, in session: ProviderSession, _ now: Int64
    ) throws(PushReason) -> PushTarget {
        let target = try PushTarget(path: request.path)
        guard request.method == "POST" else { throw .methodNotAllowed }
        let fields = request.fields
        if fields.hasDuplicates { throw .duplicateHeaders }
        try tokens.check(fields.authorization, in: session, now: now)
        if let id = fields.id, !Self.isUUID(id) { throw .badMessageID }
        if let expiration = fields.expiration, !Self.isWhole(expiration) { throw .badExpirationDate }
        if let priority = fields.priority, !["1", "5", "10"].contains(priority) { throw .badPriority }
        if let collapseID = fields.collapseID, !(1...Self.maxCollapseID).contains(collapseID.utf8.count) {
            throw .badCollapseID
        }
        let type = fields.pushType.map { PushType(rawValue: $0) }
        if type == .some(nil) { throw .invalidPushType }
        switch target {
        case .device: try checkTopic(fields.topic, type ?? nil)
        case .broadcast(let bundle):
            guard type == .liveactivity else { throw .invalidPushType }
            guard isAllowed(bundle) else { throw .topicDisallowed }
            try checkChannel(fields.channelID)
        }
        return target
    }

    private func checkTopic(_ topic: String?, _ type: PushType?) throws(PushReason) {
        guard let topic, !topic.isEmpty else { throw .missingTopic }
        guard topic.utf8.count <= 255, topic.utf8.allSatisfy(Self.isOfTopic) else { throw .badTopic }
        if let suffix = type?.topicSuffix, !topic.hasSuffix(suffix) { throw .invalidPushType }
        guard topics.isEmpty || topics.contains(topic) || isAllowed(PushType.bundle(of: topic)) else {
            throw .topicDisallowed
        }
    }

    private func isAllowed(_ bundle: String) -> Bool { topics.isEmpty || topics.contains(bundle) }

    private func checkChannel(_ channel: String?) throws(PushReason) {
        guard let channel, !channel.isEmpty else { throw .missingChannelID }
        guard Base64Decoder.bytes(channel)?.isEmpty == false else { throw .badChannelID }
        if let channels, !channels.contains(channel) { throw .channelNotRegistered }
    }

    private func checkBody(_ request: PushRequest) throws(PushReason) {
        let max = PushType.maxPayload(request.fields.pushType.flatMap { PushType(rawValue: $0) })
        guard let body = request.body, body.count <= max else { throw .payloadTooLarge }
        // Apple names no reason for a payload that is no JSON object; the app would get nothing of it.
        guard let value = try? JSONReader.read(body, dialect: .strict), value.object?.isEmpty == false else {
            throw .payloadEmpty
        }
    }

    private func checkForm(_ token: String) throws(PushReason) {
        let digits = token.utf8.count
        guard Self.tokenDigits.contains(digits), digits % 2 == 0,
            token.utf8.allSatisfy({ ByteSearch.hexDigit($0) != nil })
        else { throw .badDeviceToken }
    }

    private func checkDevice(_ spelled: String, topic: String?) throws(PushRefusal) -> String {
        let token = spelled.lowercased()
        if badTokens.contains(token) { throw PushRefusal(.badDeviceToken) }
        if let time = unregistered[token] { throw PushRefusal(.unregistered, timestamp: time) }
        if let time = expired[token] { throw PushRefusal(.expiredToken, timestamp: time) }
        if let own = topicsOfTokens[token], own != topic {
            throw PushRefusal(.deviceTokenNotForTopic)
        }
        return token
    }

    private static func isOfTopic(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    private static func isWhole(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 &- 0x30 < 10 } && Int64(text) != nil
    }

    /// The canonical form (RFC 9562 4), in letters of either case.
    static func isUUID(_ text: String) -> Bool {
        var count = 0
        for byte in text.utf8 {
            let isHyphen = count == 8 || count == 13 || count == 18 || count == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : ByteSearch.hexDigit(byte) != nil else { return false }
            count += 1
        }
        return count == 36
    }
}
