import Admin
import Bytes
import Platform
import TLS

/// Checks of the development CA: whether it is valid and its keys are secret, and who trusts it.
enum DoctorAuthority {
    static func certificate(_ folder: AuthorityFolder) -> [DoctorCheck] {
        guard folder.exists else {
            return [
                .warning(
                    .authority, "there is none in \(Path.short(folder.path)) yet", fix: "shunt init, or shunt serve")
            ]
        }
        let place = Path.short(folder.certificate)
        let summary: SeenCertificate
        do throws(TLSFailure) { summary = try CertificateFile(folder.certificate).summary } catch {
            return [
                .wrong(
                    .authority, "\(place) cannot be used: \(error.message)",
                    fix: "restore the file, or: shunt ca rotate")
            ]
        }
        guard Files.exists(folder.path + "/ca-key.pem") else {
            return [
                .wrong(
                    .authority, "the key of \(place) is not there",
                    fix: "restore ca-key.pem, or make a new CA: rm \(Path.quoted(folder.certificate)), shunt init")
            ]
        }
        let now = self.now
        if summary.notAfter < now {
            return [.wrong(.authority, "\(place) has expired on \(summary.notAfter)", fix: "shunt ca rotate")]
        }
        if summary.notBefore > now {
            return [
                .wrong(
                    .authority, "\(place) is not valid before \(summary.notBefore), and now it is \(now)",
                    fix: "set this machine's clock")
            ]
        }
        return [.ok(.authority, "\(place), valid until \(summary.notAfter)")]
    }

    /// As certificates have it.
    private static var now: String {
        let seconds = wallClock() / 1_000_000
        let days = seconds.dividedFloor(by: 86400)
        return CalendarDate(daysSince1970: days).text + "T" + CalendarDate.time(ofDay: seconds - days * 86400) + "Z"
    }

    /// Keys that others could read are refused at the start.
    static func keys(_ folder: AuthorityFolder) -> [DoctorCheck] {
        ["ca-key.pem", "leaf-key.pem"].compactMap { name in
            let path = folder.path + "/" + name
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            let (short, quoted) = (Path.short(path), Path.quoted(path))
            guard status.st_mode & 0o077 == 0 else {
                return .wrong(.key, "\(short) can be read by others", fix: "chmod 600 \(quoted)")
            }
            guard access(path, R_OK) == 0 else {
                return .wrong(.key, "\(short) cannot be read by this user", fix: "sudo chown $USER \(quoted)")
            }
            return .ok(.key, "\(short) is for this user alone")
        }
    }

    /// Asks each store of this machine.
    static func stores(_ folder: AuthorityFolder) -> [DoctorCheck] {
        guard folder.exists, let file = try? CertificateFile(folder.certificate) else { return [] }
        let change = TrustChange(wish: .status, isDry: true, installed: InstalledPlaces(folder))
        return change.apply([file], TrustStores.all, TrustContext(home: UserFolder.home)).map { outcome in
            let name = "\(outcome.store): \(outcome.place)"
            switch outcome.state {
            case .trusted: return .ok(.trusted, name)
            case .absent:
                return .warning(
                    .trusted, "\(name) does not have the CA", fix: "shunt trust install --store \(outcome.store)")
            case .unknown, .failed:
                return .warning(
                    .trusted, "\(name) cannot be asked\(outcome.note.isEmpty ? "" : ": \(outcome.note)")",
                    fix: "shunt trust install --store \(outcome.store) --dry-run shows what to do by hand")
            }
        }
    }
}
