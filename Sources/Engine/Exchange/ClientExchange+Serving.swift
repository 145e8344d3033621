import HTTP
import JSON
import Profiles
import Reactor
import Rewriting

extension ClientExchange {
    /// The life of a request whose head was just read.
    ///
    /// Code that waits and code that does not are in separate functions: locals that are alive across an `await` add to
    /// the memory of every waiting exchange.
    package func serve() async {
        state.counters.active += 1
        defer {
            state.counters.active -= 1
            didAnswer()
            (isWebSocket, isLasting) = (false, false)
            if gates != nil { messages.closeGates() }
        }
        client.waiter.note("the beginning of a request")
        do throws(EngineFailure) {
            let responder = begin()
            if let limits = state.clientLimits { try limits.check(request, of: client) }
            if state.choosesByProgram { try await client.learnProgram() }
            if let breakpoints = state.breakpoints, breakpoints.isSet {
                // Their filters may ask for it.
                try await client.learnProgram()
                try await HoldPoints(exchange: self).respond(through: responder, at: breakpoints)
            } else {
                try await respond(through: responder)
            }
        } catch {
            await fail(error)
        }
        finish()
    }

    /// The life of a request that Shunt itself makes, whose route no client has chosen.
    ///
    /// - Parameters:
    ///   - what: it is about, for notes.
    ///   - respond: chooses the route, and lets it respond.
    func serve(
        _ what: StaticString, _ respond: (ProfilePlan) async throws(EngineFailure) -> Void
    ) async {
        state.counters.active += 1
        defer {
            state.counters.active -= 1
            didAnswer()
        }
        client.waiter.note("\(what)")
        do throws(EngineFailure) {
            begin()
            try await respond(try RouteChoice(exchange: self).profile())
        } catch {
            await fail(error)
        }
        finish()
    }

    /// Lets the responder that claims the request without a route respond, or its route.
    ///
    /// Inlined, since its frame would add to the memory of every waiting exchange.
    @inline(__always)
    func respond(through responder: (any Responder)?) async throws(EngineFailure) {
        if let responder {
            client.waiter.note("\(type(of: responder))")
            return try await responder.respond(in: self, nil)
        }
        client.waiter.note("the choice of a route")
        if let route = try RouteChoice(exchange: self).route() { return try await respond(by: route, nil) }
        try await respond(by: try await RouteChoice(exchange: self).routeByMore(), nil)
    }

    /// Lets a route respond.
    /// - Parameter step: the chain's step that leads to it; nil outside of chains.
    /// - Throws: also where a step's responder leaves the request to the next one.
    func respond(by route: RoutePlan, _ step: ChainStep?) async throws(EngineFailure) {
        metrics.didChoose(route)
        if let contract = route.contract { recording?.compare(with: contract) }
        way.isUntimed = route.isUntimed
        client.channel.allowsHalfClose = route.allowsHalfClose
        let responder = route.responder(to: self)
        client.waiter.note("\(type(of: responder)) of \(route.route.label) in \(route.profileName)")
        try await Next(route, responder).run(self, step)
    }

    /// Describes and records the request; returns the responder that needs no route, if one claims it.
    @inline(never)
    @discardableResult
    func begin() -> (any Responder)? {
        body.begin()
        let head = headBytes
        state.recentRequests.note(
            method: head.extracting(request.head.methodRange), path: head.extracting(request.head.path))
        if state.isDraining || !request.head.keepAlive { client.mustClose = true }
        if state.isObserved {
            metrics.observe(
                RequestDescription(
                    request.head, head, state.hosts.meant(by: request.head, head), isSecure: client.isSecure,
                    isStream: client.channel.isStream))
        }
        if state.traces { metrics.begin(.begin(request.head, head, &state.traceNumbers)) }
        record(head)
        return RouteChoice(exchange: self).responder
    }

    /// Sends the client an error page, if that is still possible.
    @inline(never)
    func fail(_ failure: EngineFailure) async {
        client.waiter.note("the failure of a request at the stage \(failure.stage)")
        var failure = failure
        if case .unrouted(let near) = failure.kind, let text = try? await body.perform(size: near.size, { near.text }) {
            failure = failure.adding(advice: text)
        }
        state.counters.failures += 1
        metrics.didFail(failure)
        if metrics.hasResponseBegun {
            // A response that is cut off must not look like a whole one.
            client.mustClose = true
            return client.channel.abort()
        }
        if failure.side == .client && failure.stage != .route { client.mustClose = true }
        await respond(
            .failure(
                failure.after(metrics.incidents.attempts), wantsHTML: request.wantsHTML,
                wantsProblem: request.wantsProblem),
            extra: request.corsFields())
    }
}
