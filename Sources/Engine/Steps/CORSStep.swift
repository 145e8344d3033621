import Bytes
import HTTP
import Rewriting

/// Lets pages of other origins read the response, as the route's `cors` says.
enum CORSStep: ResponseStep {
    static func append(
        _ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse,
        replacing fields: inout FieldNameSet
    ) -> Bool {
        // The settings of the route that the request came to, or of the route that responds.
        let exchange = response.exchange
        guard let rules = exchange.request.cors ?? response.use.rules.settings.cors else { return true }
        fields = fields.union(CORSRules.responseNames)
        exchange.metrics.changes.insert(.cors)
        return rules.appendResponse(
            requestFields: exchange.request.head.fields, from: exchange.headBytes,
            responseFields: response.memory.response.fields, from: bytes, to: &output)
    }
}
