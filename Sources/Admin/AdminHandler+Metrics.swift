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

    func metrics() async throws(AdminRefusal) -> HandledResponse {
        guard let monitoring = facts.monitoring else {
            throw AdminRefusal(
                404, "metrics are not counted", advice: "Start Shunt with `shunt serve --metrics`.")
        }
        var text = PrometheusText()
        text.begin("shunt_build_info", .gauge, "The version, as a label.")
        text.sample("shunt_build_info", [("version", facts.version)], "1")
        monitoring.meters.write(to: &text)
        await writeProxy(to: &text)
        if let store = monitoring.store?() { Self.write(store, to: &text) }
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

    private static func write(_ store: StoreStatistics, to text: inout PrometheusText) {
        text.single("shunt_store_exchanges_total", .counter, "Exchanges that are on disk.", store.recorded)
        text.single(
            "shunt_store_lost_exchanges_total", .counter, "Exchanges that were not recorded, or without their end.",
            store.droppedExchanges)
        text.single(
            "shunt_store_lost_bytes_total", .counter, "Bytes of bodies that were not recorded.", store.droppedBytes)
        text.single("shunt_store_removed_total", .counter, "Exchanges that were removed for newer ones.", store.removed)
        text.single("shunt_store_waiting_bytes", .gauge, "Bytes that wait for the disk.", store.waiting)
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
