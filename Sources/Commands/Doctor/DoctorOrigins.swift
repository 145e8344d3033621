import Engine
import Profiles

/// Checks of the origins of all profiles, and of this machine's clock by theirs.
enum DoctorOrigins {
    /// Seconds by which clocks may differ: leaves begin a day early, but tokens are often good for a minute.
    private static let tolerance: UInt64 = 60

    static func checks(_ library: ProfileLibrary?) async -> [DoctorCheck] {
        guard let library, let first = library.profiles.first else { return [] }
        let proxy: Proxy
        do throws(ProxyError) {
            proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: first.name)
        } catch {
            // The check of the files has said it.
            return []
        }
        let bound = Task {
            do { try await Task.sleep(for: .seconds(DoctorLimit.seconds)) } catch { return false }
            await proxy.abort()
            return true
        }
        let results = await proxy.probe()
        let reflected = await proxy.reflect()
        bound.cancel()
        let isLate = await bound.value
        await proxy.drain()
        proxy.stop()
        let clocks = results.compactMap { result in result.clockOffset.map { (result: result, offset: $0) } }
        return results.map { check($0, isLate: isLate) }
            + clock(clocks.min { $0.offset.magnitude < $1.offset.magnitude }) + reflected.map(check)
    }

    private static func check(_ result: ProbeResult, isLate: Bool) -> DoctorCheck {
        let name = "\(result.origin) (\(result.profiles.joined(separator: ", ")))"
        if let note = result.note { return .ok(.origin, "\(name): \(note)") }
        guard let failure = result.failure else {
            let trust = result.decision.map { ", certificate \($0)" } ?? ""
            return .ok(.origin, "\(name) responds with \(result.status ?? 0)\(trust)")
        }
        let host = "\(result.origin.host):\(result.origin.port)"
        if isLate, failure.side == .proxy {
            return .wrong(
                .origin, "\(name) has not responded within \(DoctorLimit.seconds) s",
                fix: "is \(host) reachable from here (VPN, firewall), and what keeps it? shunt status --probe")
        }
        // Its first line is about the cause, later ones about what else may be wrong.
        let advice = failure.advice?.split(separator: "\n").first.map(String.init)
        let explain = "shunt trust explain \(host)"
        let isRejected = failure.stage == .tls && failure.message.contains("was rejected")
        return .wrong(
            .origin, failure.message + " (\(result.profiles.joined(separator: ", ")))",
            fix: isRejected ? explain : advice ?? "see that it runs, then: shunt status --probe")
    }

    private static func check(_ status: ReflectionStatus) -> DoctorCheck {
        switch status.result {
        case .known(let services, _)?:
            .ok(.grpc, "\(status.origin) describes \(Words.count(services, "service")) (\(status.profile))")
        case .failed(let problem, let advice)?:
            .wrong(.grpc, "\(problem) (\(status.profile))", fix: advice ?? "see what it says of it in its own log")
        case nil: .wrong(.grpc, "\(status.origin) was not asked in time (\(status.profile))", fix: "shunt status")
        }
    }

    /// By the origin whose clock is nearest to this one: any may be wrong by itself.
    private static func clock(_ nearest: (result: ProbeResult, offset: Int64)?) -> [DoctorCheck] {
        guard let (result, offset) = nearest else { return [] }
        guard offset.magnitude > tolerance else { return [.ok(.clock, "agrees with that of \(result.origin)")] }
        let way = offset < 0 ? "ahead of" : "behind"
        return [
            .wrong(
                .clock, "this machine's is \(offset.magnitude) s \(way) that of \(result.origin)",
                fix: "sudo timedatectl set-ntp true, or set it by hand; certificates are judged by it")
        ]
    }
}
