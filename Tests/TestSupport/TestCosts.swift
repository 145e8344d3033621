import Foundation
import Synchronization
import Testing

/// What tests cost, in lines of the file that `.ci/test` names.
enum TestCosts {
    private static let file = ProcessInfo.processInfo.environment["SHUNT_TEST_COSTS"].map {
        open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }
    private static let begun = Mutex<Set<Test.ID>>([])

    /// The current test starts a program: Swift Testing's events of one without arguments count the wait for its turn.
    static func begin() {
        guard file != nil, let test = Test.current, begun.withLock({ $0.insert(test.id).inserted }) else { return }
        write("begun", Date.now.timeIntervalSince1970, test)
    }

    /// The processor time that a program of the test took, with what that one has waited for.
    static func add(_ usage: rusage, of test: Test?) {
        guard let test else { return }
        let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
        write("took", times[0] + times[1], test)
    }

    private static func write(_ what: String, _ seconds: Double, _ test: Test) {
        guard let file else { return }
        // One call, so that lines of other threads come before or after it.
        let line = Array("\(what)\t\(seconds)\t\(test.id)\n".utf8)
        _ = Foundation.write(file, line, line.count)
    }
}
