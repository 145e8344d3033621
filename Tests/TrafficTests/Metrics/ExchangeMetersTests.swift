import Exchanges
import Metrics
import Testing

/// What monitoring reads of the exchanges that passed.
@Suite struct ExchangeMetersTests {
    private func exchange(
        _ status: Int?, route: String = "api.shop.test", microseconds: UInt64 = 0, failure: Exchange.Failure? = nil,
        origin: Exchange.OriginFacts? = nil
    ) -> Exchange {
        var timings = Exchange.Timings()
        timings.total = microseconds
        var exchange = Exchange(
            startedAt: 0, client: .init(address: "127.0.0.1:5", version: "HTTP/2", tls: "TLSv1.3"), method: "GET",
            url: "https://api.shop.test/", status: status, profile: "local", route: route, origin: origin,
            timings: timings, failure: failure, responder: status == nil ? nil : "origin")
        exchange.bytes.request = 2
        exchange.bytes.response = 3
        return exchange
    }

    private func lines(_ meters: ExchangeMeters) -> [Substring] {
        var text = PrometheusText()
        meters.write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    }

    private let labels = #"profile="local",route="api.shop.test",responder="origin""#

    @Test func `exchanges count by route and status, and times by bounds that include smaller ones`() {
        let meters = ExchangeMeters(next: nil)
        for microseconds: UInt64 in [1000, 1001, 250_000, 99_000_000] {
            meters.exchangeEnded(exchange(200, microseconds: microseconds))
        }
        meters.exchangeEnded(exchange(503))
        meters.exchangeEnded(exchange(nil, failure: .init(side: "client", stage: "request", message: "left")))
        let lines = lines(meters)
        for line in [
            "shunt_exchanges_total{\(labels),status=\"2xx\"} 4", "shunt_exchanges_total{\(labels),status=\"5xx\"} 1",
            #"shunt_exchanges_total{profile="local",route="api.shop.test",responder="none",status="none"} 1"#,
            "shunt_exchange_duration_seconds_bucket{\(labels),le=\"0.001\"} 2",
            "shunt_exchange_duration_seconds_bucket{\(labels),le=\"0.0025\"} 3",
            "shunt_exchange_duration_seconds_bucket{\(labels),le=\"0.25\"} 4",
            "shunt_exchange_duration_seconds_bucket{\(labels),le=\"10\"} 4",
            "shunt_exchange_duration_seconds_bucket{\(labels),le=\"+Inf\"} 5",
            "shunt_exchange_duration_seconds_sum{\(labels)} 99.252001",
            "shunt_exchange_duration_seconds_count{\(labels)} 5",
            #"shunt_exchange_failures_total{side="client",stage="request"} 1"#,
            #"shunt_body_bytes_total{direction="request"} 12"#, #"shunt_body_bytes_total{direction="response"} 18"#,
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
        // Each metric is described once, and its samples follow.
        let described = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
        #expect(Set(described).count == described.count)
    }

    @Test func `the number of series is bounded, and nothing is lost`() {
        let meters = ExchangeMeters(next: nil)
        for number in 0..<(ExchangeMeters.maxSeries + 50) {
            meters.exchangeEnded(exchange(200, route: "\(number).test"))
        }
        let totals = lines(meters).filter { $0.hasPrefix("shunt_exchanges_total{") }
        #expect(totals.count == ExchangeMeters.maxSeries + 1)
        #expect(totals.contains { $0.contains(#"route="other""#) && $0.hasSuffix(" 50") })
    }

    @Test func `names that are used no more make room, so that reloads cannot fill it for ever`() {
        let meters = ExchangeMeters(next: nil)
        func pass(_ route: String, at second: Int64) {
            var one = exchange(200, route: route)
            one.startedAt = second * 1_000_000
            meters.exchangeEnded(one)
        }
        for number in 0..<ExchangeMeters.maxSeries { pass("\(number).test", at: 0) }
        pass("0.test", at: 3000)
        pass("early.test", at: 3500)
        pass("late.test", at: 3601)
        let totals = lines(meters).filter { $0.hasPrefix("shunt_exchanges_total{") }
        let routes = totals.compactMap { $0.split(separator: "\"").dropFirst(3).first }
        #expect(Set(routes) == ["0.test", "late.test", "other"], "\(totals)")
        #expect(totals.contains { $0.contains("0.test") && $0.hasSuffix(" 2") })
    }

    @Test func `a label with quotes and line ends cannot end its line`() {
        let meters = ExchangeMeters(next: nil)
        meters.exchangeEnded(exchange(200, route: "a\"b\\c\nd} 7"))
        #expect(lines(meters).contains { $0.contains(#"route="a\"b\\c\nd} 7""#) && $0.hasSuffix(" 1") })
    }

    @Test func `certificates that were not verified and connections that were reused count`() {
        let meters = ExchangeMeters(next: nil)
        for (trust, isReused) in [("disabled", true), ("default", true), ("default", false)] {
            meters.exchangeEnded(
                exchange(200, origin: .init(url: "https://o", address: "1.2.3.4:443", isReused: isReused, trust: trust))
            )
        }
        let lines = lines(meters)
        #expect(lines.contains("shunt_unverified_exchanges_total 1"))
        #expect(lines.contains(#"shunt_origin_requests_total{reused="true"} 2"#))
        #expect(lines.contains(#"shunt_origin_requests_total{reused="false"} 1"#))
    }
}
