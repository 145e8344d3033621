public import Protobuf

extension GRPCFrame {
    /// The message, decoded where it is compressed; nil where it cannot be, or has more than `limit` bytes.
    ///
    /// - Parameter coding: the value of `grpc-encoding`.
    public func message(coding: [UInt8]?, limit: Int) -> [UInt8]? {
        guard !isCut, bytes.count <= limit else { return nil }
        guard isCompressed else { return Array(bytes) }
        return coding.flatMap { ContentDecoder.whole(Array(bytes), contentEncoding: $0, limit: limit) }
    }
}
