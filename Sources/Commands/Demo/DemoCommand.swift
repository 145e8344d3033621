import Admin
import Engine
import Platform
import Reactor
import TLS

extension Command {
    static let demo = Command(
        name: "demo",
        summary: "See Shunt at work in front of three small origins of its own.",
        usage: "demo [options]",
        details: [
            "Starts staging, production and local on loopback with real TLS, and Shunt in front of them, with profiles "
                + "in a temporary folder that you may edit. One request goes through each profile; then Shunt keeps "
                + "running, so that you can try the commands that it prints. Ctrl-C ends it and removes the folder."
        ],
        options: [
            .flag("once", "End after the three requests; the exit status is 1 if one of them failed."),
            .value(
                "port", short: "p", "PORT", default: "\(ServeSettings.defaultPort), or any if that is in use",
                "The port for HTTP and HTTPS alike; 0 for any free one."),
            .flag("no-color", "No colours. NO_COLOR in the environment does the same."),
        ],
        examples: [("Look, then leave", "shunt demo --once")],
        signals: Signals.served, run: DemoCommand.run)
}

/// What `shunt demo` does.
enum DemoCommand {
    static let path = "/v1/cart/hello"

    static func run(_ arguments: Arguments) async throws -> CInt {
        let port = try arguments.port("port")
        let signals = try ServeCommand.startSignals()
        let folder = try CommandFailure.of(advice: "Set TMPDIR to a folder that can be written to.") {
            try DemoFolder()
        }
        defer { folder.remove() }
        if arguments.has("once") { endOnSignal(signals, folder) }
        let origins = try await startOrigins(folder)
        var settings = ServeSettings()
        settings.color = !arguments.has("no-color") && Terminal.wantsColor(on: 2)
        settings.log = arguments.has("once") ? .off : .text
        settings.workers = 1
        settings.isDemo = true
        settings.store.isOff = arguments.has("once")
        settings.certificates = .development(directory: folder.project.certificatesDirectory)
        let server = try await start(settings, port, folder)
        let report = DemoReport(server: server, folder: folder, origins: origins)
        let isFine = await report.sendAndTell()
        var status: CInt = isFine ? 0 : 1
        if arguments.has("once") {
            await server.proxy.drain()
            await server.stop()
        } else {
            report.tellWhatToTry()
            server.releaseLog()
            status = await Lifetime(server: server).run(signals) { folder.remove() }
        }
        for origin in origins { await origin.stop() }
        return status
    }

    /// Nothing is in flight that would be worth waiting for.
    private static func endOnSignal(_ signals: AsyncStream<CInt>, _ folder: DemoFolder) {
        Task {
            for await signal in signals where signal != SIGHUP {
                folder.remove()
                _exit(128 + signal)
            }
        }
    }

    private static func startOrigins(_ folder: DemoFolder) async throws -> [DemoOrigin] {
        do {
            let authority = try DevelopmentCA.ephemeral()
            let origins = [
                try await DemoOrigin.start("staging", try authority.mint(host: "localhost")),
                try await DemoOrigin.start("production", try authority.mint(host: "localhost")),
                try await DemoOrigin.start("local", try Identity.selfSigned(host: "127.0.0.1")),
            ]
            try folder.write(
                staging: origins[0].port, production: origins[1].port, local: origins[2].port,
                authorityPEM: authority.certificatePEM)
            return origins
        } catch  where !(error is ProxyError) {
            throw CommandFailure("the demo's origins cannot be started: \(error)")
        }
    }

    /// The default port is used if it is free: another Shunt may have it.
    private static func start(_ settings: ServeSettings, _ port: UInt16?, _ folder: DemoFolder) async throws -> Server {
        var settings = settings
        settings.port = port ?? ServeSettings.defaultPort
        do {
            return try await Server.start(settings, folder.project)
        } catch {
            guard port == nil, PortHolder.isTaken(settings.port) else { throw error }
            settings.announcer.warn(.port, "\(CommandFailure(error).message); the demo takes another one")
            settings.port = 0
            return try await Server.start(settings, folder.project)
        }
    }
}
