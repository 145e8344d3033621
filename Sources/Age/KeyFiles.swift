/// Recipients as text: one in each line, and comments behind a `#`.
package enum RecipientText {
    package static func recipient(_ text: String) throws(AgeFailure) -> any AgeRecipient {
        if text.hasPrefix("ssh-") || text.hasPrefix("ecdsa-") || text.hasPrefix("sk-") {
            return try SSHRecipients.recipient(text)
        }
        if text.uppercased().hasPrefix("AGE-SECRET-KEY-") {
            throw .key("a secret key stands where a recipient was expected; recipients begin with age1")
        }
        return try X25519Recipient(text)
    }

    /// - Returns: the failure with its line.
    package static func recipients(_ text: String) -> Result<[any AgeRecipient], KeyLineFailure> {
        var recipients: [any AgeRecipient] = []
        for (index, line) in KeyLines.of(text) {
            do throws(AgeFailure) {
                recipients.append(try recipient(line))
            } catch {
                return .failure(KeyLineFailure(line: index, failure: error))
            }
        }
        return .success(recipients)
    }
}

/// A line of a file of keys that cannot be read.
package struct KeyLineFailure: Error {
    /// From 1.
    package let line: Int
    package let failure: AgeFailure
}

/// Identities as text: age's own, one in each line, or one private key of SSH.
package enum IdentityText {
    package static func identities(_ text: String) -> Result<[any AgeIdentity], KeyLineFailure> {
        do throws(AgeFailure) {
            if text.contains("-----BEGIN OPENSSH PRIVATE KEY-----") {
                return .success([try SSHIdentities.identity(text)])
            }
            guard !text.contains("-----BEGIN ") || text.contains(Armor.first) else {
                throw .key(
                    "private keys in this format are not supported; write it anew with `ssh-keygen -p -f FILE`, which "
                        + "takes OpenSSH's format")
            }
        } catch {
            return .failure(KeyLineFailure(line: 1, failure: error))
        }
        var identities: [any AgeIdentity] = []
        for (index, line) in KeyLines.of(text) {
            do throws(AgeFailure) {
                guard !line.hasPrefix("AGE-SECRET-KEY-PQ-") else {
                    throw .key(
                        "identities for post-quantum recipients are not supported, since OpenSSL 3.0 has no ML-KEM")
                }
                guard !line.hasPrefix("AGE-PLUGIN-") else { throw .key("identities of plugins are not supported") }
                identities.append(try X25519Identity(line))
            } catch {
                return .failure(KeyLineFailure(line: index, failure: error))
            }
        }
        return .success(identities)
    }
}

private enum KeyLines {
    /// Lines with their numbers from 1, without blank ones and comments.
    static func of(_ text: String) -> [(Int, String)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap {
            index, line in
            let line = line.drop { $0 == " " || $0 == "\t" }
            var text = String(line)
            while text.last == " " || text.last == "\t" { text.removeLast() }
            return text.isEmpty || text.hasPrefix("#") ? nil : (index + 1, text)
        }
    }
}
