import Push
import Testing

/// The rules of APNs, one row for each.
@Suite struct PushRuleTests {
    private static let token = String(repeating: "00fc13ad", count: 8)
    private static let payload = #"{"aps":{"alert":"Hello"}}"#
    /// Seconds since 1970.
    private static let now: Int64 = 1_800_000_000

    /// A notification that breaks no rule, unless a row changes it.
    struct Row: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var path = "/3/device/\(token)"
        var fields: [(String, String)] = [("apns-topic", "com.example.shop"), ("apns-push-type", "alert")]
        var body: String? = payload
        var wanted: String?
        var timestamp: Int64?
        var testDescription: String { "\(method) \(path.prefix(40)) \(fields) \(wanted ?? "200")" }

        init(
            _ wanted: String?, method: String = "POST", path: String? = nil, without: String = "",
            with: [(String, String)] = [], body: String? = payload, timestamp: Int64? = nil
        ) {
            (self.wanted, self.method, self.body, self.timestamp) = (wanted, method, body, timestamp)
            if let path { self.path = path }
            let replaced = with.map(\.0)
            fields = fields.filter { $0.0 != without && !replaced.contains($0.0) } + with
        }
    }

    private static func device(_ byte: String) -> String { String(repeating: byte, count: 32) }

    private static let rows: [Row] = [
        Row(nil),
        Row(nil, path: "/3/device/\(token.uppercased())"),
        Row(nil, path: "/3/device/\(String(repeating: "ab", count: 100))"),
        Row(nil, without: "apns-push-type"),
        Row("MethodNotAllowed", method: "GET"),
        Row("MethodNotAllowed", method: "PUT"),
        Row("BadPath", path: "/"),
        Row("BadPath", path: "/3/devices/\(token)"),
        Row("BadPath", path: "/2/device/\(token)"),
        Row("BadPath", path: "/3/device/\(token)/"),
        Row("BadPath", path: "/4/broadcasts/apps/"),
        Row("MissingDeviceToken", path: "/3/device/"),
        Row("MissingDeviceToken", path: "/3/device"),
        Row("BadDeviceToken", path: "/3/device/\(token.dropLast())"),
        Row("BadPath", path: "/3/device/\(token)?a=b"),
        Row("BadDeviceToken", path: "/3/device/\(token.dropLast(2))zz"),
        Row("BadDeviceToken", path: "/3/device/\(String(repeating: "ab", count: 101))"),
        Row("BadDeviceToken", path: "/3/device/\(device("ba"))"),
        Row("BadDeviceToken", path: "/3/device/\(device("BA"))"),
        Row("Unregistered", path: "/3/device/\(device("41"))", timestamp: 1_700_000_000_123),
        Row("ExpiredToken", path: "/3/device/\(device("42"))", timestamp: 7),
        Row("DeviceTokenNotForTopic", path: "/3/device/\(device("43"))"),
        Row(nil, path: "/3/device/\(device("43"))", with: [("apns-topic", "com.example.other")]),
        Row("MissingTopic", without: "apns-topic"),
        Row("MissingTopic", with: [("apns-topic", "")]),
        Row("BadTopic", with: [("apns-topic", "com example")]),
        Row("BadTopic", with: [("apns-topic", String(repeating: "a", count: 256))]),
        Row("TopicDisallowed", with: [("apns-topic", "com.example.shop2")]),
        Row("TopicDisallowed", with: [("apns-topic", "com.example.shop2.voip"), ("apns-push-type", "voip")]),
        Row(nil, with: [("apns-topic", "com.example.shop.voip"), ("apns-push-type", "voip")]),
        Row("InvalidPushType", with: [("apns-push-type", "voip")]),
        Row("InvalidPushType", with: [("apns-push-type", "Alert")]),
        Row("InvalidPushType", with: [("apns-push-type", "")]),
        Row("BadMessageId", with: [("apns-id", "1")]),
        Row("BadMessageId", with: [("apns-id", "123e4567e89b12d3a456426614174000")]),
        Row(nil, with: [("apns-id", "123e4567-e89b-12d3-a456-42661417400A")]),
        Row("BadExpirationDate", with: [("apns-expiration", "soon")]),
        Row("BadExpirationDate", with: [("apns-expiration", "-1")]),
        Row("BadExpirationDate", with: [("apns-expiration", "1.5")]),
        Row(nil, with: [("apns-expiration", "0")]),
        Row("BadPriority", with: [("apns-priority", "2")]),
        Row("BadPriority", with: [("apns-priority", "010")]),
        Row(nil, with: [("apns-priority", "5")]),
        Row("BadCollapseId", with: [("apns-collapse-id", String(repeating: "é", count: 33))]),
        Row(nil, with: [("apns-collapse-id", String(repeating: "é", count: 32))]),
        Row("DuplicateHeaders", with: [("apns-topic", "com.example.shop"), ("apns-topic", "com.example.shop")]),
        Row("PayloadEmpty", body: ""),
        Row("PayloadEmpty", body: "{}"),
        Row("PayloadEmpty", body: "[1]"),
        Row("PayloadEmpty", body: "{'aps': 1}"),
        Row("PayloadTooLarge", body: nil),
        Row("PayloadTooLarge", body: json(4097)),
        Row(nil, body: json(4096)),
        Row(
            nil, with: [("apns-topic", "com.example.shop.voip"), ("apns-push-type", "voip")], body: json(5120)),
        Row(
            "PayloadTooLarge", with: [("apns-topic", "com.example.shop.voip"), ("apns-push-type", "voip")],
            body: json(5121)),
        // Broadcasts.
        Row(nil, path: broadcast, with: [("apns-push-type", "liveactivity"), ("apns-channel-id", "YWJj")]),
        Row("InvalidPushType", path: broadcast, with: [("apns-channel-id", "YWJj")]),
        Row("MissingChannelId", path: broadcast, with: [("apns-push-type", "liveactivity")]),
        Row("BadChannelId", path: broadcast, with: [("apns-push-type", "liveactivity"), ("apns-channel-id", "!")]),
        Row(
            "ChannelNotRegistered", path: broadcast,
            with: [("apns-push-type", "liveactivity"), ("apns-channel-id", "YWJk")]),
        Row(
            "TopicDisallowed", path: "/4/broadcasts/apps/com.example.shop2",
            with: [("apns-push-type", "liveactivity"), ("apns-channel-id", "YWJj")]),
    ]

    private static let broadcast = "/4/broadcasts/apps/com.example.shop"

    /// A payload of so many bytes.
    private static func json(_ count: Int) -> String { #"{"a":""# + String(repeating: "x", count: count - 8) + #""}"# }

    private static func rules() -> PushRules {
        var rules = PushRules()
        rules.topics = ["com.example.shop", "com.example.other"]
        rules.badTokens = [device("ba")]
        rules.unregistered = [device("41"): 1_700_000_000_123]
        rules.expired = [device("42"): 7]
        rules.topicsOfTokens = [device("43"): "com.example.other"]
        rules.channels = ["YWJj"]
        return rules
    }

    @Test(arguments: rows) func `each rule has its reason`(row: Row) throws {
        let key = try #require(ProviderKey.generate())
        var fields = PushFields()
        let authorization = try bearer(key, at: Self.now)
        for (name, value) in [("authorization", authorization)] + row.fields { fields.take(name, value) }
        let request = PushRequest(
            method: row.method, path: row.path, fields: fields, body: row.body.map { Array($0.utf8) })
        var refusal: PushRefusal?
        do throws(PushRefusal) {
            _ = try Self.rules().check(request, in: ProviderSession(), now: Self.now)
        } catch {
            refusal = error
        }
        #expect(refusal?.reason.rawValue == row.wanted && refusal?.timestamp == row.timestamp)
    }

    @Test func `a reason has its status and its body`() {
        #expect(PushReason.unregistered.status == 410 && PushReason.tooManyRequests.status == 429)
        #expect(
            String(decoding: PushReason.unregistered.body(timestamp: 12), as: UTF8.self)
                == #"{"reason":"Unregistered","timestamp":12}"#)
        #expect(String(decoding: PushReason.badPath.body(), as: UTF8.self) == #"{"reason":"BadPath"}"#)
    }

    @Test func `a device gets as many as its throttle lets through`() {
        let throttle = PushThrottle(requests: 2, seconds: 10)
        let times: [(String, Int64, Bool)] = [
            ("a", 100, true), ("a", 101, true), ("b", 101, true), ("a", 109, false), ("a", 110, true),
            // A clock that is set back begins anew.
            ("a", 110, true), ("a", 110, false), ("a", 50, true),
        ]
        for (token, time, isAllowed) in times {
            #expect(throttle.allows(token, now: time) == isAllowed, "\(token) at \(time)")
        }
    }

    @Test func `the newest notifications are kept`() {
        let received = ReceivedPushes()
        for number in 0..<25_000 {
            _ = received.add(
                to: .device(token: "a"), PushFields(), payload: [1], profile: "p", time: Int64(number))
        }
        let (pushes, count) = received.list(after: 0, limit: .max)
        #expect(count == 25_000 && pushes.count == ReceivedPushes.limit)
        #expect(pushes.first?.number == 15_001 && pushes.last?.number == 25_000)
        #expect(received.list(after: 24_998, limit: 1).pushes.map(\.number) == [24_999])
        #expect(received.list(after: 25_000, limit: 9).pushes.isEmpty)
        for _ in 0..<3 {
            _ = received.add(
                to: .device(token: "a"), PushFields(), payload: [UInt8](repeating: 1, count: 5 << 20), profile: "p",
                time: 0)
        }
        #expect(received.list(after: 0, limit: .max).pushes.map(\.number) == [25_003])
        received.clear()
        #expect(received.list(after: 0, limit: .max).pushes.isEmpty)
    }

    @Test func `made identifiers are UUIDs, and differ`() {
        let received = ReceivedPushes()
        let ids = (0..<1000).map { _ in received.makeID() }
        #expect(Set(ids).count == 1000)
        for id in ids {
            let parts = id.split(separator: "-")
            #expect(
                parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2].hasPrefix("4") && "89AB".contains(parts[3].prefix(1))
            )
        }
    }
}

/// An Authorization field with a new token.
func bearer(_ key: ProviderKey, at time: Int64, keyID: String = "ABC123DEFG", teamID: String = "TEAM567890") throws
    -> String
{
    "bearer " + (try #require(ProviderToken.text(signedBy: key, keyID: keyID, teamID: teamID, at: time)))
}
