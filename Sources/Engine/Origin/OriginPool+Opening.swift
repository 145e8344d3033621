import HTTP2
package import Reactor
import TLS

/// The exchange that opens a shared connection, and those that wait for it.
struct OriginOpening {
    fileprivate var isUnderWay = false
    private var waiting: [Waiter] = []
    private var changes = 0
    /// Counts the attempts that are over, with the failure of the last one.
    fileprivate var round = 0
    fileprivate var failure: EngineFailure?
    /// Nanoseconds that the last attempt had, if it failed because they were over.
    fileprivate var limit = UInt64.max

    /// Lets the next change wake a waiter.
    ///
    /// - Parameter joined: the change for which it waits already, since something else may have woken it.
    fileprivate mutating func include(_ waiter: Waiter, _ joined: inout Int) {
        if joined == changes { return }
        joined = changes
        waiting.append(waiter)
    }

    mutating func noteChange() {
        changes += 1
        if waiting.isEmpty { return }
        for waiter in waiting { waiter.wake() }
        waiting.removeAll()
    }

    /// - Parameter limit: how long the attempt had, if it failed because that time was over.
    fileprivate mutating func end(_ failure: EngineFailure?, limit: UInt64 = .max) {
        isUnderWay = false
        round += 1
        self.failure = failure
        self.limit = limit
        noteChange()
    }
}

extension OriginPool {
    /// A connection, or a stream of one, that is as new as possible.
    ///
    /// If a connection will be shared, one exchange opens it and the others wait; otherwise a burst of requests would
    /// open one each. They share its failure, unless they may wait for longer than it could.
    /// - Parameter forTunnel: the request may become a tunnel.
    package func open(
        _ state: WorkerState, _ waiter: Waiter, from client: Channel, within limit: UInt64, forTunnel: Bool
    ) async throws(EngineFailure) -> OriginConnection {
        if plan.attachment != nil {
            return try await openAttached(state, waiter, from: client, within: limit, forTunnel: forTunnel)
        }
        if forTunnel { return try await openTunnel(state, waiter, from: client, within: limit) }
        guard plan.offersHTTP2, speaksHTTP2 != false else {
            return try await OriginOpener.open(self, state, waiter, from: client, within: limit)
        }
        let end = state.core.now.after(limit)
        var joined = -1
        while opening.isUnderWay || awaitsFirstResponse {
            if !opening.isUnderWay, let stream = takeStream() { return stream }
            let round = opening.round
            opening.include(waiter, &joined)
            waiter.deadline = end
            await waiter.park()
            if state.isAborting { throw .aborted }
            if client.hasPeerLeft { throw .clientClosed }
            if let stream = takeStream() { return stream }
            if round != opening.round, let failure = opening.failure, limit <= opening.limit { throw failure }
            if waiter.isExpired {
                throw .slow(plan.address, .connect, "had no stream left", limit, option: "--connect-timeout")
            }
            if speaksHTTP2 == false {
                return try await OriginOpener.open(self, state, waiter, from: client, within: limit)
            }
        }
        if let stream = takeStream() { return stream }
        opening.isUnderWay = true
        do throws(EngineFailure) {
            let opened = try await OriginOpener.open(
                self, state, waiter, from: client, within: end - min(end, state.core.now))
            let result = try adopt(opened, state)
            opening.end(nil)
            return result
        } catch {
            opening.end(
                error, limit: waiter.isCancelled || client.hasPeerLeft ? 0 : state.core.now >= end ? limit : .max)
            throw error
        }
    }

    /// What the first user of a new connection gets: the connection itself, or the first stream of a shared one.
    func adopt(_ opened: OriginConnection, _ state: WorkerState) throws(EngineFailure) -> OriginConnection {
        let isHTTP2 = plan.isHTTP2Known || opened.channel.tls?.alpn == "h2"
        speaksHTTP2 = isHTTP2
        guard isHTTP2, let channel = opened.channel as? SocketChannel else { return opened }
        do throws(HTTP2Failure) {
            try share(channel, opened, state)
        } catch {
            opened.close()
            throw EngineFailure(.proxy, .connect, status: 502, "no HTTP/2 with origin \(plan.address): \(error.reason)")
        }
        guard let stream = takeStream() else {
            throw .lost(plan.address, .connect, "takes no streams")
        }
        // Closed meanwhile, by a reload or at the end: for this exchange alone.
        if isClosed { close() }
        return stream
    }

    /// A connection of HTTP/1.1, unless the origin is known to support WebSockets over HTTP/2, or speaks only HTTP/2.
    private func openTunnel(
        _ state: WorkerState, _ waiter: Waiter, from client: Channel, within limit: UInt64
    ) async throws(EngineFailure) -> OriginConnection {
        if let tunnel = takeTunnel() { return tunnel }
        if !plan.isHTTP2Known {
            do throws(EngineFailure) {
                return try await OriginOpener.open(
                    self, state, waiter, from: client, within: limit, alpn: ["http/1.1"])
            } catch {
                // An origin that speaks only HTTP/2 ends the handshake (RFC 7301 3.2), or the connection soon after.
                guard plan.context != nil, error.stage == .tls, error.hasConnectFailed || speaksHTTP2 == true else {
                    throw error
                }
            }
        }
        let stream = try await open(state, waiter, from: client, within: limit, forTunnel: false)
        guard let connection = stream.shared else { return stream }
        let end = state.core.now.after(limit)
        var joined = -1
        while !connection.session.hasSettings, connection.ending == nil {
            opening.include(waiter, &joined)
            waiter.deadline = end
            await waiter.park()
            if state.isAborting { throw .aborted }
            if waiter.isExpired || client.hasPeerLeft { break }
        }
        guard connection.session.allowsTunnels else {
            stream.close()
            throw EngineFailure(
                .origin, .send, status: 502, "origin \(plan.address) takes no WebSockets over HTTP/2 (RFC 8441)",
                advice: "If it takes them over HTTP/1.1, give their path a route with http:// instead of h2c://.")
        }
        return stream
    }

    /// A stream of a connection that the machine of a user has opened: there is no way to open another one.
    private func openAttached(
        _ state: WorkerState, _ waiter: Waiter, from client: Channel, within limit: UInt64, forTunnel: Bool
    ) async throws(EngineFailure) -> OriginConnection {
        let end = state.core.now.after(limit)
        var joined = -1
        while isReachable {
            if let stream = forTunnel ? takeTunnel() : takeStream() { return stream }
            opening.include(waiter, &joined)
            waiter.deadline = end
            await waiter.park()
            if state.isAborting { throw .aborted }
            if client.hasPeerLeft { throw .clientClosed }
            if waiter.isExpired {
                throw .slow(plan.address, .connect, "had no stream left", limit, option: "--connect-timeout")
            }
        }
        throw .lost(plan.address, .connect, "is not attached any more")
    }
}
