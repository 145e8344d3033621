/// The tables of a store in PostgreSQL, all in the schema `shunt`.
///
/// The tables and columns of ``StoreSchema``, with these differences. Tables of exchanges and of their content have partitions of
/// ``partSize`` numbers; numbers skip to the next partition when the time for it has come, so that a partition also is a
/// span of time. The number of a frame begins with that of the partition of its batch. Bodies from
/// ``SharedBodies/minimum`` bytes on are rows of `body`, once per partition, by a keyed digest. `recorder` has the Shunts that write, each with its node's name.
enum PostgresSchema {
    /// A change of the tables needs another number; no release had one below.
    static let version: Int64 = 7
    /// Numbers of exchanges in a partition.
    static let partSize: Int64 = 1_000_000
    /// The bits of a frame's number behind that of its partition.
    static let frameBits: Int64 = 40

    /// The first number of a frame in the partition of an exchange, or so many partitions later, as SQL.
    static func frames(of exchange: String, _ later: Int = 0) -> String {
        "((\(exchange) / \(partSize) + \(later)) << \(frameBits))"
    }

    static let all = "\(tables)\n\(functions)"

    /// Those of `exchange`, the widest numbers first, since a value begins at a multiple of its width.
    private static let columns = [ExchangeColumns.Kind.large, .medium, .small, .text, .bytes].flatMap { kind in
        (ExchangeColumns.list + BatchCopy.own).filter { $0.kind == kind }.map {
            "\($0.name) \(kind.sql)"
        }
    }.joined(separator: ", ")

    private static let tables = """
        CREATE TABLE shunt.meta(key text COLLATE "C" PRIMARY KEY, number bigint, value bytea);
        CREATE SEQUENCE shunt.exchange_id MINVALUE 0 START 0;
        SELECT setval('shunt.exchange_id', 0);
        INSERT INTO shunt.meta VALUES ('birth', (random() * 9e15)::bigint), ('epoch', 0);
        CREATE TABLE shunt.part(number bigint PRIMARY KEY, began_us bigint);
        CREATE TABLE shunt.recorder(
            number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node text COLLATE "C" NOT NULL);
        CREATE TABLE shunt.exchange(\(columns), PRIMARY KEY (id)) PARTITION BY RANGE (id);
        CREATE INDEX exchange_host ON shunt.exchange(host, id, status);
        CREATE INDEX exchange_status ON shunt.exchange(status, id, host);
        CREATE INDEX exchange_recorder ON shunt.exchange(recorder, id);
        CREATE INDEX exchange_started ON shunt.exchange USING brin (started_us);
        CREATE INDEX exchange_running ON shunt.exchange(id) WHERE ended = 0;
        CREATE TABLE shunt.context(
            context bigint PRIMARY KEY, last bigint,
            \(ContextColumns.names.map { "\($0) text COLLATE \"C\"" }.joined(separator: ", ")));
        CREATE INDEX context_last ON shunt.context(last);
        CREATE INDEX context_chain ON shunt.context(chain) WHERE chain IS NOT NULL;
        CREATE TABLE shunt.certificate(
            exchange bigint, chain text COLLATE "C", number bigint, subject text, issuer text, not_after text,
            public_key text, PRIMARY KEY (chain, number));
        CREATE SEQUENCE shunt.frame_id MINVALUE 0 START 0;
        CREATE TABLE shunt.frame(
            number bigint PRIMARY KEY, first bigint, last bigint, directory bytea, bytes bytea, bodies bytea[])
            PARTITION BY RANGE (number);
        CREATE INDEX frame_first ON shunt.frame(first);
        CREATE TABLE shunt.entry(
            exchange bigint, frame bigint, place bigint, kinds bigint, message bigint, messages bigint,
            PRIMARY KEY (exchange, message, frame, place)) PARTITION BY RANGE (exchange);
        CREATE INDEX entry_frame ON shunt.entry(frame);
        CREATE TABLE shunt.brought(
            spill text, number bigint, provisional bigint, count bigint, first bigint, PRIMARY KEY (spill, number));
        CREATE TABLE shunt.body(part bigint, digest bytea, bytes bytea, PRIMARY KEY (part, digest))
            PARTITION BY RANGE (part);
        """

    /// Tables with partitions; those of `body` have one number each.
    static let parted = ["exchange", "entry", "frame", "body"]

