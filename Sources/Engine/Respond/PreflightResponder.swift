import Bytes
import HTTP
import Rewriting

extension ClientExchange {
    @inline(never)
    func answerPreflight(_ route: RoutePlan) async {
        guard let cors else { return }
        if notes.isObserved { notes.route = route }
        notes.changes.insert(.cors)
        var fields = Buffer(capacity: 16 << 10)
        guard cors.appendPreflight(requestFields: request.fields, from: headBytes, to: &fields) else {
            let failure = EngineFailure(
                .client, .route, status: 431, "the preflight asks for more fields than fit into its answer",
                advice: "Name the ones that pages may send under \"headers\" of the route's \"cors\".")
            await answerLocally(.failure(failure, wantsHTML: false))
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
