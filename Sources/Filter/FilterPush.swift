package import JSON

/// Push notifications, as filters tell them from other requests.
package enum FilterPush {
    /// The lowest status of a refusal.
    static let firstRefusal = 400
    /// Bodies that are longer say no reason.
    private static let maxBody = 4096

    /// APNs, FCM (HTTP v1, and the addresses that it gives to browsers), and the other push services of browsers.
    static let urls =
        #"^[a-z]+://([^/]*/(3/device/|4/broadcasts/apps/|fcm/send/|wpush/v[12]/|v1/projects/[^/?]*/messages:send(\?|$))"#
        + #"|web\.push\.apple\.com/|[^/]*\.notify\.windows\.com/)"#

    /// Why a notification was refused; nil for another exchange.
    static func reason(_ subject: some FilterSubject) -> String? {
        guard let status = subject.status, status >= firstRefusal else { return nil }
        var body: [UInt8] = []
        subject.body(of: .response, atOrigin: false) { piece in
            body += piece.prefix(maxBody + 1 - body.count)
            return body.count <= maxBody
        }
        guard !body.isEmpty, body.count <= maxBody else { return nil }
        return (try? JSONReader.read(body, dialect: .strict)).flatMap(reason)
    }

    /// `reason` of APNs and of Mozilla's service, or the error code or status of FCM.
    package static func reason(_ body: JSONValue) -> String? {
        if let reason = body["reason"]?.string { return reason }
        guard let error = body["error"] else { return nil }
        let code = error["details"]?.array?.compactMap { $0["errorCode"]?.string }.first
        return code ?? error["status"]?.string
    }
}
