import Bytes
import HTTP
import Rewriting

/// Lets pages of other origins read the response, as the route's `cors` says.
enum CORSStep: ResponseStep {
    static func replacedFields(of response: OutgoingResponse) -> FieldNameSet? {
        rules(for: response) == nil ? nil : CORSRules.responseNames
    }

    static func append(_ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse) -> Bool {
        guard let rules = rules(for: response) else { return true }
        let exchange = response.exchange
        exchange.metrics.changes.insert(.cors)
        return rules.appendResponse(
            requestFields: exchange.request.head.fields, from: exchange.headBytes,
            responseFields: response.exchange.relayMemory.response.fields, from: bytes, to: &output)
    }

    /// Those of the route that the request came to, or of the one that responds.
    private static func rules(for response: OutgoingResponse) -> CORSRules? {
        response.exchange.request.cors ?? response.use.rules.settings.cors
    }
}
