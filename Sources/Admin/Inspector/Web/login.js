// The page of a browser that is not logged in: uses up the code of a link, takes a token, or says what to do.
import { codeInLink, hasKey, redeem } from "./session.js";
import { get } from "./api.js";

const what = document.getElementById("what");
const enter = () => location.replace("/?" + location.hash);

async function show(proof) {
    what.textContent = "Logging in …";
    try {
        await redeem(proof);
        enter();
    } catch (problem) {
        what.textContent = `${problem.message}. ${problem.advice ?? ""}`;
    }
}

async function logIn() {
    const code = codeInLink();
    if (code) await show({ code });
    return code !== undefined;
}

document.getElementById("shown").addEventListener("submit", event => {
    event.preventDefault();
    const input = document.getElementById("token");
    const token = input.value.trim();
    input.value = "";
    show({ token });
});

// A link that is opened in this tab changes nothing but what is behind the #.
addEventListener("hashchange", logIn);
if (!await logIn() && hasKey()) {
    // A link on another site led here: the browser has held the cookie back.
    try {
        await get("/v1/status");
        enter();
    } catch {
        what.textContent = "Your browser is not logged in any more.";
    }
}
