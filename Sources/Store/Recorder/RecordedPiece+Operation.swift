import Bytes
import GraphQL

extension RecordedPiece {
    /// Bytes of a request's body that are looked at on a worker.
    private static let maxBody = 16 << 10

    /// The operations of GraphQL that a request asks for, where the piece has all of it and it is short.
    package func operation(url: String) -> String? {
        guard isFirst, isLast, !requestCut else { return nil }
        var (at, head, body) = (0, 0..<0, 0..<0)
        for part in parts {
            let place = at..<min(bytes.count, at + max(0, part.length))
            at = place.upperBound
            switch part.kind {
            case .clientRequest: head = place
            case .requestBody where body.isEmpty: body = place
            case .requestBody where body.upperBound == place.lowerBound: body = body.lowerBound..<place.upperBound
            case .requestBody: return nil
            default: continue
            }
        }
        guard body.count <= Self.maxBody else { return nil }
        let query = url.utf8.firstIndex(of: UInt8(ascii: "?")).map { Array(url.utf8[$0...].dropFirst()) } ?? []
        let type = HeadFields(bytes[head]).mediaType.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return GraphQLOperation.text(
            of: GraphQLCall.all(body: bytes[body], type: type, query: query[...]).map(\.operation.label))
    }
}
