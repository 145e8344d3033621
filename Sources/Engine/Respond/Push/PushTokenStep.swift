import Bytes
import HTTP
import Push

/// Puts Shunt's own provider token in the place of the client's.
enum PushTokenStep: RequestStep {
    static func replacedFields(of request: OutgoingRequest) -> FieldNameSet? {
        request.use.signer == nil ? nil : [.authorization]
    }

    static func append(to output: inout Buffer, for request: OutgoingRequest) -> Bool {
        guard let token = request.use.signer?.token(now: request.exchange.state.clock()) else { return true }
        return output.appendWhole(Array("authorization: bearer \(token)\r\n".utf8))
    }
}
