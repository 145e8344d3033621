// Asks for each path by Node's HTTP/1.1 and by its HTTP/2 over TLS, and prints what came of it: PORT PATH...
const http = require("http");
const http2 = require("http2");
const [port, ...paths] = process.argv.slice(2);

const one = (path) =>
  new Promise((done) => {
    const request = http.get({ port, path: "/" + path, host: "127.0.0.1", agent: false }, (response) => {
      let body = "";
      response.on("data", (data) => (body += data));
      response.on("end", () => done(`${path} ${response.statusCode} ${body.length}`));
      response.on("error", (error) => done(`${path} ${response.statusCode} ${error.message}`));
    });
    request.on("error", (error) => done(`${path} ${error.code}`));
  });

const two = (path) =>
  new Promise((done) => {
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    let [status, body, goaway, failure] = [0, "", "", ""];
    session.on("goaway", (code) => (goaway = ` goaway ${code}`));
    session.on("error", (error) => (failure = ` ${error.code}`));
    const request = session.request({ ":path": "/" + path });
    request.on("response", (headers) => (status = headers[":status"]));
    request.on("data", (data) => (body += data));
    request.on("error", () => {});
    request.on("close", () => {
      const result = `${path} ${status} ${body.length} code ${request.rstCode}`;
      const end = () => done(result + goaway);
      // The connection may be gone before its stream; versions of Node differ.
      if (session.destroyed) return setImmediate(end);
      session.on("close", end);
      session.destroy();
    });
    request.end();
  });

// Node ends well when nothing can happen any more, also where something was still awaited.
process.exitCode = 1;
(async () => {
  for (const path of paths) {
    console.log("h1 " + (await one(path)));
    console.log("h2 " + (await two(path)));
  }
  process.exitCode = 0;
})();
