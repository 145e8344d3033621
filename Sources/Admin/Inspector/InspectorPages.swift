import Engine

/// The inspector's page and its files; the page says how to log in to those who have not.
struct InspectorPages {
    let login: InspectorLogin
    let door: AdminDoor

    /// No script but the inspector's own files, no text that becomes HTML or script, no frame, no other origin.
    ///
    /// `blob:` and `data:` are pictures, sound and films from recorded bodies; neither runs scripts there.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
        "media-src blob:", "font-src 'self'", "connect-src 'self'", "worker-src 'self'", "base-uri 'none'",
        "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types worker",
    ].joined(separator: "; ")

    private static let common: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Vary", "Accept-Encoding, Cookie"),
    ]

    /// nil for a path that is none of the inspector's.
    func response(_ request: HandledRequest, _ path: some StringProtocol) -> HandledResponse? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        let assets = InspectorAssets.shared
        if path == "/" {
            let page = assets.page(login.hasCookie(request, door) ? "index.html" : "login.html")
            return Self.response(200, "text/html; charset=utf-8", page, [("Cache-Control", "no-store")])
        }
        guard path.hasPrefix("/inspector/") else { return nil }
        guard let asset = assets.asset(path) else {
            return Self.response(
                404, "text/plain; charset=utf-8", Array("This file is of another version: load the page again.\n".utf8),
                [("Cache-Control", "no-store")])
        }
        return Self.response(asset, to: request, tag: "\"\(assets.version)\"")
    }

    private static func response(
        _ asset: InspectorAssets.Asset, to request: HandledRequest, tag: String
    ) -> HandledResponse {
        let caching = [(name: "Cache-Control", value: "private, max-age=31536000, immutable"), ("ETag", tag)]
        if request.field("If-None-Match")?.contains(tag) == true {
            return HandledResponse(status: 304, fields: common + caching, body: [])
        }
        guard accepts(request) else { return response(200, asset.type, asset.bytes, caching) }
        return response(200, asset.type, asset.deflated, caching + [("Content-Encoding", "deflate")])
    }

    /// Browsers name the coding without a weight.
    private static func accepts(_ request: HandledRequest) -> Bool {
        request.field("Accept-Encoding")?.split(separator: ",").contains {
            $0.filter { $0 != " " }.lowercased() == "deflate"
        } ?? false
    }

    private static func response(
        _ status: Int, _ type: String, _ body: [UInt8], _ fields: [(name: String, value: String)]
    ) -> HandledResponse {
        HandledResponse(status: status, fields: [("Content-Type", type)] + common + fields, body: body)
    }
}
