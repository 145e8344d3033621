/// Statements that fill a store with exchanges of 100 hosts and three nodes, for what needs many.
enum PostgresFill {
    static func sql(_ count: Int) -> String {
        """
        INSERT INTO shunt.recorder(node) SELECT 'build-' || n FROM generate_series(1, 3) n;
        SELECT shunt.add_part(n) FROM generate_series(0, \(count) / 1000000 + 1) n
            WHERE NOT EXISTS (SELECT 1 FROM shunt.part WHERE number = n);
        INSERT INTO shunt.context(context, last, client, method, profile, route, responder)
            SELECT n, n + 999, '127.0.0.1', 'GET', 'staging', 'api.shop.test/v1/*', 'origin'
            FROM generate_series(1, \(count), 1000) n;
        INSERT INTO shunt.exchange(id, context, started_us, total_us, request_bytes, response_bytes, client_port, retries,
            recorder, time_step, status, ended, url, host)
            SELECT n, (n - 1) / 1000 * 1000 + 1, 1780000000000000 + n::bigint * 1000, 1000 + n % 5000, 200, 3000, 50000, 0,
                (SELECT min(number) FROM shunt.recorder WHERE node = 'build-1') + CASE n % 500 WHEN 0 THEN 1 ELSE 0 END,
                384 + n % 300, CASE n % 50 WHEN 0 THEN 404 ELSE 200 END, 1,
                'https://api' || n % 100 || '.shop.test/v1/items/' || n, 'api' || n % 100 || '.shop.test'
            FROM generate_series(1, \(count)) n;
        SELECT setval('shunt.exchange_id', \(count));
        ANALYZE shunt.exchange; ANALYZE shunt.context;
        """
    }
}
