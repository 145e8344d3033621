import Cluster
import Engine
import JSON
import Metrics
import Platform
import Profiles
import Store

// For monitoring.
extension AdminHandler {
    /// The process responds.
    func health() -> HandledResponse {
        .json(200) { object in
            object.member("status", "ok")
            // Without the path, since it needs no token.
            if facts.keyLog != nil { object.member("warnings", ["the keys of TLS connections are written to a file"]) }
        }
    }

    /// New requests are welcome.
    func readiness() -> HandledResponse {
        let isReady = actions.isReady()
        return .json(isReady ? 200 : 503) { $0.member("status", isReady ? "ready" : "draining") }
    }

    func metrics() async throws -> HandledResponse {
        guard let monitoring = facts.monitoring else {
            throw AdminRefusal(404, "metrics are not counted", advice: "Start Shunt with `shunt serve --metrics`.")
        }
        var text = PrometheusText()
        text.begin("shunt_build_info", .gauge, "The version, as a label.")
        text.sample("shunt_build_info", [("version", facts.version)], "1")
        monitoring.meters.write(to: &text)
        await writeProxy(to: &text)
        if let store = monitoring.store?() { Self.write(store, to: &text) }
        if let lost = monitoring.lostLines?() {
            text.single("shunt_log_lost_lines_total", .counter, "Lines for which the log's reader was too slow.", lost)
        }
        if let spans = proxy.spanCounts { Self.write(spans, to: &text) }
        if let cluster = facts.cluster { Self.write(cluster.condition, of: cluster.settings.group, to: &text) }
        writeProcess(to: &text)
        return .json(200, text.bytes.dropLast(), type: PrometheusText.mediaType)
    }

    private func writeProxy(to text: inout PrometheusText) async {
        let counts = await proxy.status()
        text.single("shunt_workers", .gauge, "Threads that serve connections.", counts.workers)
        text.single("shunt_client_connections", .gauge, "Connections of clients.", counts.connections)
        text.single("shunt_exchanges_under_way", .gauge, "Exchanges that have begun and not ended.", counts.active)
        text.single(
            "shunt_origin_idle_connections", .gauge, "Connections to origins that wait for a request.",
            counts.idleOriginConnections)
        text.single(
            "shunt_origin_awaited_connections", .gauge, "Exchanges that wait for a connection to an origin.",
            counts.connecting)
        text.single("shunt_held_bodies_bytes", .gauge, "Memory of bodies of requests that are held.", proxy.held.count)
        text.single("shunt_held_bodies_limit_bytes", .gauge, "The most that it may be.", proxy.held.limit)
        text.single("shunt_websockets", .gauge, "Exchanges under way that are WebSockets.", counts.webSockets)
        text.single("shunt_open_tunnels", .gauge, "Tunnels of a forward proxy's clients.", counts.openTunnels)
        text.single("shunt_tunnels_total", .counter, "Tunnels that there were.", counts.tunnels)
        Self.write(counts.each, to: &text)
        text.single("shunt_devices", .gauge, "Paired devices.", proxy.devices.list.count)
        guard let (library, active) = proxy.profiles.map({ ($0.library, $0.active) }) else { return }
        let unlocked = Set(proxy.locks.list().map(\.profile))
        text.begin("shunt_profile_active", .gauge, "1 for the active profile.")
        for profile in library.profiles {
            let labels = [("profile", profile.name), ("kind", profile.kind.rawValue)]
            text.sample("shunt_profile_active", labels, profile.name == active ? "1" : "0")
        }
        text.begin("shunt_profile_unlocked", .gauge, "1 for a production profile that may be written to.")
        for profile in library.profiles where profile.kind == .production {
            text.sample(
                "shunt_profile_unlocked", [("profile", profile.name)], unlocked.contains(profile.name) ? "1" : "0")
        }
    }

    /// How the work is spread over the threads.
    private static func write(_ workers: [Proxy.Status], to text: inout PrometheusText) {
        func write(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (Proxy.Status) -> String) {
            text.begin(name, kind, help)
            for (index, worker) in workers.enumerated() {
                text.sample(name, [("worker", "\(index)")], value(worker))
            }
        }
        write("shunt_worker_exchanges_total", .counter, "Exchanges of a worker that have ended.") { "\($0.exchanges)" }
        write("shunt_worker_exchanges_under_way", .gauge, "Exchanges of a worker that have not.") { "\($0.active)" }
        write("shunt_worker_connections", .gauge, "Connections of clients that a worker serves.") {
            "\($0.connections)"
        }
    }

