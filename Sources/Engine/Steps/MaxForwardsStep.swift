import Bytes
import HTTP

/// Counts down the hops that OPTIONS and TRACE have left (RFC 9110 7.6.2).
enum MaxForwardsStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard let hops = request.exchange.request.maxForwards else { return true }
        fields.insert(.maxForwards)
        return output.appendWhole(Array("Max-Forwards: \(hops - 1)\r\n".utf8))
    }
}

/// Drops Expect if the body was read ahead: the client was already invited to send it.
enum ExpectStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        if request.exchange.body.buffered != nil { fields.insert(.expect) }
        return true
    }
}

extension Request {
    /// How many hops OPTIONS or TRACE have left; nil for other methods, and where the field is missing or no number.
    var maxForwards: Int? {
        guard head.method == .options || head.method == .trace,
            head.names.contains(.maxForwards), let field = head.field(.maxForwards),
            !field.value.isEmpty, field.value.count <= 9
        else { return nil }
        let bytes = bytes
        var number = 0
        for index in field.value {
            guard bytes[index] &- 0x30 < 10 else { return nil }
            number = number * 10 + Int(bytes[index] &- 0x30)
        }
        return number
    }
}
