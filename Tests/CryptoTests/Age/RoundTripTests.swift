import Age
import Foundation
import Testing

@Suite struct RoundTripTests {
    static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 300_000]

    @Test(arguments: sizes) func `what was sealed is opened`(_ size: Int) throws {
        let identity = try X25519Identity.generate()
        let other = try X25519Identity.generate()
        let sealed = try seal(sample(size), [other.recipient, identity.recipient])
        #expect(opens(sealed, [identity], to: sample(size)))
        #expect(opens(try armored(sealed), [other], to: sample(size)))
        #expect(open(sealed, [try X25519Identity.generate()]).outcome == .failure("no match"))
    }

    @Test func `a stream in pieces is sealed as one in one`() throws {
        let identity = try X25519Identity.generate()
        let sink = ArraySink()
        let writer = try AgeWriter(to: sink, [identity.recipient])
        var rest = sample(250_000)[...]
        for size in [1, 65_534, 1, 1, 65_536, 100_000, 70_000] {
            try writer.write(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        try writer.finish()
        #expect(opens(sink.bytes, [identity], to: sample(250_000)))
    }

    @Test func `a passphrase opens what it sealed`() throws {
        let sealed = try seal(sample(100), [passphrase])
        #expect(opens(sealed, [passphrase], to: sample(100)))
        #expect(open(sealed, [Passphrase(SecretBytes([1]))]).outcome == .failure("no match"))
        #expect(throws: AgeFailure.key("a passphrase cannot be combined with other recipients")) {
            try seal([], [passphrase, try X25519Identity.generate().recipient])
        }
    }

    /// Wherever a file is cut, what is given out are whole chunks, and the end is missed.
    @Test func `a file that was cut is told from a whole one`() throws {
        let identity = try X25519Identity.generate()
        let plain = sample(3 << 16)
        let sealed = try seal(plain, [identity.recipient])
        let payload = sealed.count - 3 * 65_552
        for count in (0..<3).flatMap({ chunk in [0, 1, 15, 16, 17, 65_551].map { payload + chunk * 65_552 + $0 } }) {
            let (outcome, given) = open(Array(sealed[..<count]), [identity])
            #expect(outcome == .failure("payload failure"), "cut at \(count)")
            let isPrefix = given.count == (count - payload) / 65_552 * 65_536 && plain.starts(with: given)
            #expect(isPrefix, "cut at \(count)")
        }
        for count in stride(from: 0, to: payload, by: 7) {
            #expect(open(Array(sealed[..<count]), [identity]).outcome != .success, "cut at \(count)")
        }
    }

    @Test func `one changed bit is found before its chunk is given out`() throws {
        let identity = try X25519Identity.generate()
        let sealed = try seal(sample(130_000), [identity.recipient])
        for index in [30, 60, 120, 190, 220, sealed.count - 130_000, sealed.count - 65_000, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 4
            let (outcome, given) = open(changed, [identity])
            #expect(outcome != .success && given.count <= 65_536, "at \(index)")
        }
    }
}

@Suite struct KeyTextTests {
    @Test func `an identity is read as it was written`() throws {
        let identity = try X25519Identity.generate()
        let again = try X25519Identity(identity.secretText)
        #expect(again.recipient.text == identity.recipient.text)
        #expect(identity.recipient.text.hasPrefix("age1") && identity.recipient.text.count == 62)
    }

    @Test(arguments: [
        ("age1", "misspelt"), ("age1qqqq", "misspelt"), ("AGE-SECRET-KEY-1QQ", "secret key"),
        ("ssh-dss AAAA", "not of the type"), ("ssh-ed25519", "misspelt"),
        ("ssh-ed25519 AAAAB3NzaC1yc2E=", "not of the type"),
        ("hello", "misspelt"),
        ("age1Szukm5vnm8ykcl4eqj2ts0j8fq9ckmkdkxmxw9zl4u5xpkt3lq7syxkzw", "misspelt"),
    ])
    func `a wrong recipient is refused in words`(_ text: String, _ words: String) {
        guard case .failure(let failure) = RecipientText.recipients("# comment\n\n\(text)\n") else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.line == 3)
        #expect(failure.failure.message.contains(words), "\(failure.failure.message)")
    }
}
