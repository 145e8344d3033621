import Bytes
import HTTP
import Rewriting

extension ClientConnection {
    /// A browser asks whether a page may send what it wants to send.
    var isPreflight: Bool {
        request.method == .options && request.names.contains(.origin)
            && request.names.contains(.accessControlRequestMethod)
    }

    func answerPreflight(_ cors: CORSRules, _ route: RoutePlan) async {
        if notes.isObserved { notes.route = route }
        notes.changes.insert(.cors)
        var fields = Buffer(capacity: 16 << 10)
        guard cors.appendPreflight(requestFields: request.fields, from: headBytes, to: &fields) else {
            await answerLocally(LocalAnswer(status: 431, fields: [], body: []))
            return endExchange(status: 431)
        }
        await answerLocally(
            LocalAnswer(status: 204, fields: Array(fields.unsafeBytes), body: []), extra: route.answeredBy)
        endExchange(status: 204)
    }

    /// The field lines that let a page read an answer of our own.
    func corsFields(_ cors: CORSRules) -> [UInt8] {
        let bytes = headBytes
        var fields = Buffer(capacity: 16 << 10)
        guard
            cors.appendAnswer(
                requestFields: request.fields, from: bytes, answerFields: [], from: bytes, to: &fields)
        else { return [] }
        return Array(fields.unsafeBytes)
    }
}
