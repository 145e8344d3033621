import Admin
import JSON
import Platform

/// A file that is to be formatted in place.
struct FormattedFile {
    private let file: String

    /// - Parameter file: absolute.
    init(_ file: String) { self.file = file }

    /// Formats the file, or only looks whether that would change it; true when it does.
    func update(isCheck: Bool) throws(FormatProblem) -> Bool {
        let name = Path.short(file)
        let bytes: [UInt8]
        do throws(FileFailure) { bytes = try Files.read(file) } catch { throw problem(error.code, "read") }
        let formatted = try FormatProblem.format(bytes, of: name)
        guard formatted != bytes else { return false }
        if !isCheck { try replace(formatted) }
        return true
    }

    /// The new text appears as a whole, under the mode of the old one, behind links that lead to it.
    func replace(_ bytes: [UInt8]) throws(FormatProblem) {
        guard let target = Path.resolved(file) else { throw problem(errno, "found") }
        var status = stat()
        // Renaming asks for rights in the folder alone, but who protected the file meant it.
        guard stat(target, &status) == 0, access(target, W_OK) == 0 else { throw problem(errno, "written") }
        // Hidden, so that it is not read as a profile.
        let parent = Path.directory(of: target)
        let temporary = "\(parent)/.shunt-fmt.\(getpid()).\(UInt32.random(in: 0 ... .max))"
        do throws(FileFailure) { try Files.write(bytes, to: temporary, mode: 0o600) } catch {
            throw problem(error.code, "written")
        }
        // Only an administrator can give a file back to its owner; for others the owner is the same.
        _ = chown(temporary, status.st_uid, status.st_gid)
        guard chmod(temporary, status.st_mode & 0o7777) == 0, rename(temporary, target) == 0 else {
            let code = errno
            unlink(temporary)
            throw problem(code, "written")
        }
    }

    private func problem(_ code: CInt, _ deed: String) -> FormatProblem {
        FormatProblem(file: Path.short(file), message: "cannot be \(deed): \(String(cString: strerror(code)))")
    }
}

/// Why a file was left alone.
struct FormatProblem: Error, CustomStringConvertible {
    /// As large as a profile may be.
    static let sizeLimit = 16 << 20

    let file: String
    /// Nil when the matter is the file itself.
    let position: JSONPosition?
    let message: String
    let expected: String?

    init(file: String, message: String) {
        self.file = file
        position = nil
        self.message = message
        expected = nil
    }

    private init(file: String, _ failure: JSONFailure) {
        self.file = file
        position = failure.position
        message = failure.message
        expected = failure.expected
    }

    static func format(_ bytes: [UInt8], of file: String) throws(FormatProblem) -> [UInt8] {
        do throws(JSONFailure) { return try JSONFormatter.format(bytes, sizeLimit: sizeLimit) } catch {
            throw FormatProblem(file: file, error)
        }
    }

    /// `Profiles/local.json:12:5: message; expected this`, as `shunt validate` writes it.
    var description: String {
        let place = position.map { ":\($0.line):\($0.column)" } ?? ""
        return "\(file)\(place): \(message)" + (expected.map { "; expected \($0)" } ?? "")
    }

    func write(to writer: inout JSONWriter) {
        writer.object([
            "file": file, "line": position?.line ?? 0, "column": position?.column ?? 0, "message": message,
            "expected": expected,
        ])
    }
}
