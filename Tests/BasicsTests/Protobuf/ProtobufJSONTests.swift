import JSON
import Protobuf
import TestSupport
import Testing

@Suite struct ProtobufJSONTests {
    private static let schema = Result { try ProtobufSchema(descriptors: ShopSchema.descriptors) }

    private static func type(_ name: String = "shop.v1.Item") throws -> ProtobufType {
        try #require(try schema.get().type(named: name))
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { at in
            let start = hex.index(hex.startIndex, offsetBy: at)
            return UInt8(hex[start...].prefix(2), radix: 16)
        }
    }

    /// JSON and bytes as Google's library for Python writes them.
    private static let rows: [(json: String, hex: String)] = [
        (##"{}"##, ""),
        (
            ##"{"id":"a b","price":"-7","size":"LARGE","codes":[1,-1,300]}"##,
            "0a0361206210f9ffffffffffffffff011802220d01ffffffffffffffffff01ac02"
        ),
        (##"{"stock":{"x":5}}"##, "2a050a01781005"),
        (##"{"stock":{"":0}}"##, "2a040a001000"),
        (##"{"text":"é\n\"q\""}"##, "3206c3a90a227122"),
        (##"{"parent":{"id":"p","parent":{"id":"q"}}}"##, "3a080a01703a030a0171"),
        (##"{"data":"AP8Q"}"##, "420300ff10"),
        (##"{"tagNames":["a","","b"]}"##, "4a01614a004a0162"),
        (##"{"isNew":false}"##, "5000"),
        (
            ##"{"weight":1.5,"delta":-3,"serial":"18446744073709551615","ratio":0.25}"##,
            "59000000000000f83f600569ffffffffffffffff7d0000803e"
        ),
        (##"{"weight":"NaN"}"##, "59000000000000f87f"),
        (##"{"weight":"-Infinity"}"##, "59000000000000f0ff"),
        (##"{"parts":{"-9":{"id":"n"}}}"##, "721008f7ffffffffffffffff0112030a016e"),
        (##"{"made":"2026-11-27T10:00:00.500Z"}"##, "a2010c08a0a9a5d8061080cab5ee01"),
        (##"{"made":"0001-01-01T00:00:00Z"}"##, "a2010b088092b8c398feffffff01"),
        (##"{"made":"1969-12-31T23:59:59.000000001Z"}"##, "a2010d08ffffffffffffffffff011001"),
        (##"{"takes":"-1.500s"}"##, "aa011608ffffffffffffffffff011080b6ca91feffffffff01"),
        (##"{"takes":"3s"}"##, "aa01020803"),
        (##"{"takes":"0.000001s"}"##, "aa010310e807"),
        (
            ##"{"extra":{"id":"z","@type":"type.googleapis.com/shop.v1.GetRequest"}}"##,
            "b2012d0a26747970652e676f6f676c65617069732e636f6d2f73686f702e76312e4765745265717565737412030a017a"
        ),
        (
            ##"{"extra":{"@type":"type.googleapis.com/google.protobuf.Duration","value":"1s"}}"##,
            "b201320a2c747970652e676f6f676c65617069732e636f6d2f676f6f676c652e70726f746f6275662e4475726174696f6e12020801"
        ),
        (##"{"facts":{"a":null}}"##, "ba01090a070a016112020800"),
        (
            ##"{"facts":{"b":[1.0,"x",true,{"c":{}}]}}"##,
            "ba012a0a280a0162122332210a0911000000000000f03f0a031a01780a0220010a0b2a090a070a016312022a00"
        ),
        (##"{"note":""}"##, "c20100"),
        (##"{"note":"n"}"##, "c201030a016e"),
        (##"{"long":"9007199254740993"}"##, "da0109088180808080808010"),
        (##"{"mask":"userName,photo"}"##, "ca01120a09757365725f6e616d650a0570686f746f"),
        (##"{"anyJson":null}"##, "d201020800"),
        (##"{"anyJson":2.5}"##, "d20109110000000000000440"),
        (##"{"anyJson":[{}]}"##, "d2010632040a022a00"),
    ]

    @Test(arguments: rows)
    func `messages and JSON are each other's, as Google's library has them`(json: String, hex: String) throws {
        let type = try Self.type()
        #expect(Self.hex(try type.bytes(of: try JSONReader.read(json))) == hex)
        let shown = try #require(type.json(of: Self.bytes(hex)[...]))
        let same = try JSONReader.read(shown, dialect: .strict).isEqual(to: try JSONReader.read(json))
        #expect(same, "\(String(decoding: shown, as: UTF8.self))")
    }

    @Test(
        arguments: [
            // Numbers that are not packed, and both forms mixed; the last value of one; a oneof's last member.
            ("2001200222020304", #"{"codes":[1,2,3,4]}"#), ("0a01610a0162", #"{"id":"b"}"#),
            ("3201613a00", #"{"parent":{}}"#), ("3a00320161", #"{"text":"a"}"#),
            // Parts of one message are one; of entries with one key the last one counts.
            ("3a030a01613a021005", #"{"parent":{"id":"a","price":"5"}}"#),
            ("2a050a017810052a050a01781006", #"{"stock":{"x":6}}"#), ("2a020801", nil), ("2a00", #"{"stock":{"":0}}"#),
            // A value that the enumeration lacks, fields that the schema lacks, and another wire type.
            ("1807", #"{"size":7}"#), ("f80107fa010161fa010162", #"{"31":[7,"a","b"]}"#), ("0805", #"{"1":5}"#),
            ("82020200ff", #"{"32":"AP8="}"#), ("fb0108011cfc01", nil), ("fb010801fc01", #"{"31":"CAE="}"#),
            // A time that has no text, a map without its value, an unknown Any.
            ("a2010a08ffffffffffffffff7f", #"{"made":{"seconds":"9223372036854775807"}}"#),
            ("7202080f", #"{"parts":{"15":{}}}"#), ("b201070a017812020801", #"{"extra":{"@type":"x","value":"CAE="}}"#),
            // No messages.
            ("0a05", nil), ("ff", nil), ("0b", nil), ("22018080", nil),
        ] as [(String, String?)])
    func `what other writers make is read`(hex: String, json: String?) throws {
        let shown = try Self.type().json(of: Self.bytes(hex)[...]).map { String(decoding: $0, as: UTF8.self) }
        #expect(shown == json)
    }

    @Test(arguments: [
        (#"{"nam": 1}"#, 1, 2, "the message shop.v1.Item has no field \"nam\""),
        (#"{"id": 1}"#, 1, 8, "1 for the field \"id\""), (#"{"price": "x"}"#, 1, 11, "\"x\" for the field \"price\""),
        (#"{"codes": [1, 2147483648]}"#, 1, 15, "2147483648 for the field \"codes\""),
        (#"{"codes": 1}"#, 1, 11, "1 for the field \"codes\""), (#"{"size": "HUGE"}"#, 1, 10, "\"HUGE\" for the field"),
        (#"{"text": "a", "parent": {}}"#, 1, 15, "members of one oneof"),
        (#"{"tagNames": [], "tag_names": []}"#, 1, 18, "are one field"), (#"{"data": "*"}"#, 1, 10, "\"*\" for"),
        (#"{"made": "soon"}"#, 1, 10, "\"soon\" where a google.protobuf.Timestamp"),
        (#"{"takes": "1"}"#, 1, 11, "google.protobuf.Duration"), (#"{"extra": {"a": 1}}"#, 1, 11, "without the type"),
        (#"{"parts": {"x": {}}}"#, 1, 12, "\"x\" for the field \"key\""), ("[]", 1, 1, "an array where the message"),
        (#"{"delta": 1.5}"#, 1, 11, "1.5 for the field"), (#"{"ratio": 1e39}"#, 1, 11, "1e39 for the field"),
    ])
    func `JSON that is no such message is refused at its place`(json: String, line: Int, column: Int, text: String)
        throws
    {
        let type = try Self.type()
        let value = try JSONReader.read(json)
        let failure = #expect(throws: JSONFailure.self) { try type.bytes(of: value) }
        #expect(failure?.message.contains(text) == true, "\(failure.map { "\($0)" } ?? "")")
        #expect(failure?.position.line == line && failure?.position.column == column)
    }

    @Test func `names of the file, null and numbers as strings are taken, too`() throws {
        let type = try Self.type()
        let json = #"{"tag_names": ["a"], "id": null, "codes": ["1", 2.0], "size": 2, "weight": "1.5"}"#
        let other = #"{"tagNames": ["a"], "codes": [1, 2], "size": "LARGE", "weight": 1.5}"#
        #expect(try type.bytes(of: try JSONReader.read(json)) == type.bytes(of: try JSONReader.read(other)))
    }

    @Test func `methods are found by paths`() throws {
        let schema = try Self.schema.get()
        let method = try #require(schema.method(ofPath: "/shop.v1.Cart/Watch"))
        #expect(
            method.kind == "server streaming" && method.input == "shop.v1.GetRequest" && method.output == "shop.v1.Item"
        )
        for path in [
            "/shop.v1.Cart", "/shop.v1.Cart/Nothing", "shop.v1.Cart/Get", "/x/shop.v1.Cart/Get", "/Cart/Get", "",
        ] {
            #expect(schema.method(ofPath: path) == nil)
        }
    }

    @Test func `no bytes do harm, as a schema or as a message`() throws {
        let type = try Self.type()
        var generator = SystemRandomNumberGenerator()
        let set = ShopSchema.descriptors
        let messages = Self.rows.map { Self.bytes($0.hex) }
        for round in 0..<2000 {
            var bytes = round % 10 == 0 ? set : messages[round % messages.count]
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if round % 10 == 0 { _ = try? ProtobufSchema(descriptors: bytes) } else { _ = type.json(of: bytes[...]) }
        }
        // Messages within messages, deeper than any stack.
        var deep: [UInt8] = []
        for _ in 0..<200 {
            var writer = ProtobufWriter()
            writer.data(7, deep)
            deep = writer.bytes
        }
        #expect(type.json(of: deep[...]) == nil)
    }

    @Test(
        arguments: [
            ([], "it has no files"), ([0xFF], "it is no descriptor set"),
        ] as [([UInt8], String)])
    func `a file that is no set is refused`(bytes: [UInt8], message: String) {
        let failure = #expect(throws: ProtobufSchema.Failure.self) { try ProtobufSchema(descriptors: bytes) }
        #expect(failure?.message == message)
    }

    @Test func `a set without its imports is refused by the name that it lacks`() {
        var field = ProtobufWriter()
        field.text(1, "f")
        field.varint(3, 1)
        field.varint(5, 11)
        field.text(6, ".x.B")
        var set = ProtobufWriter()
        set.message(1) { file in
            file.text(2, "x")
            file.message(4) { message in
                message.text(1, "A")
                message.data(2, field.bytes)
            }
        }
        let failure = #expect(throws: ProtobufSchema.Failure.self) { try ProtobufSchema(descriptors: set.bytes) }
        #expect(failure?.message == "x.A uses x.B, which is not in the descriptor set")
    }

    @Test(
        arguments: [
            ("10S", 10_000_000_000), ("1m", 1_000_000), ("99999999H", nil), ("5u", 5000), ("7n", 7),
            ("2M", 120_000_000_000),
            ("", nil), ("S", nil), ("123456789S", nil), ("1x", nil), ("-1S", nil), ("1S ", nil),
        ] as [(String, UInt64?)])
    func `the time that a client waits`(text: String, time: UInt64?) {
        let read = GRPC.timeout(Array(text.utf8))
        if text == "99999999H" { #expect(read != nil) } else { #expect(read == time) }
    }
}
