import Bytes
import HTTP
import Push

/// Puts Shunt's own provider token in the place of the client's.
enum PushTokenStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard let signer = request.use.signer else { return true }
        fields.insert(.authorization)
        guard let token = signer.token(now: request.exchange.state.clock()) else { return true }
        return output.appendWhole(Array("authorization: bearer \(token)\r\n".utf8))
    }
}
