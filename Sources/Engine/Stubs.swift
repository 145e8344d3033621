import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
final class Locks: Sendable { func isUnlocked(_ p: String) -> Bool { false } }
extension WorkerState {
  var locks: Locks { Locks() }
  var pages: (any Handler)? { nil }
}
extension ClientConnection {
  var asksForPage: Bool { false }
  func handle(with: any Handler, _ c: Choice) async {}
}
enum CookieRewriter {
  static func appendJarFields(requestFields: [Field], from: Span<UInt8>, settings: RewriteRules.Settings, client: ClientName, to: inout Buffer, changes: inout RewriteChanges) -> Bool { true }
}
extension CORSRules {
  static let answerNames: FieldNameSet = []
  func appendPreflight(requestFields: [Field], from: Span<UInt8>, to: inout Buffer) -> Bool { true }
  func appendAnswer(requestFields: [Field], from: Span<UInt8>, answerFields: [Field], from b: Span<UInt8>, to: inout Buffer) -> Bool { true }
}