    private static func write(_ spans: SpanQueue.Counts, to text: inout PrometheusText) {
        text.single("shunt_spans_exported_total", .counter, "Spans that a collector has taken.", spans.exported)
        text.begin("shunt_spans_lost_total", .counter, "Spans that no collector has taken, by the reason.")
        for loss in SpanQueue.Loss.allCases {
            text.sample("shunt_spans_lost_total", [("reason", loss.rawValue)], "\(spans.lost[loss] ?? 0)")
        }
        text.single(
            "shunt_spans_failed_requests_total", .counter, "Requests to the collector that failed.", spans.failures)
        text.single("shunt_spans_waiting_exchanges", .gauge, "Exchanges whose spans wait.", spans.waiting)
    }

    /// What this node knows without asking the database, so that a scrape never waits for it.
    private static func write(_ cluster: ClusterCondition, of group: String, to text: inout PrometheusText) {
        let labels = [("group", group)]
        text.begin("shunt_cluster_revision", .gauge, "The revision of the cluster's state that this node serves by.")
        text.sample("shunt_cluster_revision", labels, "\(cluster.revision)")
        text.begin("shunt_cluster_database_up", .gauge, "1 while the cluster's database is reached.")
        text.sample("shunt_cluster_database_up", labels, cluster.problem == nil ? "1" : "0")
        text.begin("shunt_cluster_waiting_locks", .gauge, "Locks that the other nodes do not know yet.")
        text.sample("shunt_cluster_waiting_locks", labels, "\(cluster.waitingLocks.count)")
    }

    private static func write(_ store: StoreStatistics, to text: inout PrometheusText) {
        text.single("shunt_store_exchanges_total", .counter, "Exchanges that are on disk.", store.recorded)
        text.single(
            "shunt_store_lost_exchanges_total", .counter, "Exchanges that were not recorded, or without their end.",
            store.droppedExchanges)
        text.single(
            "shunt_store_lost_bytes_total", .counter, "Bytes of bodies that were not recorded.", store.droppedBytes)
        text.single(
            "shunt_store_lost_bodies_total", .counter, "Exchanges of which parts of a body were not recorded.",
            store.droppedBodies)
        text.single(
            "shunt_contract_checked_total", .counter, "Exchanges that were compared with the contract of their route.",
            store.contracts.checked)
        text.single(
            "shunt_contract_differing_total", .counter, "Exchanges that were not as the contract of their route says.",
            store.contracts.differing)
        text.single(
            "shunt_contract_left_out_total", .counter, "Exchanges that could not be compared with their contract.",
            store.contracts.leftOut)
        text.single(
            "shunt_contract_uncompared_bodies_total", .counter,
            "Bodies of media types that are not compared with the schemas of contracts.",
            store.contracts.uncomparedBodies)
        text.single("shunt_store_removed_total", .counter, "Exchanges that were removed for newer ones.", store.removed)
        text.single("shunt_store_waiting_bytes", .gauge, "Bytes that wait for the disk.", store.waiting)
        text.begin("shunt_store_lag_seconds", .gauge, "How long the oldest of what waits for the disk has waited.")
        text.sample("shunt_store_lag_seconds", [], PrometheusText.seconds(UInt64(max(0, store.lag))))
        text.single("shunt_store_size_bytes", .gauge, "The store's size.", store.size)
        text.single("shunt_store_failing", .gauge, "1 while writing fails.", store.isInTrouble ? 1 : 0)
    }

    /// With the names that Prometheus' own clients use.
    private func writeProcess(to text: inout PrometheusText) {
        text.single(
            "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.", facts.startedAt)
        let figures = ProcessFigures.now()
        text.begin("process_cpu_seconds_total", .counter, "Time of the processor, in seconds.")
        text.sample("process_cpu_seconds_total", [], PrometheusText.seconds(figures.processorTime))
        if let count = figures.descriptors {
            text.single("process_open_fds", .gauge, "Open descriptors of files and sockets.", count)
        }
        if let limit = figures.descriptorLimit {
            text.single("process_max_fds", .gauge, "How many of them may be open.", limit)
        }
        if let memory = figures.residentMemory {
            text.single("process_resident_memory_bytes", .gauge, "Memory that is in use.", memory)
        }
    }
}
