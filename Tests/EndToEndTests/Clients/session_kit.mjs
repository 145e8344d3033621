// Tests of the kit for Playwright, against the Shunt at BASE; run beside the kit, prints ok.
import assert from "node:assert";
import { Session, fixture } from "./shunt-session.mjs";

const ask = async (path, headers) => await (await fetch(process.env.BASE + path, { headers })).text();

await Promise.all(Array.from({ length: 50 }, async (_, number) => (await Session.start({ name: `test ${number}` })).run(async session => {
    await session.mock("/cart", { json: { number } });
    await session.expect("~u /cart: 1");
    assert.deepEqual(JSON.parse(await ask("/cart", session.headers)), { number });
    assert.equal(await ask("/turns", session.headers), "first");
    assert.equal((await session.routes())[0].hits, 1);
})));
await assert.rejects((await Session.start()).run(async session => {
    await session.expect("~m POST & ~u /cart: 1");
    await ask("/cart", session.headers);
}), /nearest/);
let headers;
const context = { setExtraHTTPHeaders: async given => { headers = given; } };
await fixture.shunt({ context }, async session => {
    await session.mock("/cart", { text: "mine" });
    assert.equal(await ask("/cart", headers), "mine");
}, { title: "a test" });
console.log("ok");
