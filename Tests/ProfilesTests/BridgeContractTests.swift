import JSON
import Profiles
import TestSupport
import Testing

/// Contracts of bridges.
@Suite struct BridgeContractTests {
    private func load(_ contract: String, _ responder: String = "origin: 'https://a.test'") throws -> ProfileLibrary {
        let folder = try TemporaryFolder()
        try folder.write("bridge.json", contract)
        try folder.write(
            "Profiles/p.json", "{kind: 'local', routes: [{path: '/a', \(responder), bridge: '../bridge.json'}]}")
        return try withExtendedLifetime(folder) { try ProfileLibrary.load(directory: folder.path + "/Profiles") }
    }

    @Test func `a contract becomes what the script in pages reads`() throws {
        let library = try load(
            """
            { webkit: { a: [{ match: { x: 1 }, reply: { y: ["{{message}}"] } }, { error: "no" }] },
              android: { Bank: { b: { template: true, delay: "1s", reply: { t: ["{{json message.x.0|1}}", 2],
                u: "a {{arguments.1}} {{now unix +1h}}{{uuid}}{{random 1 6}}{{counter}}" } } } },
              prompt: { "x://": {}, "x://long": { reply: null } },
              events: [{ after: ["1ms", "2ms"], call: "a.b", with: [1] }, { dispatch: "e", target: "document" },
                { post: null }] }
            """)
        let bridge = try #require(library["p"]?.routes[0].changes?.bridge)
        #expect(bridge.name == "../bridge.json" && !bridge.records)
        #expect(bridge.handlers == ["webkit.a", "Bank.b()", "prompt x://long", "prompt x://"])
        #expect(library.files.contains(bridge.file))
        #expect(
            String(decoding: bridge.json, as: UTF8.self) == """
                {"record":false,"webkit":{"a":[{"match":{"x":1},"reply":["value",{"y":["{{message}}"]}]},\
                {"error":["value","no"]}]},"android":{"Bank":{"b":[{"reply":["object",["t",["array",["json",\
                ["argument",["0","x","0"],"1"]],["value",2]]],["u",["text","a ",["argument",["1"],""]," ",\
                ["now",["unix",3600],""],["uuid",null,""],["random",[1,6],""],["counter",null,""]]]],\
                "delay":[1000,1000]}]}},"prompt":[["x://long",[{"reply":["value",null]}]],["x://",[{}]]],\
                "events":[{"after":[1,2],"call":["value","a.b"],"with":["value",[1]]},\
                {"dispatch":["value","e"],"target":"document"},{"post":["value",null]}]}
                """)
    }

    @Test func `a contract may lie among the profiles, and a profile is none`() throws {
        let folder = try TemporaryFolder()
        try folder.write("bridge.json", "{ webkit: {} }")
        try folder.write("p.json", "{ kind: 'local', routes: [{ mock: {}, bridge: 'bridge.json' }] }")
        #expect(try ProfileLibrary.load(directory: folder.path).profiles.map(\.name) == ["p"])
        try folder.write("bridge.json", "{ webkit: 1 }")
        let broken = #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: folder.path) }
        #expect(broken?.all.count == 1, "\(broken.map(\.description) ?? "")")
        try folder.write("bridge.json", "{ kind: 'production' }")
        let profile = #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: folder.path) }
        #expect(profile?.description.contains("unknown key \"kind\" in a bridge contract") == true)
        try folder.write("p.json", "{ kind: 'local' }")
        try folder.write("bridge.json", "{ webkit: {} }")
        #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: folder.path) }
    }

    @Test(arguments: ["mock: {text: 'x'}", "files: '.', path: '/*'", "origin: 'https://a.test', inject: {head: '<b>'}"])
    func `a bridge stands beside whatever has pages`(responder: String) throws {
        let responder = responder.contains("files") ? "path: '/*', files: '.'" : responder
        let folder = try TemporaryFolder()
        try folder.write("Profiles/b.txt", "{}")
        try folder.write("Profiles/p.json", "{kind: 'local', routes: [{\(responder), bridge: 'b.txt'}]}")
        let library = try ProfileLibrary.load(directory: folder.path + "/Profiles")
        #expect(library["p"]?.routes[0].changes?.injects == true)
    }

    @Test(arguments: [
        ("{", "1:2: the end of the text where a key"), ("[]", "1:1: an array where a bridge contract should be"),
        ("{web: {}}", "1:2: unknown key \"web\" in a bridge contract; expected one of webkit, android"),
        ("{webkit: []}", "1:10: \"webkit\" is an array"),
        ("{webkit: {a: 1}}", "1:14: a number where a handler of the bridge"),
        ("{webkit: {a: []}}", "1:14: a handler has no case"),
        ("{webkit: {\n a: {repl: 1}}}", "2:6: unknown key \"repl\" in a handler of the bridge"),
        ("{webkit: {a: {reply: 1, error: 'x'}}}", "1:25: \"error\" beside \"reply\"; expected one of them"),
        ("{webkit: {a: {error: 1}}}", "1:22: \"error\" is a number; expected a text"),
        ("{webkit: {a: {delay: 5}}}", "1:22: \"delay\" is 5; expected a time"),
        (
            "{webkit: {a: {template: true, reply: {x: ['{{body}}']}}}}",
            "1:44: {{body}} is no value; expected one of message"
        ),
        (
            "{webkit: {a: {template: true, reply: '{{mesage.a}}'}}}",
            "1:39: {{mesage.a}} is no value; did you mean \"message\"? Expected one of message, message.NAME, arguments.0, now, uuid, counter, random"
        ),
        ("{android: {Bank: 1}}", "1:18: the object \"Bank\" is a number"),
        ("{android: {'a b': {}}}", "1:12: \"a b\" cannot be the name of an object"),
        ("{android: {document: {}}}", "1:12: \"document\" cannot be the name of an object"),
        ("{android: {Bank: {a: {delay: '11s'}}}}", "1:30: \"delay\" is longer than 10s"),
        ("{prompt: {x: {error: 'y'}}}", "1:15: \"error\" in a prompt; expected \"reply\": null"),
        ("{events: {}}", "1:10: \"events\" is an object"), ("{events: [{}]}", "1:11: the event does nothing"),
        ("{events: [{call: 'a', post: 1}]}", "1:23: the event has \"call\" and \"post\""),
        ("{events: [{call: ''}]}", "1:18: \"call\" is "),
        ("{events: [{call: 'a', with: 1}]}", "1:29: \"with\" is a number"),
        ("{events: [{call: 'a', detail: 1}]}", "1:23: \"detail\" beside \"call\"; expected it beside \"dispatch\""),
        ("{events: [{dispatch: 'a', target: 'body'}]}", "1:35: \"target\" is "),
        ("{events: [{post: 1, after: 1}]}", "1:28: \"after\" is 1; expected a time"),
        ("{record: 1}", "1:10: \"record\" is 1"),
    ])
    func `what is wrong is named with its line and column`(contract: String, message: String) throws {
        do throws(any Error) {
            _ = try load(contract)
            Issue.record("\(contract) loads")
        } catch let error as ProfileProblems {
            #expect(error.all.count == 1)
            #expect(error.all[0].description.contains("/bridge.json:\(message)"), "\(error)")
        }
    }

    @Test(arguments: [
        ("bridge: 1", "\"bridge\" is a number"), ("bridge: ''", "\"bridge\" is empty"),
        ("bridge: 'x.json'", "cannot read \"x.json\""),
        ("bridge: '.'", "\".\" is no file"),
    ])
    func `a contract that is not there is named by its route`(key: String, message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("p.json", "{kind: 'local', routes: [{mock: {}, \(key)}]}")
        let problem = #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: folder.path) }
        #expect(
            problem?.description.contains("/p.json:1:45: \(message)") == true, "\(problem.map(\.description) ?? "")")
    }
}
