/// What a part of a message must be like so that a user may write it in place of what came.
enum HoldRules {
    static func check(method: String) throws(HoldFailure) {
        guard !method.isEmpty, method.utf8.allSatisfy(isToken) else {
            throw .wrong("the method is no token (RFC 9110 9.1)", "Write one such as GET or POST.")
        }
    }

    static func check(host: String) throws(HoldFailure) {
        let isPlain = host.utf8.allSatisfy { isToken($0) && $0 != 0x23 || [0x3A, 0x5B, 0x5D].contains($0) }
        guard !host.isEmpty, isPlain else {
            throw .wrong("the host is no name or address (RFC 9110 4.2.1)", "Write one such as api.shop.test:8080.")
        }
    }

    static func check(status: Int) throws(HoldFailure) {
        guard (200...599).contains(status) else {
            throw .wrong("\(status) is no final status (RFC 9110 15)", "Give one from 200 to 599.")
        }
    }

    static func check(name: String, isRequest: Bool) throws(HoldFailure) {
        guard !name.isEmpty, name.utf8.allSatisfy(isToken) else {
            throw .wrong("“\(name)” is no name of a field (RFC 9110 5.1)", "Names have letters, digits and hyphens.")
        }
        let small = name.lowercased()
        if isRequest, small == "host" { throw .wrong("Host is no field of the list", "Give it as \"host\".") }
        if HeldForm.ownNames.contains(small) {
            throw .wrong("\(name) is written by Shunt, as the body and the connection need it", "Leave it out.")
        }
    }

    static func checked(value: [UInt8], of name: String) throws(HoldFailure) -> [UInt8] {
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .wrong("the value of \(name) has a control character (RFC 9110 5.5)", "Write it in one line.")
        }
        return value
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
