import Engine
import JSON
import Platform
import Profiles

extension Command {
    static let doctor = Command(
        name: "doctor",
        summary: "Check everything that Shunt depends on, with a fix for each finding.",
        usage: "doctor [options]",
        details: [
            "Checks the profile files, the origins of all profiles (name, connection, and TLS as for traffic), this "
                + "machine's clock compared with theirs, the development CA with its keys, the stores that trust it, "
                + "recorded traffic, the port of `shunt serve`, and `*.localhost`. Checks run in parallel, for at most "
                + "\(DoctorLimit.usual) seconds each. Each origin gets one GET; nothing is changed. Outside of a project "
                + "the files are those of the only Shunt that runs.",
            "Exit status: 0 if nothing is wrong, 1 if something is. Warnings (!) do not count.",
        ],
        options: [
            .value("certs", "DIR", default: "that of the project or of this person", "The folder of the CA."),
            .running, .profiles, .json,
        ],
        examples: [
            ("What is wrong here?", "shunt doctor"),
            ("The fixes alone", "shunt doctor --json | jq -r '.checks[] | select(.fix) | .fix'"),
        ],
        run: DoctorCommand.run)
}

/// What `shunt doctor` does.
enum DoctorCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        // Also where no Shunt runs there is much to be checked.
        let isAlone = !arguments.has("port") && RunningShunt.all.isEmpty
        let project = isAlone ? (try? Project.find(arguments)) ?? .here : try RunningShunt.project(arguments)
        let folder = CACommand.folder(arguments)
        let (files, library) = DoctorFiles.profiles(project)
        async let origins = DoctorOrigins.checks(library)
        async let stores = DoctorLimit.checks(.trusted, fix: "shunt trust status --store NAME, one after the other") {
            DoctorAuthority.stores(folder)
        }
        async let names = DoctorLimit.checks(.dns, fix: "see that the name servers of this machine can be reached") {
            DoctorMachine.names()
        }
        async let ports = DoctorLimit.checks(.port, fix: "shunt serve --port 0") { DoctorMachine.port(project) }
        var checks = files
        checks += await origins
        checks += DoctorAuthority.certificate(folder) + DoctorAuthority.keys(folder)
        checks += await stores
        checks += DoctorFiles.traffic(project)
        checks += DoctorFiles.crashes(project)
        checks += await ports
        checks += await names
        let isWell = checks.allSatisfy { $0.state != .wrong }
        return CommandResult(checks.map(\.text).joined(), status: isWell ? 0 : 1) {
            $0.member("ok", isWell)
            $0.array("checks") { array in for check in checks { check.write(to: &array) } }
        }.show(arguments)
    }
}
