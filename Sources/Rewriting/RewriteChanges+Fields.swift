import HTTP

extension FieldName {
    /// What it is called in the log that a response's field was rewritten or left out.
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
        default: []
        }
    }
}
