/// A response of a mock as clients get it, with stand-ins for the places of a template.
package struct MockedResponse: Sendable {
    package let status: Int
    /// nil where there is none.
    package let contentType: String?
    package let body: [UInt8]

    /// Why there is none: completes "the file …".
    package typealias Failure = MockFile.Failure

    package init(_ response: MockResponse, of route: Route) throws(Failure) {
        let changes = route.changes?.response
        status = changes?.status?.status(for: response.status) ?? response.status
        let own = response.headers.map { (name: Array($0.name.lowercased().utf8), value: Array($0.value.utf8)) }
        contentType = (changes?.headers.applied(to: own) ?? own).first { $0.name == Array("content-type".utf8) }
            .map { String(decoding: $0.value, as: UTF8.self) }
        switch response.body {
        case .bytes(let bytes): body = bytes
        case .template(let template): body = template.sample
        case .file(let file):
            let bytes = try file.read()
            body = try file.template(of: bytes)?.sample ?? bytes
        case .events, .webSocket, .collection, .call, .schema: body = []
        }
    }
}

extension MockTemplate {
    /// A JSON value of its own may be of any type, for which `null` stands.
    fileprivate var sample: [UInt8] {
        parts.flatMap { part in
            switch part {
            case .text(let bytes): bytes
            case .value(_, .json): Array("null".utf8)
            case .value: Array("sample".utf8)
            }
        }
    }
}
