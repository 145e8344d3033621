import HTTP
import Rewriting
import Testing

@Suite struct PinTests {
    private static let ends = Ends("https://o.test", "http://c.test")

    @Test(arguments: [
        ("Strict-Transport-Security: max-age=1", RewriteChanges.strictTransportSecurity),
        ("Alt-Svc: h3=\":443\"", .altSvc),
        ("public-key-pins: pin-sha256=\"x\"", .publicKeyPins),
        ("Public-Key-Pins-Report-Only: pin-sha256=\"x\"", .publicKeyPins),
        ("Expect-CT: max-age=1", .expectCT),
        ("Report-To: {}", .reporting),
        ("Reporting-Endpoints: a=\"/r\"", .reporting),
        ("NEL: {}", .reporting),
    ])
    func `what pins a client to an address is left out, unless it shall stay`(
        text: String, change: RewriteChanges
    ) throws {
        let line = Array(text.utf8)
        let removing = Self.ends.rules {
            $0.addresses = nil
            $0.removesPins = true
        }
        #expect(try removing.response(line, Self.ends) == Rewritten(line: nil, changes: change))
        let keeping = Self.ends.rules {
            $0.removesPins = false
            $0.removesClearSiteData = true
        }
        #expect(try keeping.response(line, Self.ends) == Rewritten(line: line, changes: []))
    }

    @Test func `Clear-Site-Data goes by choice`() throws {
        let line = Array("Clear-Site-Data: \"*\"".utf8)
        #expect(try Self.ends.rules.response(line, Self.ends) == Rewritten(line: line, changes: []))
        let removing = Self.ends.rules { $0.removesClearSiteData = true }
        #expect(try removing.response(line, Self.ends) == Rewritten(line: nil, changes: .clearSiteData))
    }

    @Test(arguments: [true, false], [true, false])
    func `names are asked for that may change, and no others`(hasAddresses: Bool, removesPins: Bool) {
        let rules = Self.ends.rules {
            if !hasAddresses { $0.addresses = nil }
            $0.removesPins = removesPins
            $0.removesClearSiteData = removesPins
            $0.rewritesCookies = false
        }
        let addresses: [FieldName] = [
            .location, .contentLocation, .refresh, .link, .accessControlAllowOrigin, .wwwAuthenticate, .other,
        ]
        let pins: [FieldName] = [
            .strictTransportSecurity, .altSvc, .publicKeyPins, .publicKeyPinsReportOnly, .expectCt, .reportTo,
            .reportingEndpoints, .nel, .clearSiteData,
        ]
        let policies: [FieldName] = [.contentSecurityPolicy, .contentSecurityPolicyReportOnly]
        let responses =
            (hasAddresses ? addresses : []) + (removesPins ? pins : [])
            + (hasAddresses || removesPins ? policies : [])
        let requests: [FieldName] = [.cookie] + (hasAddresses ? [.origin, .referer, .destination, .other] : [])
        for name in FieldName.allCases {
            #expect(rules.responseNames.contains(name) == responses.contains(name), "\(name)")
            #expect(rules.requestNames.contains(name) == requests.contains(name), "\(name)")
        }
    }
}
