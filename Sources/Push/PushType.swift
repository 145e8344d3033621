/// The values of `apns-push-type`.
public enum PushType: String, Sendable, CaseIterable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

    /// How the topic ends, where the type asks for an end behind the bundle's identifier.
    public var topicSuffix: String? {
        switch self {
        case .alert, .background, .mdm: nil
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// Bytes of a payload.
    public static func maxPayload(_ type: PushType?) -> Int { type == .voip ? 5120 : 4096 }

    /// The identifier of the app that a topic belongs to.
    public static func bundle(of topic: String) -> String {
        let suffix = allCases.compactMap(\.topicSuffix).first {
            topic.hasSuffix($0) && topic.utf8.count > $0.utf8.count
        }
        return suffix.map { String(topic.dropLast($0.count)) } ?? topic
    }
}
