// Differences of two lists of lines (Myers, O(ND)); very different ones are shown one behind the other.
const PATIENCE = 2000;

/** `[[sign, line]]`, the sign being " ", "-" or "+". */
export function difference(left, right) {
    let start = 0;
    while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
    let end = 0;
    while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
    const middle = changes(left.slice(start, left.length - end), right.slice(start, right.length - end));
    const same = lines => lines.map(line => [" ", line]);
    return [...same(left.slice(0, start)), ...middle, ...same(left.slice(left.length - end))];
}

function changes(left, right) {
    const [n, m] = [left.length, right.length];
    const all = () => [...left.map(line => ["-", line]), ...right.map(line => ["+", line])];
    if (!n || !m) return all();
    const max = Math.min(n + m, PATIENCE);
    let ends = new Map([[1, 0]]);
    const history = [];
    for (let d = 0; d <= max; d += 1) {
        history.push(new Map(ends));
        for (let k = -d; k <= d; k += 2) {
            let x = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1)) ? ends.get(k + 1) ?? 0 : (ends.get(k - 1) ?? 0) + 1;
            let y = x - k;
            while (x < n && y < m && left[x] === right[y]) { x += 1; y += 1; }
            ends.set(k, x);
            if (x >= n && y >= m) return path(history, left, right);
        }
        if (history.length * (2 * d + 1) > 4_000_000) return all();
    }
    return all();
}

function path(history, left, right) {
    const lines = [];
    let [x, y] = [left.length, right.length];
    for (let d = history.length - 1; d >= 0; d -= 1) {
        const ends = history[d];
        const k = x - y;
        const before = k === -d || (k !== d && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1)) ? k + 1 : k - 1;
        const startX = d === 0 ? 0 : ends.get(before) ?? 0;
        const startY = d === 0 ? 0 : startX - before;
        while (x > startX && y > startY) { x -= 1; y -= 1; lines.push([" ", left[x]]); }
        if (d === 0) break;
        if (x === startX) { y -= 1; lines.push(["+", right[y]]); } else { x -= 1; lines.push(["-", left[x]]); }
    }
    return lines.reverse();
}
