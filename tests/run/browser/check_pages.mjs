// Opens report pages in a headless browser at desktop and phone width: axe-core's findings, whatever a page tries
// to load, and whether it is wider than the screen. Exit status 1 if anything is found.
//
//   npm install --prefix FOLDER playwright-core axe-core
//   NODE_PATH=FOLDER/node_modules CHROMIUM=/usr/bin/chromium \
//     node tests/run/browser/check_pages.mjs [--shots FOLDER] PAGE...
//
// tests/run/test_pages.py runs it where NODE_PATH and CHROMIUM are set.

import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const pages = process.argv.slice(2);
const shots = pages[0] === "--shots" ? pages.splice(0, 2)[1] : null;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
let found = 0;
const report = (...words) => { found += 1; console.log(...words); };

for (const path of pages) {
  for (const [screen, width, height] of [["desktop", 1280, 900], ["phone", 390, 844]]) {
    const page = await browser.newPage({ viewport: { width, height } });
    const where = `${basename(path)} ${screen}`;
    const url = pathToFileURL(resolve(path)).href;
    page.on("request", (request) => request.url() !== url && report(where, "loads", request.url().slice(0, 100)));
    page.on("console", (message) => report(where, "console:", message.text()));
    await page.goto(url);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (wide > 0) report(where, `is ${wide} px wider than the screen`);
    if (shots) await page.screenshot({ path: join(shots, `${basename(path, ".html")}-${screen}.png`), fullPage: true });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    for (const { id, impact, nodes } of violations)
      report(where, `axe ${impact}: ${id}, ${nodes.length} nodes, the first`, nodes[0].html.slice(0, 200));
    await page.close();
  }
}
await browser.close();
console.log(`${pages.length} pages, ${found} findings`);
process.exit(found ? 1 : 0);
