import Foundation

/// Asks again and again until something holds; false when it does not within the time.
///
/// The time is how long a test that fails takes, not how long anything may take: a busy machine is no failure.
public func eventually(within seconds: Double = 60, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if try condition() { return true }
        Thread.sleep(forTimeInterval: 0.02)
    }
    return try condition()
}