    /// Keys of advisory locks are pairs of a table's or sequence's OID and a number.
    ///
    /// With that of `meta`, 1 is held by transactions that write, and exclusively to remove bodies; 2 while numbers are
    /// given out; 3 by the Shunt that looks after the partitions. With that of `exchange_id`, a transaction that writes holds the number below its first one.
    /// With that of `recorder`, a Shunt holds its own number.
    private static let functions = """
        CREATE FUNCTION shunt.instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN strpos($1, $2);

        -- Gives out numbers that follow each other, all in one partition; no row if that one is missing.
        CREATE FUNCTION shunt.reserve(
            wanted bigint, frames bigint DEFAULT 0, OUT first bigint, OUT epoch bigint, OUT xid text, OUT frame bigint)
            RETURNS SETOF record LANGUAGE plpgsql AS $$
        DECLARE
            size CONSTANT bigint := \(partSize);
            gate CONSTANT integer := 'shunt.meta'::regclass::oid::integer;
            known bigint;
        BEGIN
            PERFORM pg_advisory_xact_lock_shared(gate, 1);
            PERFORM pg_advisory_lock(gate, 2);
            SELECT last_value INTO known FROM shunt.exchange_id;
            IF (known + 1) / size <> (known + greatest(wanted, 1)) / size THEN
                known := ((known + 1) / size + 1) * size - 1;
            END IF;
            IF EXISTS (SELECT 1 FROM shunt.part WHERE number = (known + 1) / size) THEN
                IF wanted > 0 THEN
                    PERFORM pg_advisory_xact_lock_shared(
                        'shunt.exchange_id'::regclass::oid::integer, (known & 4294967295)::bit(32)::integer);
                    PERFORM setval('shunt.exchange_id', known + wanted);
                END IF;
                first := known + 1;
                SELECT last_value INTO frame FROM shunt.frame_id;
                PERFORM setval('shunt.frame_id', frame + frames);
                frame := ((first / size) << \(frameBits)) + (frame & ((1::bigint << \(frameBits)) - 1)) + 1;
                SELECT meta.number INTO epoch FROM shunt.meta WHERE key = 'epoch';
                xid := pg_current_xact_id()::text;
                RETURN NEXT;
            END IF;
            PERFORM pg_advisory_unlock(gate, 2);
        END $$;

        -- The newest number below which every transaction has ended. To be asked before the rows are, in a statement of
        -- its own: a transaction that has ended by then is one that the next statement sees.
        CREATE FUNCTION shunt.settled() RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE
            newest bigint;
            lowest bigint;
            horizon bigint;
        BEGIN
            IF pg_is_in_recovery() THEN
                -- A standby does not have the writers' locks. Their transactions got their own numbers in the same order:
                -- of those before the oldest one that runs, all have ended. Rows have the lower 32 bits of these numbers.
                horizon := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
                SELECT id INTO newest FROM shunt.exchange
                    WHERE ((horizon - xmin::text::bigint) & 4294967295) BETWEEN 1 AND 2147483647
                    ORDER BY id DESC LIMIT 1;
                RETURN coalesce(newest, 0);
            END IF;
            SELECT last_value INTO newest FROM shunt.exchange_id;
            SELECT min(newest - ((newest - objid::bigint) & 4294967295)) INTO lowest FROM pg_locks
                WHERE locktype = 'advisory' AND classid = 'shunt.exchange_id'::regclass AND objsubid = 2
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
            RETURN coalesce(least(lowest, newest), newest);
        END $$;

        -- Lets further numbers begin in the next partition, if this one is in use and the next one is there.
        CREATE FUNCTION shunt.cut(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            size CONSTANT bigint := \(partSize);
            gate CONSTANT integer := 'shunt.meta'::regclass::oid::integer;
            known bigint;
        BEGIN
            PERFORM pg_advisory_lock(gate, 2);
            SELECT last_value INTO known FROM shunt.exchange_id;
            IF known / size = wanted AND known > wanted * size
                AND EXISTS (SELECT 1 FROM shunt.part WHERE number = wanted + 1) THEN
                PERFORM setval('shunt.exchange_id', (wanted + 1) * size - 1);
            END IF;
            PERFORM pg_advisory_unlock(gate, 2);
        END $$;

        -- Makes a partition of each table.
        CREATE FUNCTION shunt.add_part(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            size CONSTANT bigint := \(partSize);
            unit bigint;
            name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['\(parted.joined(separator: "', '"))'] LOOP
                unit := CASE name WHEN 'body' THEN 1 WHEN 'frame' THEN 1::bigint << \(frameBits) ELSE size END;
                EXECUTE format('CREATE TABLE shunt.%I (LIKE shunt.%I INCLUDING ALL)', name || '_' || wanted, name);
                EXECUTE format('ALTER TABLE shunt.%I ATTACH PARTITION shunt.%I FOR VALUES FROM (%s) TO (%s)',
                    name, name || '_' || wanted, wanted * unit, (wanted + 1) * unit);
            END LOOP;
            INSERT INTO shunt.part VALUES (wanted, NULL);
        END $$;

        -- Removes a partition of each table, and what only its exchanges needed.
        CREATE FUNCTION shunt.drop_part(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            size CONSTANT bigint := \(partSize);
            name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['\(parted.joined(separator: "', '"))'] LOOP
                EXECUTE format('DROP TABLE IF EXISTS shunt.%I', name || '_' || wanted);
            END LOOP;
            DELETE FROM shunt.part WHERE number = wanted;
            DELETE FROM shunt.context WHERE last BETWEEN wanted * size AND (wanted + 1) * size - 1;
        END $$;
        """
}
