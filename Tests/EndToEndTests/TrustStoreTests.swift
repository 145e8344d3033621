import Foundation
import JSON
import TestSupport
import Testing

/// `shunt trust` with programs in place of those that this machine lacks; what they were called with is recorded.
@Suite struct TrustStoreTests {
    let shunt: Shunt
    private let fingerprint: String
    private let name: String

    init() throws {
        shunt = try Shunt()
        _ = try shunt.run("init")
        let authority = try JSONReader.read(try shunt.run("ca", "--json").output)
        fingerprint = authority["sha256"]?.string ?? ""
        name = String((authority["name"]?.string ?? "").dropFirst(3))
        try shunt.folder.write("name", name)
        try shunt.folder.write("home/empty", "")
    }

    private var file: String { shunt.folder.path + "/.data/shunt/ca/ca.pem" }
    private var id: String { "shunt-" + fingerprint.prefix(16) }

    /// A program that records its words and then does what a script says.
    private func standIn(_ program: String, _ script: String) throws {
        let text =
            "#!/bin/sh\necho \"\(program) $*\" >>\(shunt.folder.path)/calls\ncd \(shunt.folder.path)\n\(script)\n"
        let path = try shunt.folder.write("bin/" + program, text)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private func trust(_ words: String..., environment: [String: String] = [:]) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["trust"] + words, directory: shunt.folder.path,
            environment: ["PATH": shunt.folder.path + "/bin:/usr/bin:/bin", "HOME": shunt.folder.path + "/home"]
                .merging(environment) { $1 })
    }

    /// The calls that change something, since the last time.
    private func calls(but asking: [String]) throws -> [String] {
        let lines = (try? shunt.folder.read("calls"))?.split(separator: "\n").map(String.init) ?? []
        try shunt.folder.write("calls", "")
        return lines.filter { line in !asking.contains { line.hasPrefix($0) } }
    }

    private func states(_ words: String..., environment: [String: String] = [:]) throws -> [String] {
        let result = try ChildProcess.run(
            ShuntBinary.path, ["trust", "status", "--json"] + words, directory: shunt.folder.path,
            environment: ["PATH": shunt.folder.path + "/bin:/usr/bin:/bin", "HOME": shunt.folder.path + "/home"]
                .merging(environment) { $1 })
        return try JSONReader.read(result.output).array?.compactMap { $0["state"]?.string } ?? []
    }

    @Test func `macOS's login keychain trusts the CA once, and has nothing of it afterwards`() throws {
        try standIn(
            "security",
            """
            case $1 in
            dump-trust-settings) [ ! -f trusted ] || echo "Cert 0: $(cat name)" ;;
            add-trusted-cert) touch trusted ;;
            remove-trusted-cert) rm trusted ;;
            esac
            """)
        let keychain = shunt.folder.path + "/home/Library/Keychains/login.keychain-db"
        #expect(try states("--store", "keychain") == ["absent"])
        let dry = try trust("install", "--store", "keychain", "--dry-run")
        let add = "security add-trusted-cert -r trustRoot -k \(keychain) \(file)"
        #expect(dry.output.contains("\n  " + add + "\n"), "\(dry)")
        #expect(try calls(but: ["security dump"]).isEmpty)
        for _ in 0..<2 { #expect(try trust("install", "--store", "keychain").status == 0) }
        #expect(try calls(but: ["security dump"]) == [add])
        #expect(try states("--store", "keychain") == ["trusted"])
        let shown = try ChildProcess.run(
            ShuntBinary.path, ["ca"], directory: shunt.folder.path,
            environment: ["PATH": shunt.folder.path + "/bin:/usr/bin:/bin", "HOME": shunt.folder.path + "/home"])
        #expect(shown.output.contains("keychain: \(keychain)"), "\(shown)")
        for _ in 0..<2 { #expect(try trust("uninstall", "--store", "keychain").status == 0) }
        #expect(
            try calls(but: ["security dump"]) == [
                "security remove-trusted-cert \(file)",
                "security delete-certificate -Z \(fingerprint.uppercased()) \(keychain)",
            ])
    }

    @Test func `each simulator that is booted gets the CA, and only those that got it are reset`() throws {
        try standIn(
            "xcrun",
            #"""
            [ "$2" != list ] || cat <<END
            {"devices": {"com.apple.iOS-26": [{"udid": "AAAA-1", "name": "iPhone", "state": "Booted"},
              {"udid": "-rf /", "name": "odd"}], "com.apple.iOS-18": [{"udid": "BBBB-2", "name": "iPad"}]}}
            END
            """#)
        #expect(try trust("uninstall", "--store", "simulator").status == 0)
        #expect(try calls(but: ["xcrun simctl list"]).isEmpty)
        #expect(try states("--store", "simulator") == ["unknown", "unknown"])
        for _ in 0..<2 { #expect(try trust("install", "--store", "simulator").status == 0) }
        let added = try calls(but: ["xcrun simctl list"])
        #expect(added == ["AAAA-1", "BBBB-2"].map { "xcrun simctl keychain \($0) add-root-cert \(file)" })
        #expect(try states("--store", "simulator") == ["trusted", "trusted"])
        let removed = try trust("uninstall", "--store", "simulator")
        #expect(removed.output.contains("everything else in this simulator's keychain"), "\(removed)")
        #expect(
            try calls(but: ["xcrun simctl list"]) == ["AAAA-1", "BBBB-2"].map { "xcrun simctl keychain \($0) reset" })
        #expect(!shunt.folder.exists(".data/shunt/ca/installed"))
    }

    /// What `security` and `simctl` of macOS 15 say where they refuse, each with its status.
    @Test(arguments: [
        ("keychain", 1, "SecTrustSettingsSetTrustSettings: The authorization was canceled by the user."),
        (
            "keychain", 1,
            "SecTrustSettingsSetTrustSettings: The authorization was denied since no user interaction was possible."
        ),
        ("keychain", 1, "security: SecKeychainOpen: The specified keychain could not be found."),
        ("simulator", 149, "Unable to lookup in current state: Shutdown"),
    ])
    func `what macOS's tools refuse is said in their words, and nothing is taken for installed`(
        store: String, status: Int, words: String
    ) throws {
        try standIn(
            "security",
            """
            case $1 in
            dump-trust-settings) echo 'SecTrustSettingsCopyCertificates: No Trust Settings were found.' >&2; exit 1 ;;
            add-trusted-cert) echo '\(words)' >&2; exit \(status) ;;
            esac
            """)
        try shunt.folder.write(
            "devices",
            #"{"devices": {"iOS": [{"udid": "AAAA-1", "name": "one"}, {"udid": "BBBB-2", "name": "two"}]}}"#)
        try standIn(
            "xcrun",
            #"""
            case "$2 $4" in
            "list booted") cat devices ;;
            "keychain add-root-cert") [ "$3" = BBBB-2 ] || { echo '\#(words)' >&2; exit \#(status); } ;;
            esac
            """#)
        let result = try trust("install", "--store", store)
        #expect(result.status == 1 && result.output.contains("failed, ") && result.output.contains(words), "\(result)")
        // The other simulator has it all the same.
        #expect(try states("--store", store) == (store == "keychain" ? ["absent"] : ["unknown", "trusted"]))
        let installed = shunt.folder.exists(".data/shunt/ca/installed")
        #expect(installed == (store == "simulator"))
    }

    @Test func `without Xcode no simulator is there, and nothing fails`() throws {
        try standIn(
            "xcrun",
            """
            echo 'xcrun: error: unable to find utility "simctl", not a developer tool or in PATH' >&2
            exit 72
            """)
        #expect(try states("--store", "simulator").isEmpty)
        let result = try trust("uninstall", "--store", "simulator")
        #expect(result.status == 0, "\(result)")
    }

    @Test func `an emulator gets the CA in both stores of Android, and another device is left to its user`() throws {
        try standIn(
            "adb",
            """
            if [ "$1" = devices ]; then
                printf 'List of devices attached\\nemulator-5554\\tdevice\\nR58X\\tdevice\\nemulator-5556\\toffline\\n'
            fi
            case "$*" in
            *'shell cat'*) cat pushed 2>/dev/null ;;
            *push*) cp "$4" pushed ;;
            *'shell rm -f'*) rm pushed ;;
            esac
            """)
        let installed = try trust("install", "--store", "android")
        #expect(installed.status == 1)
        #expect(installed.output.contains("android: emulator-5554: trusted, is trusted now"), "\(installed)")
        #expect(installed.output.contains("android: R58X: failed, no emulator"), "\(installed)")
        let hash =
            try ChildProcess.run(
                "/usr/bin/env", ["openssl", "x509", "-noout", "-subject_hash_old", "-in", file]
            ).output.split(separator: "\n").first.map(String.init) ?? ""
        let made = try calls(but: ["adb devices"]).filter { !$0.contains("shell cat") }
        #expect(made.count == 4)
        #expect(made[0] == "adb -s emulator-5554 root" && made[1] == "adb -s emulator-5554 wait-for-device")
        #expect(made[2] == "adb -s emulator-5554 push \(file) /data/local/tmp/\(hash).0")
        for part in [
            "cp /data/local/tmp/\(hash).0 /system/etc/security/cacerts/\(hash).0", "mount -t tmpfs tmpfs",
            "nsenter --mount=/proc/$pid/ns/mnt -- mount --bind /system/etc/security/cacerts /apex/com.android.conscrypt",
        ] { #expect(made[3].contains(part), "\(made[3])") }
        // What a shell cannot read would fail on the device only.
        try shunt.folder.write("script", String(made[3].dropFirst("adb -s emulator-5554 shell ".count)))
        #expect(try ChildProcess.run("/bin/sh", ["-n", "script"], directory: shunt.folder.path).status == 0)
        _ = try trust("uninstall", "--store", "android")
        let removed = try calls(but: ["adb devices"]).filter { !$0.contains("shell cat") }
        #expect(removed.last == "adb -s emulator-5554 shell rm -f /system/etc/security/cacerts/\(hash).0")
        #expect(!shunt.folder.exists("pushed"))
    }

    @Test(arguments: [
        ("usr/local/share/ca-certificates", "crt", "etc/ssl/certs/ca-certificates.crt", "update-ca-certificates"),
        (
            "etc/pki/ca-trust/source/anchors", "pem", "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
            "update-ca-trust extract"
        ),
        (
            "etc/ca-certificates/trust-source/anchors", "crt", "etc/ca-certificates/extracted/tls-ca-bundle.pem",
            "update-ca-trust"
        ),
        ("etc/pki/trust/anchors", "pem", "var/lib/ca-certificates/ca-bundle.pem", "update-ca-certificates"),
    ])
    func `each kind of Linux has its folder and its command`(
        folder: String, suffix: String, bundle: String, update: String
    ) throws {
        try shunt.folder.write("image/\(folder)/other", "")
        try shunt.folder.write("image/\(bundle)", "")
        try standIn("chroot", "cat image/\(folder)/* >image/\(bundle)")
        let own = "image/\(folder)/\(id).\(suffix)"
        for _ in 0..<2 {
            let result = try trust("install", "--store", "system", "--root", "image")
            #expect(result.status == 0, "\(result)")
        }
        #expect(try calls(but: []) == ["chroot \(shunt.folder.path)/image \(update)"])
        #expect(try shunt.folder.read(own) == String(contentsOfFile: file, encoding: .utf8))
        #expect(try trust("status", "--root", "image").status == 0)
        // A file that does not count goes, too.
        try shunt.folder.write("image/\(bundle)", "")
        #expect(try trust("status", "--root", "image").status == 1)
        #expect(try trust("uninstall", "--root", "image").status == 0)
        #expect(!shunt.folder.exists(own) && shunt.folder.exists("image/\(folder)/other"))
        let removed = try calls(but: [])
        #expect(removed.count == 1 && removed[0].hasPrefix("chroot \(shunt.folder.path)/image \(update)"))
        #expect(try trust("uninstall", "--root", "image").output.contains("absent, was not there"))
    }

    @Test func `a store that fails or is not there does not keep the others from their turn`() throws {
        try standIn("security", "[ $1 = dump-trust-settings ] || { echo 'User interaction is not allowed.'; exit 1; }")
        try standIn("xcrun", "[ \"$2\" != list ] || echo '{\"devices\": {\"x\": [{\"udid\": \"A-1\"}]}}'")
        try standIn("certutil", "exit 1")
        try shunt.folder.write("home/.pki/nssdb/cert9.db", "")
        let result = try trust(
            "install", "--store", "nss", "--store", "simulator", "--store", "keychain", "--store", "android")
        #expect(result.status == 1)
        #expect(result.output.contains("keychain-db: failed, security: User interaction is not allowed."), "\(result)")
        #expect(result.output.contains("nss: \(shunt.folder.path)/home/.pki/nssdb: failed, certutil: it ended with"))
        #expect(result.output.contains("simulator (A-1): trusted, is trusted now"), "\(result)")
    }

    @Test(arguments: [
        (["trust", "instal"], "Did you mean `shunt trust install`?"), (["trust"], "lacks an argument"),
        (["trust", "install", "--store", "windows"], "There are: system, nss, java"),
    ])
    func `what cannot be done is said`(words: [String], message: String) throws {
        let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        #expect(result.status == 64 && result.errors.contains(message), "\(result)")
    }

    // MARK: The real programs

    /// Whether a folder of the system can be another one for a single command.
    private static let hasNamespaces: Bool = {
        let command = "unshare -m sh -c 'mount -t tmpfs none /mnt' && PATH=$PATH:/usr/sbin which update-ca-certificates"
        return (try? ChildProcess.run("/bin/sh", ["-c", command]).status) == 0
    }()

    @Test(.enabled(if: ClientProgram.find("certutil") != nil, "certutil \(ClientProgram.hint)"))
    func `NSS's own certutil trusts the CA, the rotated one too, and has nothing afterwards`() throws {
        let databases = [
            ".pki/nssdb", ".mozilla/firefox/abc.default", ".config/mozilla/firefox/new.default",
            "snap/firefox/common/.mozilla/firefox/x", ".var/app/org.mozilla.firefox/config/mozilla/firefox/y",
        ]
        func list(_ database: String) throws -> String {
            try ChildProcess.run(
                "/usr/bin/env", ["certutil", "-L", "-d", "sql:\(shunt.folder.path)/home/\(database)"]
            ).output
        }
        for database in databases {
            try shunt.folder.write("home/\(database)/x", "")
            let made = try ChildProcess.run(
                "/usr/bin/env",
                ["certutil", "-N", "--empty-password", "-d", "sql:\(shunt.folder.path)/home/\(database)"])
            #expect(made.status == 0, "\(made)")
        }
        for _ in 0..<2 { #expect(try trust("install", "--store", "nss").status == 0) }
        #expect(try states("--store", "nss") == databases.map { _ in "trusted" })
        for database in databases { #expect(try list(database).contains(name)) }
        // One that the user has taken the trust from.
        let distrust = try ChildProcess.run(
            "/usr/bin/env",
            ["certutil", "-M", "-t", ",,", "-n", name, "-d", "sql:\(shunt.folder.path)/home/.pki/nssdb"])
        #expect(distrust.status == 0)
        #expect(Set(try states("--store", "nss")) == ["trusted", "absent"])
        #expect(try trust("install", "--store", "nss").status == 0)
        #expect(Set(try states("--store", "nss")) == ["trusted"])

        _ = try shunt.run("ca", "rotate")
        #expect(try trust("install", "--store", "nss").status == 0)
        #expect(try states("--store", "nss", "--old") == databases.map { _ in "trusted" })
        #expect(try trust("uninstall", "--store", "nss").status == 0)
        for database in databases { #expect(try !list(database).contains("Shunt development CA")) }
    }

    @Test(.extended, .enabled(if: ClientProgram.hasJava, "a JDK \(ClientProgram.hint)"))
    func `Java's own keytool trusts the CA, and has nothing afterwards`() throws {
        let home = shunt.folder.path + "/java"
        try shunt.folder.write("java/bin/x", "")
        let keytool =
            try ChildProcess.run("/bin/sh", ["-c", "readlink -f $(which keytool)"]).output
            .split(separator: "\n").first.map(String.init) ?? ""
        try FileManager.default.createSymbolicLink(atPath: home + "/bin/keytool", withDestinationPath: keytool)
        try shunt.folder.write("java/lib/security/x", "")
        let made = try ChildProcess.run(
            "/usr/bin/env",
            [
                "keytool", "-genkeypair", "-alias", "other", "-dname", "CN=other", "-keyalg", "EC", "-keystore",
                home + "/lib/security/cacerts", "-storepass", "changeit",
            ])
        #expect(made.status == 0, "\(made)")
        let environment = ["JAVA_HOME": home]
        for _ in 0..<2 {
            let result = try trust("install", "--store", "java", environment: environment)
            #expect(result.status == 0, "\(result)")
        }
        #expect(try states("--store", "java", environment: environment) == ["trusted"])
        #expect(try trust("uninstall", "--store", "java", environment: environment).status == 0)
        let list = try ChildProcess.run(
            "/usr/bin/env",
            ["keytool", "-list", "-keystore", home + "/lib/security/cacerts", "-storepass", "changeit"])
        #expect(list.output.contains("other") && !list.output.contains("shunt-"), "\(list.output)")
    }

    @Test(
        .extended,
        .enabled(
            if: TrustStoreTests.hasNamespaces, "it needs update-ca-certificates, and root to have folders of its own"))
    func `Debian's own store trusts the CA, and has nothing afterwards`() throws {
        // In a mount namespace of its own, with copies of the folders, so that this machine stays as it is.
        let script = """
            set -e
            mkdir -p copies/local copies/ssl
            cp -a /etc/ssl/. copies/ssl/
            [ ! -d /usr/local/share/ca-certificates ] || cp -a /usr/local/share/ca-certificates/. copies/local/
            mount --bind copies/local /usr/local/share/ca-certificates
            mount --bind copies/ssl /etc/ssl
            [ ! -d /etc/ca-certificates/update.d ] || mount -t tmpfs none /etc/ca-certificates/update.d
            update-ca-certificates --fresh
            cp /etc/ssl/certs/ca-certificates.crt before
            '\(ShuntBinary.path)' trust install --store system
            '\(ShuntBinary.path)' trust install --store system
            '\(ShuntBinary.path)' trust status --store system
            openssl verify -CApath /etc/ssl/certs .data/shunt/ca/ca.pem
            '\(ShuntBinary.path)' trust uninstall --store system
            cmp before /etc/ssl/certs/ca-certificates.crt
            if openssl verify -CApath /etc/ssl/certs .data/shunt/ca/ca.pem 2>/dev/null; then exit 8; fi
            if ls /usr/local/share/ca-certificates /etc/ssl/certs | grep -i shunt; then exit 9; fi
            """
        try shunt.folder.write("script", script)
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", "unshare -m sh script"], directory: shunt.folder.path,
            environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"],
            seconds: 120)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("trusted, was trusted already"), "\(result)")
    }

    @Test(
        .extended,
        .enabled(
            if: ClientProgram.find("certutil") != nil && ClientProgram.find("chromium") != nil,
            "Chromium and certutil \(ClientProgram.hint)"))
    func `Chromium with an NSS store shows no certificate error, before and after a rotation`() throws {
        try shunt.folder.write("Profiles/local.json", #"{kind: "local", routes: [{mock: {text: "hello"}}]}"#)
        try shunt.folder.write("home/.pki/nssdb/x", "")
        let made = try ChildProcess.run(
            "/usr/bin/env", ["certutil", "-N", "--empty-password", "-d", "sql:\(shunt.folder.path)/home/.pki/nssdb"])
        #expect(made.status == 0)
        func page() throws -> String {
            try? FileManager.default.removeItem(atPath: shunt.folder.path + "/ready.json")
            let process = try ChildProcess(
                ShuntBinary.path,
                [
                    "serve", "--port", "0", "--admin-port", "0", "--workers", "1", "--no-store", "--ready-file",
                    "ready.json",
                ],
                directory: shunt.folder.path)
            defer { process.signal(15) }
            #expect(eventually { shunt.folder.exists("ready.json") }, "\(process.errors)")
            let port = Int(try JSONReader.read(try shunt.folder.read("ready.json"))["port"]?.number?.int64 ?? 0)
            return try ChildProcess.run(
                "/usr/bin/env",
                [
                    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server",
                    "--user-data-dir=\(shunt.folder.path)/chromium", "--dump-dom", "https://localhost:\(port)/",
                ], directory: shunt.folder.path, environment: ["HOME": shunt.folder.path + "/home"], seconds: 120
            ).output
        }
        #expect(try !page().contains("hello"))
        #expect(try trust("install", "--store", "nss").status == 0)
        #expect(try page().contains("hello"))
        _ = try shunt.run("ca", "rotate")
        // The old one is still the one that is trusted.
        #expect(try page().contains("hello"))
        #expect(try trust("install", "--store", "nss").status == 0)
        #expect(try trust("uninstall", "--store", "nss", "--old").status == 0)
        _ = try shunt.run("ca", "forget")
        #expect(try page().contains("hello"))
    }
}
