// Commands of curl, as people copy them from other tools, as requests.

/** The words of a command as a POSIX shell reads them; nothing is run, and variables stay as they are written. */
export function words(text) {
    const all = [];
    let word = null;
    let at = 0;
    const add = letters => { word = (word ?? "") + letters; };
    while (at < text.length) {
        const letter = text[at];
        if (letter === "\\" && /^\\\r?\n/.test(text.slice(at, at + 3))) at += text[at + 1] === "\r" ? 3 : 2;
        else if (letter === "\\") { add(text[at + 1] ?? ""); at += 2; }
        else if (letter === "'" || text.startsWith("$'", at)) {
            const isEscaped = letter === "$";
            const start = at + (isEscaped ? 2 : 1);
            let end = start;
            while (end < text.length && text[end] !== "'") end += isEscaped && text[end] === "\\" ? 2 : 1;
            add(isEscaped ? text.slice(start, end).replace(ESCAPE, unescaped) : text.slice(start, end));
            at = end + 1;
        } else if (letter === '"') {
            let end = at + 1;
            add("");
            while (end < text.length && text[end] !== '"') {
                if (text[end] === "\\" && '"\\$`'.includes(text[end + 1])) end += 1;
                add(text[end]);
                end += 1;
            }
            at = end + 1;
        } else if (/\s/.test(letter)) {
            if (word !== null) all.push(word);
            word = null;
            at += 1;
        } else { add(letter); at += 1; }
    }
    return word === null ? all : [...all, word];
}

const ESCAPE = /\\(x[0-9a-f]{1,2}|u[0-9a-f]{1,4}|.)/gis;
const unescaped = (_, code) => /^[xu]./.test(code) ? String.fromCharCode(parseInt(code.slice(1), 16)) : { n: "\n", r: "\r", t: "\t" }[code] ?? code;

const WITH_VALUE = new Map(Object.entries({
    X: "method", request: "method", H: "field", header: "field", d: "data", data: "data", "data-raw": "data", "data-ascii": "data", "data-binary": "data",
    "data-urlencode": "form", json: "json", b: "cookie", cookie: "cookie", u: "user", user: "user", A: "agent", "user-agent": "agent", e: "referer", referer: "referer", url: "url",
    // What says how curl is to go about it.
    o: "", output: "", m: "", "max-time": "", "connect-timeout": "", x: "", proxy: "", cacert: "", cert: "", E: "", key: "", resolve: "", "connect-to": "", w: "", "write-out": "", c: "", "cookie-jar": "",
    retry: "", "request-target": "",
    // What a request here cannot have.
    T: "left", "upload-file": "left", F: "left", form: "left", "form-string": "left",
}));

/** `{ method, url, fields: [[name, value]], body, left }`, with the options that were left out; null for what is no command of curl. */
export function parseCurl(text) {
    const [program, ...rest] = words(text.trim());
    if (program !== "curl") return null;
    const found = { method: null, url: "", fields: [], data: [], left: [], isGet: false };
    const take = {
        method: value => { found.method = value; }, url: value => { found.url = value; },
        field: value => {
            const colon = value.indexOf(":");
            if (colon > 0 && value.slice(colon + 1).trim()) found.fields.push([value.slice(0, colon).trim(), value.slice(colon + 1).trim()]);
            else if (value.endsWith(";")) found.fields.push([value.slice(0, -1), ""]);
        },
        data: (value, name) => value.startsWith("@") && name !== "data-raw" ? found.left.push(`-d ${value}`) : found.data.push(value),
        left: (value, name) => found.left.push(`${name.length > 1 ? "--" : "-"}${name}`),
        form: value => found.data.push(value.replace(/^([^=]*)=(.*)$/s, (_, name, value) => `${name}=${encodeURIComponent(value)}`)),
        json: value => { found.data.push(value); found.fields.push(["Content-Type", "application/json"], ["Accept", "application/json"]); },
        cookie: value => found.fields.push(["Cookie", value]), agent: value => found.fields.push(["User-Agent", value]), referer: value => found.fields.push(["Referer", value]),
        user: value => found.fields.push(["Authorization", `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`]),
    };
    for (let at = 0; at < rest.length; at += 1) {
        const word = rest[at];
        const [, long, short, joined] = /^--([\w-]+)$|^-(\w)(.*)$/s.exec(word) ?? [];
        const name = long ?? short;
        if (name === undefined) { found.url ||= word; continue; }
        if (name === "I" || name === "head") found.method ??= "HEAD";
        if (name === "G" || name === "get") found.isGet = true;
        if (!WITH_VALUE.has(name)) {
            // Short ones may stand together: -sSX POST.
            if (joined) rest.splice(at + 1, 0, `-${joined}`);
            continue;
        }
        const value = joined || rest[at += 1] || "";
        take[WITH_VALUE.get(name)]?.(value, name);
    }
    const body = found.data.join("&");
    let url = /^\w+:\/\//.test(found.url) ? found.url : `http://${found.url}`;
    if (found.isGet && body) url += `${url.includes("?") ? "&" : "?"}${body}`;
    const hasBody = found.data.length > 0 && !found.isGet;
    const hasType = found.fields.some(([name]) => name.toLowerCase() === "content-type");
    if (hasBody && !hasType) found.fields.push(["Content-Type", "application/x-www-form-urlencoded"]);
    return { method: found.method ?? (hasBody ? "POST" : "GET"), url, fields: found.fields, body: hasBody ? body : "", left: found.left };
}
