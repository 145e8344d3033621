import Bytes
import HTTP
import Rewriting

/// Deletes the cookies of other environments' jars where the client still has them.
enum CookieJarStep: ResponseStep {
    static func append(
        _ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse,
        replacing fields: inout FieldNameSet
    ) -> Bool {
        guard response.use.rules.settings.usesJars else { return true }
        let exchange = response.exchange
        let head = exchange.headBytes
        return CookieRewriter.appendJarFields(
            requestFields: exchange.request.head.fields, from: head, settings: response.use.rules.settings,
            authority: head.extracting(exchange.request.head.authority), client: ClientName(exchange),
            clearing: clears(bytes, response) ? exchange.request.head.path : nil, to: &output,
            changes: &exchange.metrics.changes)
    }

    /// Whether the origin asks for its cookies to be deleted.
    private static func clears(_ bytes: Span<UInt8>, _ response: OutgoingResponse) -> Bool {
        let head = response.memory.response
        guard head.names.contains(.clearSiteData) else { return false }
        return head.fields.contains {
            $0.id == .clearSiteData
                && CookieRewriter.clears($0, from: bytes, settings: response.use.rules.settings)
        }
    }
}
