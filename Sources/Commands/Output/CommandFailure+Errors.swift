import Admin
import Engine
import Platform
import Reactor

/// Errors of the floors below in words for people: the thing, what was expected, the next step.
extension CommandFailure {
    /// Both in one line, for logs.
    var line: String { advice.map { "\(message). \($0)" } ?? message }

    private init(_ message: String, _ advice: String?) { self.init(message, advice: advice) }

    /// - Parameter option: the option that sets the address in question, such as `--port` or `--admin-port`.
    init(_ error: ProxyError, option: String) {
        switch error {
        case .cannotListen(let address, let reason): self.init(address, reason, option)
        case .noSuchProfile(let name, let known, let nearest):
            let names = known.isEmpty ? "" : "There are: \(known.joined(separator: ", "))."
            self.init("there is no profile “\(name)”", nearest.map { "Did you mean “\($0)”? \(names)" } ?? names)
        case .trust(let profile, let reason):
            self.init(
                "the trust rules of profile “\(profile)” cannot be used: \(reason)",
                "Check the files that they name.")
        case .proxy(let profile, let reason):
            self.init(
                "a route of profile “\(profile)” cannot reach its origin: \(reason)",
                "Set it to USER:PASSWORD before Shunt starts.")
        case .certificates(let reason):
            self.init("the certificates towards clients cannot be used: \(reason)", nil)
        case .system(let error):
            self.init("the system refused a thread or a descriptor: \(error)", "Check `ulimit -n` and `ulimit -u`.")
        }
    }

    private init(_ address: SocketAddress, _ reason: SystemError, _ option: String) {
        switch reason.code {
        case EADDRINUSE:
            let holder = PortHolder.find(address.port).map { " by \($0)" } ?? ""
            let look = holder.isEmpty ? PortHolder.advice(address.port) + "\n" : ""
            self.init(
                "port \(address.port) at \(address.host) is in use\(holder)",
                look + "Choose another one with \(option) N, or any free one with \(option) 0.")
        case EACCES:
            self.init(
                "port \(address.port) may be opened by the administrator only",
                "Choose one above 1023 with \(option) N.")
        case EADDRNOTAVAIL:
            self.init(
                "\(address.host) is no address of this machine",
                "Leave --host away, or give an address that `ip addr` or `ifconfig` lists.")
        default:
            self.init(
                "\(address) cannot be listened on: \(reason)",
                "Choose another address with --host, or another port with \(option) N.")
        }
    }

    init(_ error: AdminClientFailure) {
        switch error {
        case .unreachable(let port, let reason):
            self.init(
                "the Shunt whose admin interface is at 127.0.0.1:\(port) does not respond: \(reason.reason)",
                "Has it ended? Start it again with `shunt serve`.")
        case .timedOut(let port, let seconds):
            self.init(
                "the admin interface at 127.0.0.1:\(port) did not respond within \(seconds) s, and will not do it later",
                "It is busy or stopped. Look with `shunt status` whether it responds again, and repeat the command then."
            )
        case .stillReading(let port, let seconds):
            self.init(
                "the Shunt whose admin interface is at 127.0.0.1:\(port) is still busy reading its profiles after "
                    + "\(seconds) s; the old ones count until it has read them",
                "Wait for it, and look with `shunt status` which profiles count.")
        case .garbled(let port):
            self.init(
                "what listens at 127.0.0.1:\(port) does not respond as Shunt's admin interface",
                "Has another program taken the port over? Start Shunt again with `shunt serve`.")
        case .remote(let url, let reason):
            self.init(
                "the Shunt at \(url) cannot be asked: \(reason)",
                "Is it there, with `shunt serve --admin-listen`? --admin-ca names the authority of its certificate.")
        case .refused(_, let text, let hint, _): self.init(text, hint)
        }
    }
}
