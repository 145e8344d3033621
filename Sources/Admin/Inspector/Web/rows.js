// The exchanges of the list, as small objects in the order of their numbers.
export const LIMIT = 100_000;
/** Rows above the limit that may gather before the oldest ones are dropped. */
const SLACK = 5_000;

// Thousands of rows share hosts, methods, types and profiles.
const texts = new Map();
const shared = text => {
    if (text === null || text === undefined) return text;
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size > 20_000) texts.clear();
    texts.set(text, text);
    return text;
};

function cut(url) {
    const start = url.indexOf("://");
    if (start < 0) return ["", "", url];
    const end = url.indexOf("/", start + 3);
    return end < 0 ? [url.slice(0, start), url.slice(start + 3), "/"]
        : [url.slice(0, start), url.slice(start + 3, end), url.slice(end)];
}

/** A row of the stream, in the order of docs/admin.md. */
export function rowFrom([id, time, method, url, status, profile, route, by, type, size, ms, wait, running, error, origin,
    trust, decision, unlocked, attempts, connect = 0, receive = 0, reused = false, simulated = false, app = null, session = null,
    operation = null, errors = null, grpcStatus = null, contract = 0]) {
    const [scheme, host, path] = cut(url);
    return {
        id, time, method: shared(method), scheme: shared(scheme), host: shared(host), path, status, profile: shared(profile),
        route: shared(route), size, ms, wait, type: shared(type), by: shared(by), running, error, origin: shared(origin),
        unverified: decision?.startsWith("accepted") ?? false, trust: shared(trust), unlocked, attempts,
        connect, receive, reused, simulated, app: shared(app), session: shared(session),
        operation: shared(operation), errors, grpcStatus, contract,
    };
}

/** A row of an exchange as lists have it. */
export const rowOf = exchange => rowFrom([
    exchange.id, Date.parse(exchange.time), exchange.method, exchange.url, exchange.status, exchange.profile, exchange.route,
    exchange.answered_by, exchange.response_type, exchange.bytes.response, exchange.timings_us.total / 1000,
    (exchange.timings_us.send + exchange.timings_us.wait) / 1000, exchange.running === true,
    exchange.error ? `${exchange.error.side}/${exchange.error.stage}: ${exchange.error.message}` : null,
    exchange.origin?.url, exchange.origin?.trust, exchange.origin?.trust_decision, exchange.unlocked === true,
    exchange.attempts?.length ?? 0,
    (exchange.timings_us.dns + exchange.timings_us.connect + exchange.timings_us.tls) / 1000, (exchange.timings_us.receive ?? 0) / 1000,
    exchange.origin?.reused ?? false, isSimulated(exchange), exchange.client.app, exchange.session,
    exchange.operation, exchange.graphql_errors, exchange.grpc_status, exchange.contract?.length ?? 0,
]);

/** Whether a network or a fault of Shunt's was put on it. */
export const isSimulated = exchange => exchange.rewritten?.some(name => name === "+network" || name === "+fault") ?? false;

export const urlOf = row => row.scheme ? `${row.scheme}://${row.host}${row.path}` : row.path;

/** All rows in the order of their numbers, without holes: what is older than the first one comes by `prepend` alone. */
export class Rows {
    all = [];
    /** Nothing is older than the first row. */
    isWhole = false;
    /** How many were dropped at the front since the last question. */
    dropped = 0;

    /** Whether older rows would take the place of newer ones. */
    get isFull() { return this.all.length >= LIMIT; }

    get first() { return this.all[0]?.id; }
    get last() { return this.all.at(-1)?.id; }

    /** The index of a number, or of the next larger one. */
    place(id) {
        let [low, high] = [0, this.all.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.all[middle].id < id) low = middle + 1; else high = middle;
        }
        return low;
    }

    find(id) {
        const row = this.all[this.place(id)];
        return row?.id === id ? row : undefined;
    }

    /** Adds rows at their places, new ones at the end, known ones in place of themselves; returns how many are new. */
    take(rows) {
        const before = this.last ?? 0;
        let added = 0;
        for (const row of rows) {
            if (!this.all.length || row.id > this.last) {
                this.all.push(row);
                added += row.id > before ? 1 : 0;
            } else if (row.id >= this.first || this.isWhole) {
                const place = this.place(row.id);
                this.all.splice(place, this.all[place]?.id === row.id ? 1 : 0, row);
            }
        }
        if (this.all.length > LIMIT + SLACK) {
            const surplus = this.all.length - LIMIT;
            this.all = this.all.slice(surplus);
            this.dropped += surplus;
            this.isWhole = false;
        }
        return added;
    }

    /** Adds older rows in front, oldest first, as far as there is room. */
    prepend(rows) {
        const known = this.first ?? Infinity;
        const room = LIMIT - this.all.length;
        const older = room > 0 ? rows.filter(row => row.id < known).slice(-room) : [];
        this.all = older.concat(this.all);
        return older.length;
    }

    takeDropped() {
        const dropped = this.dropped;
        this.dropped = 0;
        return dropped;
    }
}
