// The key of this browser's login. It lies in the storage of this origin, which includes the port; the cookie that goes
// with it is sent to every port of the host, and opens nothing alone.
const NAME = "shunt-inspector-key";

export const hasKey = () => localStorage.getItem(NAME) !== null;
export const key = () => localStorage.getItem(NAME) ?? "";

/** The code of a link such as http://127.0.0.1:4885/#login=CODE, which is taken out of the address at once. */
export function codeInLink() {
    const found = /^#login=([0-9a-f]+)$/.exec(location.hash);
    if (found) history.replaceState(null, "", location.pathname);
    return found?.[1];
}

/** Uses a code up, or shows a token, and keeps the key. */
export async function redeem(proof) {
    const response = await fetch("/v1/inspector/login", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(proof),
    });
    const said = await response.json();
    if (!response.ok) throw Object.assign(new Error(said.detail), { advice: said.advice });
    localStorage.setItem(NAME, said.key);
}
