public import Testing

/// Gives each test a Shunt of its own, in its process, as ``Shunt/current``.
///
///     @Suite(.shunt(profile: "local")) struct CheckoutTests { … }
public struct ShuntTrait: SuiteTrait, TestTrait, TestScoping {
    let profile: String
    let source: ProfilesSource

    /// Every test of a suite has an engine of its own, so that tests may run side by side.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let shunt = try await Shunt.start(profile, source)
        do {
            try await Shunt.$bound.withValue(shunt) { try await function() }
        } catch {
            await shunt.stop()
            throw error
        }
        await shunt.stop()
    }
}

/// Where profiles come from.
enum ProfilesSource: Sendable {
    /// The next folder `Profiles` upwards, from a file.
    case near(String)
    case folder(String)
    /// Contents by name.
    case texts([String: String])
}

extension Trait where Self == ShuntTrait {
    /// Responds by a profile of the project.
    ///
    /// - Parameter profiles: the folder; nil for the next folder `Profiles` above the test's source file.
    public static func shunt(profile: String = "local", profiles: String? = nil, file: String = #filePath) -> Self {
        ShuntTrait(profile: profile, source: profiles.map { .folder($0) } ?? .near(file))
    }

    /// Responds by profiles that the test has written down, by name; the first one named is active.
    public static func shunt(profile: String = "local", texts: [String: String]) -> Self {
        ShuntTrait(profile: profile, source: .texts(texts))
    }
}
