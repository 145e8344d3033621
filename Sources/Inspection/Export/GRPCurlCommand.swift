/// A recorded gRPC call as a command of grpcurl.
struct GRPCurlCommand {
    private let request: RecordedRequest
    private let variables: SecretVariables

    init(_ request: RecordedRequest) {
        self.request = request
        variables = .shell(request)
    }

    /// Lines, the last one with its line end.
    var text: String {
        var lines = variables.preamble(request)
        var words = ["grpcurl"]
        let url = URLText(request.url)
        if url?.scheme == "http" { words.append("-plaintext") }
        for field in request.fields where !Self.own.contains(field.name.lowercased()) {
            words.append("-H \(variables.word("\(field.name): \(field.value)"))")
        }
        if let messages = request.messages {
            let data = messages.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            if !data.isEmpty { words.append("-d \(variables.word(data))") }
        } else {
            lines.append("# Note: the messages are left out: no route has a \"grpc\" with their schema.")
        }
        let authority = url?.authority ?? request.host
        let hasPort = authority.split(separator: ":").count > 1 && !authority.hasSuffix("]")
        words.append(variables.word(hasPort ? authority : authority + (url?.scheme == "http" ? ":80" : ":443")))
        words.append(variables.word(String(request.target.prefix { $0 != "?" }.dropFirst())))
        lines.append(words.joined(separator: " \\\n  "))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Fields that grpcurl writes itself.
    private static let own: Set<String> = [
        "content-type", "te", "user-agent", "grpc-encoding", "grpc-accept-encoding", "grpc-timeout", "accept-encoding",
        "x-grpc-web", "x-user-agent", "accept",
    ]
}
