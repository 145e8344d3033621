import Bytes
import Engine
import TLS

/// `/ca` on the pages' port: the CA in the forms that devices take, the steps that they hide, and a test whether this
/// device trusts it.
///
/// All of it is public and the same for everyone; nothing is changed.
struct OnboardingPages: Sendable {
    /// The password of the .p12, which has no key in it.
    static let password = "shunt"

    let authority: DevelopmentCA

    /// - Parameter path: without its query.
    func response(_ request: HandledRequest, _ path: Substring) -> HandledResponse? {
        switch path {
        case "/ca": page(request)
        case "/ca/shunt.mobileconfig":
            file("application/x-apple-aspen-config", Array(mobileConfiguration.utf8), name: nil)
        case "/ca/shunt.cer": file("application/x-x509-ca-cert", authority.certificateDER, name: "shunt.cer")
        case "/ca/shunt.pem":
            file("application/x-pem-file", Array(authority.certificatePEM.utf8), name: "shunt.pem")
        case "/ca/shunt.p12":
            file("application/x-pkcs12", authority.pkcs12(password: Self.password), name: "shunt.p12")
        case "/ca/test.svg": testImage(request)
        default: nil
        }
    }

    private func page(_ request: HandledRequest) -> HandledResponse {
        // It becomes part of a policy, so it may only be a name or an address.
        guard request.host.utf8.allSatisfy(PageSignpost.isOfHost) else {
            return HandledResponse(status: 404, fields: [(name: "Cache-Control", value: "no-store")], body: [])
        }
        let secure = "https://\(request.host)" + (request.port.map { ":\($0)" } ?? "")
        let name = HTMLText.escaped(authority.summary.subject)
        let only = authority.permittedNames.map {
            "<p>It counts for \(HTMLText.escaped($0.joined(separator: ", "))) and the names below alone.</p>"
        }
        return DevicePage.html(
            200, title: "Trust Shunt",
            """
            <h1>Trust Shunt</h1>
            <p><img src="\(HTMLText.escaped(secure))/ca/test.svg" width="320" height="40" \
            alt="This device does not trust Shunt yet."></p>
            <h2>iPhone, iPad</h2>
            <ol><li><a href="/ca/shunt.mobileconfig">Load the profile</a> in Safari, and allow it.</li>
            <li>Settings, <b>Profile Downloaded</b>, Install.</li>
            <li>Settings, General, About, <b>Certificate Trust Settings</b>: switch it on. Without this step nothing trusts \
            it.</li>
            <li>Open this page anew: the line above says whether it worked.</li></ol>
            <h2>Android</h2>
            <ol><li><a href="/ca/shunt.cer">Load the certificate</a>.</li>
            <li>Settings, Security, Encryption &amp; credentials, Install a certificate, <b>CA certificate</b>.</li>
            <li>Browsers trust it now; apps need <code>shunt client-kit --for android</code> in a debug build.</li></ol>
            <h2>Others</h2>
            <p><a href="/ca/shunt.pem">PEM</a>, <a href="/ca/shunt.p12">PKCS #12</a> (password \(Self.password)); on the \
            machine of Shunt itself <code>shunt trust install</code>.</p>
            <p><small>\(name)<br>SHA-256 \(authority.summary.fingerprint)<br>Compare it with what <code>shunt ca</code> \
            shows: over plain HTTP another machine could have answered.</small></p>\(only ?? "")
            """, images: secure)
    }

    /// Shown only where the device accepts Shunt's certificate.
    private func testImage(_ request: HandledRequest) -> HandledResponse {
        guard request.isSecure else {
            return HandledResponse(status: 404, fields: [(name: "Cache-Control", value: "no-store")], body: [])
        }
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="320" height="40">\
            <rect width="320" height="40" rx="8" fill="#1a7f37"/>\
            <text x="14" y="26" fill="#fff" font-family="system-ui,sans-serif" font-size="16">This device trusts Shunt.</text>\
            </svg>
            """
        return HandledResponse(
            status: 200,
            fields: [
                (name: "Content-Type", value: "image/svg+xml"), (name: "Cache-Control", value: "no-store"),
                (name: "X-Content-Type-Options", value: "nosniff"),
                // The page over plain HTTP has another origin. The picture is the same for everyone.
                (name: "Cross-Origin-Resource-Policy", value: "cross-origin"),
                (name: "Content-Security-Policy", value: "default-src 'none'"),
            ], body: Array(text.utf8))
    }

    private func file(_ type: String, _ body: [UInt8], name: String?) -> HandledResponse {
        var fields = [
            (name: "Content-Type", value: type), (name: "Cache-Control", value: "no-store"),
            (name: "X-Content-Type-Options", value: "nosniff"),
            (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
        ]
        if let name { fields.append((name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")) }
        return HandledResponse(status: 200, fields: fields, body: body)
    }

    /// A configuration profile with one payload; installing it again replaces it, since its identifiers are the CA's.
    private var mobileConfiguration: String {
        let summary = authority.summary
        let name = HTMLText.escaped(summary.subject.hasPrefix("CN=") ? String(summary.subject.dropFirst(3)) : "Shunt")
        let id = summary.fingerprint.prefix(16)
        func uuid(_ digits: Substring) -> String {
            let text = Array(digits.uppercased())
            return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }.joined(separator: "-")
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
              <key>PayloadContent</key>
              <array>
                <dict>
                  <key>PayloadType</key><string>com.apple.security.root</string>
                  <key>PayloadIdentifier</key><string>shunt.ca.\(id).certificate</string>
                  <key>PayloadUUID</key><string>\(uuid(summary.fingerprint.prefix(32)))</string>
                  <key>PayloadVersion</key><integer>1</integer>
                  <key>PayloadDisplayName</key><string>\(name)</string>
                  <key>PayloadCertificateFileName</key><string>shunt.cer</string>
                  <key>PayloadContent</key>
                  <data>\(Base64Encoder.text(authority.certificateDER))</data>
                </dict>
              </array>
              <key>PayloadType</key><string>Configuration</string>
              <key>PayloadIdentifier</key><string>shunt.ca.\(id)</string>
              <key>PayloadUUID</key><string>\(uuid(summary.fingerprint.suffix(32)))</string>
              <key>PayloadVersion</key><integer>1</integer>
              <key>PayloadDisplayName</key><string>\(name)</string>
              <key>PayloadDescription</key>
              <string>Lets this device trust a developer's Shunt. Switch it on under General, About, Certificate Trust \
            Settings, and remove it when you do not need it any more.</string>
              <key>PayloadRemovalDisallowed</key><false/>
            </dict>
            </plist>

            """
    }
}
