import HTTP

extension FieldName {
    /// The log's names of response fields that were rewritten or left out.
    @inline(__always)
    var change: RewriteChanges {
        switch self {
        case .location: .location
        case .contentLocation: .contentLocation
        case .refresh: .refresh
        case .link: .link
        case .accessControlAllowOrigin: .allowOrigin
        case .contentSecurityPolicy, .contentSecurityPolicyReportOnly: .securityPolicy
        case .strictTransportSecurity: .strictTransportSecurity
        case .altSvc: .altSvc
        case .publicKeyPins, .publicKeyPinsReportOnly: .publicKeyPins
        case .expectCt: .expectCT
        case .reportTo, .reportingEndpoints, .nel: .reporting
        case .clearSiteData: .clearSiteData
        case .setCookie: .setCookie
        case .other, .wwwAuthenticate: .responseFields
        default: []
        }
    }
}
