import HTTP
import Profiles
import Reactor
import Rewriting

/// Responds with files of this machine.
final class FilesResponder: RouteResponder {
    let settings: FileSettings
    let route: Route
    let folder: Folder
    let answeredBy: [UInt8]
    let cors: CORSRules?
    /// nil where the settings of the files decide what clients store.
    let cache: CacheRules?
    /// Responds if the file does not exist.
    let rest: RoutePlan?
    /// nil where browsers are not reloaded.
    let watch: ReloadWatch?
    /// HTML is put into pages.
    let injects: Bool
    let copies = CompressedCopies()

    init(
        settings: FileSettings, route: Route, answeredBy: [UInt8], cache: CacheRules?, rest: RoutePlan?, folder: Folder
    ) {
        self.settings = settings
        self.route = route
        self.answeredBy = answeredBy
        self.rest = rest
        self.cache = cache
        self.folder = folder
        injects = route.changes?.injects ?? false
        watch = settings.reload ? ReloadWatch(folder) : nil
        cors = route.cors.map { CORSRules($0) }
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> FilesResponder? {
        func answeredBy() -> [UInt8] { RoutePlan.answeredBy(route, in: profile, more: "; files") }
        let cache = CacheRules(route, in: profile)
        if let files = route.first as? FileSettings {
            let rest = try compiler.plan(route.withoutFirst, in: profile, compiler.scenarios(of: profile))
            return FilesResponder(
                settings: files, route: route, answeredBy: answeredBy(), cache: cache, rest: rest,
                folder: compiler.folder(files.place))
        }
        guard case .local(let files as FileSettings) = route.responder else { return nil }
        return FilesResponder(
            settings: files, route: route, answeredBy: answeredBy(), cache: cache, rest: nil,
            folder: compiler.folder(files.place))
    }

    /// If an origin follows, only methods that files support are looked up.
    func claims(_ exchange: ClientExchange) -> Bool {
        rest == nil || exchange.request.head.method == .get || exchange.request.head.method == .head
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard exchange.request.head.method == .get || exchange.request.head.method == .head else {
            return try await refuseMethod(in: exchange, step)
        }
        if let watch, asksForReloads(exchange) { return try await sendReloads(of: watch, in: exchange) }
        switch lookUp(exchange) {
        case .file(let found):
            exchange.metrics.willRespond(as: "files")
            if let watch {
                watch.note(found.name, found.file.state)
            }
            if isChanged(found) {
                let page = try await exchange.client.onThread { [watches = watch != nil] in
                    Self.changedPage(found, watches: watches)
                }
                return await exchange.respond(page, extra: extra(exchange))
            }
            try await FileTransfer(of: found.file, to: exchange).send(
                response(with: found, to: exchange), extra: extra(exchange))
        case .listing(let folder, let path):
            exchange.metrics.willRespond(as: "files")
            let page = try await exchange.client.onThread { [cache] in
                FolderListing(folder, path).response.marked(by: cache)
            }
            await exchange.respond(page, extra: extra(exchange))
        case .other(let response):
            exchange.metrics.willRespond(as: "files")
            await exchange.respond(response.marked(by: cache), extra: extra(exchange))
        case .missing:
            guard let rest else { throw missing(exchange) }
            try await exchange.respond(by: rest, step)
        }
    }

    func extra(_ exchange: ClientExchange) -> [UInt8] {
        exchange.answeredBy(answeredBy) + exchange.request.corsFields(or: cors)
    }

    private func refuseMethod(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        if step?.fallback != nil {
            throw EngineFailure(.origin, .wait, status: 405, "files can be got alone", kind: .declined)
        }
        exchange.metrics.willRespond(as: "files")
        let fields = "Allow: GET, HEAD\r\nContent-Type: text/plain; charset=utf-8\r\n"
        let body = "405 Method Not Allowed\nshunt: files respond to GET and HEAD alone\n"
        await exchange.respond(
            LocalResponse(status: 405, fields: Array(fields.utf8), body: Array(body.utf8)), extra: extra(exchange))
    }

    /// In a chain, the next candidate is tried, as for a profile without a matching route.
    @inline(never)
    private func missing(_ exchange: ClientExchange) -> EngineFailure {
        let bytes = exchange.headBytes
        let path = String(bytes.extracting(exchange.request.head.path))
        guard let name = FilePath(bytes.extracting(exchange.request.head.path), of: route) else {
            return EngineFailure(
                .client, .route, status: 404, "the route \(route.label) has no file for \(path)",
                advice: """
                    The path names no file: names that begin with a dot are hidden, and `..`, `\\`, `//` and an encoded `/` \
                    lead nowhere.
                    """)
        }
        if DescriptorReserve.isReached { return .outOfDescriptors("the file \(path) cannot be opened") }
        let looked = ([settings.path] + (name.bytes.isEmpty ? [] : [String(decoding: name.bytes, as: UTF8.self)]))
            .joined(separator: "/")
        let index = settings.index.joined(separator: " or ")
        let advice =
            name.isFolder || name.bytes.isEmpty
            ? "Looked for \(index) in \(looked)." : "Looked for \(looked), relative to \(route.file)."
        return EngineFailure(
            .client, .route, status: 404, "the route \(route.label) has no file for \(path)", advice: advice)
    }
}
