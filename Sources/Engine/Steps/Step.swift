import Bytes
import HTTP
import Rewriting

/// A request on its way to an origin.
struct OutgoingRequest {
    let exchange: ClientExchange
    let use: OriginUse
    /// What takes the place of the client's body; nil where that goes on as it is.
    let body: [UInt8]?

    var head: RequestHead {
        // Not a getter: that would copy the head.
        _read { yield exchange.request.head }
    }
}

/// A response on its way to the client.
struct OutgoingResponse {
    let exchange: ClientExchange
    /// The client's.
    let channel: Channel
    /// Has the origin's head.
    let memory: RelayMemory
    let use: OriginUse
    /// The one that the client gets.
    let status: Int
    /// Its body does not go on as the origin sends it.
    let isBodyRewritten: Bool
    /// It came over HTTP/2.
    let isFromStream: Bool
}

/// Changes the head of a request on its way; fields that it does not replace are copied in runs.
protocol RequestStep: SendableMetatype {
    /// Appends field lines, and names the client's fields that do not go on; false if there is no space.
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool
}

/// Changes the head of a final response on its way.
protocol ResponseStep: SendableMetatype {
    /// Appends field lines, and names the origin's fields that do not go on; false if there is no space.
    ///
    /// `bytes` begins with the origin's head.
    static func append(
        _ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse,
        replacing fields: inout FieldNameSet
    ) -> Bool
}

/// All steps in their order; types, for they keep nothing.
enum Steps {
    static let ofRequests: [any RequestStep.Type] = [
        MaxForwardsStep.self, ExpectStep.self, AcceptEncodingStep.self, ConditionStep.self,
        PushTokenStep.self, TraceStep.self, ForwardedStep.self, WebCallStep.self,
    ]
    static let ofResponses: [any ResponseStep.Type] = [
        CookieJarStep.self, CORSStep.self, CacheStep.self, WebCallStep.self,
    ]
}
