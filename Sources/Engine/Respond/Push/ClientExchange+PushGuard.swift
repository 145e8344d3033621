import HTTP
import Profiles

// The production environment of APNs delivers to the devices of users.
extension ClientExchange {
    /// Throws unless the profile that was chosen is production's, and one of its routes leads there.
    ///
    /// Whatever led here: a chain, a forward proxy's client, a field that names a profile.
    @inline(never)
    func admitToPush(_ address: OriginAddress) throws(EngineFailure) {
        let library = request.environment?.library
        if request.profileKind == .production, library?.isProduction(origin: address.description) == true { return }
        throw EngineFailure(
            .client, .route, status: 403,
            "\(address.authority) delivers push notifications to the devices of users, and "
                + (request.profileKind == .production
                    ? "no route of a production profile leads there" : "the profile is not production's"),
            advice:
                "Use the sandbox, \(PushHost.sandbox), or a route with \"push\" in a profile of the kind production.")
    }
}
