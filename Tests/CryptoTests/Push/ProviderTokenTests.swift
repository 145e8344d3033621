import Bytes
import Push
import Testing

/// Provider tokens, over the time of a connection.
@Suite struct ProviderTokenTests {
    private static let now: Int64 = 1_800_000_000

    private func reason(
        _ rules: ProviderTokenRules, _ authorization: String?, in session: ProviderSession = ProviderSession(),
        at now: Int64 = now
    ) -> PushReason? {
        do throws(PushReason) {
            try rules.check(authorization, in: session, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a token is signed, and its signature is checked`() throws {
        let key = try #require(ProviderKey.generate())
        let other = try #require(ProviderKey.generate())
        let open = try #require(ProviderKey.read(pem: key.pem(isPrivate: false) ?? []))
        let again = try #require(ProviderKey.read(pem: key.pem(isPrivate: true) ?? []))
        #expect(!open.isPrivate && again.isPrivate && open.sign([1]) == nil)
        for signer in [key, again] {
            let token = try bearer(signer, at: Self.now)
            #expect(reason(ProviderTokenRules(key: open), token) == nil)
            #expect(reason(ProviderTokenRules(key: other), token) == .invalidProviderToken)
            #expect(reason(ProviderTokenRules(), token) == nil)
        }
        #expect(
            ProviderKey.read(pem: Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)) == nil)
    }

    @Test func `each part of a token counts`() throws {
        let key = try #require(ProviderKey.generate())
        let rules = ProviderTokenRules(key: key, keyID: "ABC123DEFG", teamID: "TEAM567890")
        let right = try bearer(key, at: Self.now)
        let rows: [(String?, PushReason?)] = [
            (right, nil), (right.replacing("bearer", with: "Bearer"), nil), (nil, .missingProviderToken),
            ("", .missingProviderToken), ("bearer", .missingProviderToken), ("basic abc", .missingProviderToken),
            ("bearer abc", .invalidProviderToken), ("bearer a.b.c", .invalidProviderToken),
            (right + "A", .invalidProviderToken), (String(right.dropLast(4)), .invalidProviderToken),
            (try bearer(key, at: Self.now, keyID: "ABC123DEFH"), .invalidProviderToken),
            (try bearer(key, at: Self.now, teamID: "TEAM567891"), .invalidProviderToken),
            (try bearer(key, at: Self.now - 3600), nil),
            (try bearer(key, at: Self.now - 3601), .expiredProviderToken),
            (try bearer(key, at: Self.now + 300), nil),
            (try bearer(key, at: Self.now + 301), .invalidProviderToken),
            (try bearer(key, at: .min), .expiredProviderToken), (try bearer(key, at: .max), .invalidProviderToken),
            (unsigned(#"{"alg":"none","kid":"ABC123DEFG"}"#), .invalidProviderToken),
            (unsigned(#"{"alg":"HS256","kid":"ABC123DEFG"}"#), .invalidProviderToken),
            (unsigned(#"{"alg":"ES256"}"#), .invalidProviderToken),
            (unsigned(#"{"alg":"ES256","kid":"ABC123DEFG"}"#), .invalidProviderToken),
        ]
        for (authorization, wanted) in rows {
            #expect(reason(rules, authorization) == wanted, "\(authorization ?? "none")")
        }
    }

    /// A token whose signature is zeros.
    private func unsigned(_ head: String) -> String {
        let claims = #"{"iss":"TEAM567890","iat":\#(Self.now)}"#
        let parts = [Array(head.utf8), Array(claims.utf8), [UInt8](repeating: 0, count: 64)]
        return "bearer " + parts.map { Base64Encoder.text($0).filter { $0 != "=" } }.joined(separator: ".")
    }

    @Test func `a connection may change its token every twenty minutes`() throws {
        let key = try #require(ProviderKey.generate())
        let rules = ProviderTokenRules(key: key)
        let session = ProviderSession()
        let first = try bearer(key, at: Self.now)
        let second = try bearer(key, at: Self.now + 1200)
        let third = try bearer(key, at: Self.now + 1201)
        let rows: [(String, Int64, PushReason?)] = [
            (first, 0, nil), (first, 10, nil), (try bearer(key, at: Self.now + 20), 20, .tooManyProviderTokenUpdates),
            (first, 1199, nil), (second, 1200, nil), (third, 1210, .tooManyProviderTokenUpdates),
            // The refused one changes nothing.
            (second, 1220, nil), (third, 2400, nil), (third, 4801, nil), (third, 4802, .expiredProviderToken),
            (try bearer(key, at: Self.now + 4802, teamID: "TEAM567891"), 4802, .invalidProviderToken),
            (try bearer(key, at: Self.now + 4803), 4803, nil),
        ]
        for (authorization, time, wanted) in rows {
            #expect(reason(rules, authorization, in: session, at: Self.now + time) == wanted, "at \(time)")
        }
        #expect(reason(rules, first) == nil)
    }

    @Test(
        arguments: [
            ([:], 30, [.noType]), (["apns-push-type": "alert"], 30, []),
            (["apns-push-type": "background"], 30, [.backgroundPriority]),
            (["apns-push-type": "background", "apns-priority": "10"], 30, [.backgroundPriority]),
            (["apns-push-type": "background", "apns-priority": "5"], 30, []),
            (["apns-push-type": "alert"], 3686, []), (["apns-push-type": "alert"], 3687, [.payloadNearLimit]),
            (["apns-push-type": "alert"], 4096, [.payloadNearLimit]), (["apns-push-type": "alert"], 4097, []),
            (["apns-push-type": "voip"], 4096, []), (["apns-push-type": "voip"], 4608, [.payloadNearLimit]),
        ] as [([String: String], Int, [PushWarning])])
    func `a notification is warned about`(fields: [String: String], bytes: Int, warnings: [PushWarning]) {
        var read = PushFields()
        for (name, value) in fields { read.take(name, value) }
        #expect(PushWarning.found(in: read, bytes: bytes) == warnings)
    }

    @Test func `habits are seen over several connections`() throws {
        let key = try #require(ProviderKey.generate())
        let rules = ProviderTokenRules(key: key)
        let habits = PushHabits()
        func push(_ session: ProviderSession, _ token: String, _ time: Int64) -> [PushWarning] {
            #expect(reason(rules, token, in: session, at: Self.now + time) == nil)
            return habits.note(client: "a", session, now: Self.now + time)
        }
        let first = try bearer(key, at: Self.now)
        var seen: [[PushWarning]] = []
        for time in 0..<4 { seen.append(push(ProviderSession(), first, Int64(time))) }
        #expect(seen == [[], [], [.connectionPerPush], [.connectionPerPush]])
        // One connection for all is none, and neither is one now and then.
        let session = ProviderSession()
        #expect(push(session, first, 100) == [] && push(session, first, 101) == [])
        #expect(push(ProviderSession(), first, 102) == [])
        #expect(push(ProviderSession(), first, 300) == [])
        let second = try bearer(key, at: Self.now + 1500)
        #expect(push(ProviderSession(), second, 1500) == [])
        let third = try bearer(key, at: Self.now + 1600)
        #expect(push(ProviderSession(), third, 1600) == [.tokenRenewedOften])
    }
}
