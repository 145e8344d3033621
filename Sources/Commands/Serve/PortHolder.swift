import Platform
import Reactor

extension PortHolder {
    /// Whether a port of 127.0.0.1 or ::1 is in use.
    static func isTaken(_ port: UInt16) -> Bool {
        ListenAddress.list([], port: port).contains { address in
            do throws(SystemError) {
                _ = try Listener(address, sharing: false)
                return false
            } catch {
                return error.code == EADDRINUSE
            }
        }
    }
}
