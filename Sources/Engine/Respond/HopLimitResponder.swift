import HTTP

/// Requests about the way itself: OPTIONS and TRACE, which count the hops that are left to them (RFC 9110 7.6.2).
extension ClientExchange {
    /// How many hops are left; nil for other methods, and where the field is missing or no number.
    var maxForwards: Int? {
        guard request.method == .options || request.method == .trace, request.names.contains(.maxForwards),
            let field = request.field(.maxForwards), !field.value.isEmpty, field.value.count <= 9
        else { return nil }
        let bytes = headBytes
        var number = 0
        for index in field.value {
            guard bytes[index] &- 0x30 < 10 else { return nil }
            number = number * 10 + Int(bytes[index] &- 0x30)
        }
        return number
    }

    /// In absolute form without path and query, which the last proxy turns into `*` (RFC 9112 3.2.4).
    var asksOptionsOfServer: Bool {
        request.method == .options && request.targetForm == .absolute && request.pathAndQuery.isEmpty
    }

    /// No hop is left: Shunt responds for itself.
    func answerForItself() async throws(EngineFailure) {
        guard request.method == .options else {
            throw EngineFailure(
                .client, .route, status: 405, "TRACE with Max-Forwards: 0 asks Shunt to send back what it was sent",
                advice: "Shunt does not echo requests, which may hold cookies; `shunt show` has what it received.")
        }
        let allow = Array("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n".utf8)
        await answerLocally(
            LocalAnswer(status: 204, fields: allow, body: []), extra: Array("Shunt-Answered-By: shunt\r\n".utf8))
        endExchange(status: 204)
    }
}
