import Profiles

/// A server that is asked what its calls are made of, as a route asks it.
final class ReflectionPlan: Sendable {
    let reflection: GRPCReflection
    let address: OriginAddress
    let route: RoutePlan

    /// Nil for a route that names none.
    init?(
        _ route: Route, in profile: Profile, _ scenarios: Scenarios, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) {
        guard let reflection = route.grpc?.reflection, let asking = route.asking,
            let address = asking.responder.addresses.first
        else { return nil }
        (self.reflection, self.address) = (reflection, address)
        self.route = try compiler.plan(asking, in: profile, scenarios)
    }
}
