import JSON

/// All objects that a profile is made of: the JSON Schema and the tables of the documents come from them.
package enum KeyTables {
    static let profile: any KeyTable = ProfileSource.keys
    /// Those that the schema of profiles has as definitions.
    static let definitions: [any KeyTable] = [
        StoreSealing.keys, RedactionSettings.keys, NetworkConditions.keys, NetworkConditions.outageKeys, Fault.keys,
        OfflineSettings.keys, DecodedRoute.keys, RequestChanges.keys, ResponseChanges.keys, HeaderChanges.keys,
        QueryChanges.keys, MessageChange.keys, JSONEdits.keys, InjectionSettings.keys, RequestCondition.keys,
        RequestCondition.patternKeys, RequestCondition.callKeys,
        OriginProxy.keys, ProgramSettings.keys, FallbackSettings.keys,
        RewriteSettings.keys, CORSSettings.keys, Mock.keys, Mock.responseKeys, Mock.webhookKeys, MockEvents.keys,
        MockEvents.eventKeys, MockConversation.keys, MockConversation.stepKeys, MockConversation.replyKeys,
        MessageCondition.keys, RecordingSettings.ruleKeys,
        GRPCSettings.keys, MockCall.keys, MockCall.messageKeys,
        PushSettings.keys,
        PushSettings.throttleKeys, TokenParts.keys, TrustEvaluator.keys, TrustSource.Policy.keys,
        ClientCertificate.keys,
    ]
    /// The tables of a route's keys, and of the contract of a bridge, which is a file of its own.
    private static let others: [any KeyTable] = [
        FileSettings.keys, RecordingSettings.keys, BodyChanges.keys, BridgeContract.keys, BridgeContract.caseKeys,
        BridgeContract.eventKeys,
    ]

    /// The keys of an object by the name of its definition; nil for none of that name.
    package static func rows(of name: String) -> [KeyRow]? {
        ([profile] + definitions + others).first { $0.name == name }?.rows
    }

    /// The JSON Schema of profiles.
    package static var schema: String {
        let definitions = definitions.map { "\"\($0.name)\": { \($0.schema) }" }.joined(separator: ", ")
        let text = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Shunt profile",
              "description": "One environment: what responds to which requests, and how origins' certificates are verified. JSON5 is accepted.",
              \(profile.schema),
              "$defs": { \(definitions) }
            }

            """
        return (try? JSONFormatter.format(text)) ?? text
    }
}
