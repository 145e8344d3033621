import Bytes
import Platform
import TLS

/// The Android emulators that `adb` sees: their store of system CAs, and from Android 14 that of the APEX.
struct AndroidTrustStore: TrustStore {
    let name = "android"

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil, ToolCommand.isThere("adb") else { return [] }
        let list = ToolCommand("adb", "devices").run(hidesErrors: true).output
        return list.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == "\t" || $0 == " " }
            guard words.count == 2, words[1] == "device", !words[0].hasPrefix("-") else { return nil }
            return AndroidTrustPlace(label: String(words[0]))
        }
    }
}

private struct AndroidTrustPlace: TrustPlace {
    /// The serial number.
    let label: String

    private static let system = "/system/etc/security/cacerts"
    private static let module = "/apex/com.android.conscrypt/cacerts"
    /// Holds a copy of the system's CAs and ours while it is mounted.
    private static let copy = "/data/local/tmp/shunt-ca"

    /// The store of other devices cannot be written; their users install CAs in the settings.
    var obstacle: String? {
        label.hasPrefix("emulator-")
            ? nil
            : "no emulator: install the CA in the device's settings; the onboarding page of `shunt pair` leads there"
    }

    /// OpenSSL's old hash of the subject, as Android looks CAs up.
    private func file(_ certificate: CertificateFile) -> String {
        let digits = withUnsafeBytes(of: certificate.androidHash.bigEndian) { Hex.text(Array($0)) }
        return digits + ".0"
    }

    private func shell(_ script: String) -> ToolCommand { ToolCommand("adb", "-s", label, "shell", script) }

    func trusts(_ certificate: CertificateFile) -> Bool? {
        let name = file(certificate)
        // Both stores, where there are two: apps read the second.
        let script = "cat \(Self.system)/\(name) && ([ ! -d \(Self.module) ] || cat \(Self.module)/\(name))"
        let result = shell(script).run(hidesErrors: true)
        return result.status == 0 && certificate.isIn(result.output)
    }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        let name = file(certificate)
        let pushed = "/data/local/tmp/\(name)"
        // The stores are read-only: a copy is mounted over them, for apps that run (each has its own view), too.
        let script = """
            set -e; source=\(Self.system); [ ! -d \(Self.module) ] || source=\(Self.module); \
            mountpoint -q \(Self.system) && fresh=0 || fresh=1; \
            if [ $fresh = 1 ]; then rm -rf \(Self.copy); mkdir -p -m 700 \(Self.copy); \
            cp $source/* \(Self.copy)/; mount -t tmpfs tmpfs \(Self.system); cp \(Self.copy)/* \(Self.system)/; \
            rm -rf \(Self.copy); fi; \
            cp \(pushed) \(Self.system)/\(name); rm \(pushed); \
            chown root:root \(Self.system)/*; chmod 644 \(Self.system)/*; \
            chcon u:object_r:system_file:s0 \(Self.system)/*; \
            if [ -d \(Self.module) ] && [ $fresh = 1 ]; then mount --bind \(Self.system) \(Self.module); \
            for zygote in $(pidof zygote zygote64); do for pid in $zygote $(ps -o PID -P $zygote | grep -v PID); do \
            nsenter --mount=/proc/$pid/ns/mnt -- mount --bind \(Self.system) \(Self.module) || true; done; done; fi
            """
        return [
            ToolCommand("adb", "-s", label, "root"), ToolCommand("adb", "-s", label, "wait-for-device"),
            ToolCommand("adb", "-s", label, "push", certificate.path, pushed), shell(script),
        ]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        // The mounts stay, without the CA, until the emulator starts again: what runs may have files of them open.
        [
            ToolCommand("adb", "-s", label, "root"), ToolCommand("adb", "-s", label, "wait-for-device"),
            shell("rm -f \(Self.system)/\(file(certificate))"),
        ]
    }
}
