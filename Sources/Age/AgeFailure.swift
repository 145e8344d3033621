/// Why an age file cannot be read or written, or a key not used.
public enum AgeFailure: Error, Sendable, Equatable {
    /// The armor around it is wrong.
    case armor(String)
    /// The header is no valid one of age-encryption.org/v1.
    case header(String)
    /// None of the identities opens it.
    case noMatch
    /// It was sealed with another passphrase.
    case passphrase
    /// It was sealed with a passphrase, and none was given.
    case onlyPassphrase
    /// A passphrase was given, and it was sealed to recipients.
    case noPassphrase
    /// The header was changed: its authentication code does not fit.
    case mac
    /// The sealed bytes were cut or changed.
    case payload(String)
    /// A recipient or an identity cannot be read, or is of an unsupported kind.
    case key(String)
    /// The system refused to read or write; an `errno`.
    case system(CInt)
    /// OpenSSL refused a calculation.
    case calculation(String)

    package var message: String {
        switch self {
        case .armor(let reason): "the armor is not valid: \(reason)"
        case .header(let reason): "not a valid age file: \(reason)"
        case .noMatch: "none of the identities opens it"
        case .passphrase: "its passphrase is another one"
        case .onlyPassphrase: "it was sealed with a passphrase"
        case .noPassphrase: "it was sealed to recipients, not with a passphrase"
        case .mac: "its header was changed after it was sealed"
        case .payload(let reason): "the file is damaged: \(reason)"
        case .key(let reason): reason
        case .system(let code): systemReason(code)
        case .calculation(let name): "OpenSSL could not calculate \(name)"
        }
    }
}
