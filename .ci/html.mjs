// Drives headless Chromium by its DevTools protocol, with nothing but Node: see .ci/html.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { strict as assert } from "node:assert";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [chromium, work, docs] = process.argv.slice(2);
const browser = spawn(chromium, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
  "--remote-debugging-port=0", `--user-data-dir=${path.join(work, "profile")}`, "about:blank",
], { stdio: ["ignore", "ignore", "pipe"] });

const deadline = setTimeout(() => fail(new Error("no end after 3 minutes")), 180_000);
function fail(error) {
  console.error(error);
  browser.kill();
  process.exit(1);
}

/** Resolves with the address that the browser listens at. */
function address() {
  return new Promise((resolve, reject) => {
    let text = "";
    browser.stderr.on("data", (data) => {
      text += data;
      const found = text.match(/DevTools listening on (ws:\S+)/);
      if (found) resolve(found[1]);
    });
    browser.on("exit", () => reject(new Error("chromium ended:\n" + text)));
  });
}

/** A page of the browser: commands are methods of the protocol. */
async function openPage(endpoint) {
  const port = new URL(endpoint).port;
  const target = await (await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: "PUT" })).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  let last = 0;
  const waiting = new Map();
  const errors = [];
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.id) waiting.get(message.id)?.(message);
    if (message.method === "Runtime.exceptionThrown") errors.push(message.params.exceptionDetails);
    if (message.method === "Network.requestWillBeSent") {
      const url = message.params.request.url;
      if (!url.startsWith("file:") && !url.startsWith("data:")) errors.push("the page asks for " + url);
    }
  });
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, (message) => (message.error ? reject(new Error(method + ": " + message.error.message)) : resolve(message.result)));
    socket.send(JSON.stringify({ id, method, params }));
  });
  for (const domain of ["Page", "Runtime", "Network"]) await send(domain + ".enable");
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(expression + ": " + exceptionDetails.exception?.description);
    return result.value;
  };
  const key = async (name) => {
    for (const type of ["keyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, key: name });
  };
  const click = async (selector, part = 0.5) => {
    const box = await evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "nearest" });
      const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`);
    const [x, y] = [box[0] + box[2] * part, box[1] + box[3] / 2];
    for (const type of ["mousePressed", "mouseReleased"]) {
      await send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
  };
  const load = async (file, scheme) => {
    await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 860, deviceScaleFactor: 1, mobile: false });
    await send("Page.navigate", { url: pathToFileURL(file).href });
    for (let tries = 0; tries < 100; tries++) {
      if (await evaluate("document.readyState === 'complete' && location.protocol === 'file:' && !!document.querySelector('.row.here')")) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("the page did not load: " + JSON.stringify(errors));
  };
  const shot = async (file) => {
    const { data } = await send("Page.captureScreenshot", { format: "webp", quality: 80 });
    writeFileSync(file, Buffer.from(data, "base64"));
  };
  return { send, evaluate, key, click, load, shot, errors };
}

const here = "document.querySelector('.row.here .n').textContent";
const squares = "document.querySelectorAll('#boardbox text').length";

async function test() {
  const page = await openPage(await address());
  await page.load(path.join(work, "en.html"), "light");
  const data = JSON.parse(readFileSync(path.join(work, "en.html"), "utf8").match(/type="application\/json">(.*?)<\/script>/s)[1]);
  const count = data.report.moves.length;
  assert.equal(await page.evaluate("document.documentElement.lang"), "en");
  assert.equal(await page.evaluate(here), "", "at the start");
  assert.equal(await page.evaluate(squares), 18 + 40, "the start has 40 pieces");

  // Stepping by keys.
  await page.key("ArrowRight");
  assert.equal(await page.evaluate(here), "1");
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.key("ArrowLeft");
  assert.equal(await page.evaluate(here), "2");
  await page.key("End");
  const last = Number(await page.evaluate(here));
  assert.ok(last >= count, `the end is ${last}, the game has ${count} moves`);
  assert.ok(await page.evaluate("document.querySelector('#hand0').textContent.length + document.querySelector('#hand1').textContent.length") > 0);
  await page.key("Home");
  assert.equal(await page.evaluate(here), "");
  // Every position of the game can be drawn.
  for (let ply = 1; ply <= count; ply++) {
    await page.key("ArrowRight");
    assert.equal(await page.evaluate(here), String(ply));
  }

  // Clicking the graph and its ends.
  await page.click("#graph", 0.5);
  assert.equal(await page.evaluate(here), String(Math.round(count / 2)), "the middle of the graph");
  await page.click("#graph", 0.9999);
  assert.equal(await page.evaluate(here), String(count));
  const x = Number(await page.evaluate("document.querySelector('#cursor').getAttribute('x1')"));
  assert.ok(Math.abs(x - 1000) < 0.5, "the cursor is at the end");

  // The move list, the best line, a turning point.
  await page.click("#node1");
  assert.equal(await page.evaluate(here), "1");
  const before = await page.evaluate("document.querySelector('#boardbox').innerHTML");
  await page.click("#lines .pv span");
  assert.notEqual(await page.evaluate("document.querySelector('#boardbox').innerHTML"), before, "the line is played");
  await page.key("ArrowLeft");
  assert.equal(await page.evaluate("document.querySelector('#boardbox').innerHTML"), before, "and taken back");
  if (data.report.turning_points.length) {
    await page.click("#turns li");
    assert.equal(await page.evaluate(here), String(data.report.turning_points[0].ply - 1 || ""));
  }

  // Variations: down goes to the alternative, up back.
  const branch = data.nodes.findIndex((node) => node.children.length > 1);
  assert.ok(branch >= 0, "the test game has a variation");
  await page.evaluate(`go(${data.nodes[branch].children[0]})`);
  const main = await page.evaluate("document.querySelector('.row.here .m').textContent");
  await page.key("ArrowDown");
  const other = await page.evaluate("document.querySelector('.row.here .m').textContent");
  assert.notEqual(other, main);
  await page.key("ArrowUp");
  assert.equal(await page.evaluate("document.querySelector('.row.here .m').textContent"), main);

  // Language, and turning the board.
  await page.click("#language");
  assert.equal(await page.evaluate("document.documentElement.lang"), "ja");
  assert.match(await page.evaluate("document.querySelector('#node1 .m').textContent"), /^☗[１-９]/);
  await page.key("f");
  assert.deepEqual(page.errors, []);

  // Both colour schemes have their own ground.
  const ground = "getComputedStyle(document.body).backgroundColor";
  const turn = data.report.turning_points[0]?.ply ?? Math.round(count / 2);
  const shots = [["en.html", "light", "analysis-light.webp"], ["ja.html", "dark", "analysis-dark.webp"]];
  const colors = [];
  for (const [file, scheme, name] of shots) {
    await page.load(path.join(work, file), scheme);
    await page.evaluate(`go(main[${turn}])`);
    colors.push(await page.evaluate(ground));
    const folder = docs === "docs" ? "docs/src/images" : work;
    mkdirSync(folder, { recursive: true });
    await page.shot(path.join(folder, name));
  }
  assert.notEqual(colors[0], colors[1]);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, "nothing is cut off");
  assert.deepEqual(page.errors, []);
  console.log(`HTML page: ${count} moves stepped through, graph, list, lines, variations, languages, schemes: ok`);
}

test().then(() => {
  clearTimeout(deadline);
  browser.kill();
  process.exit(0);
}, fail);
