// experiment.mjs URL: opens the page of an experiment once and zooms its timeline by key. Prints the times as JSON, in ms: from the address
// to the painted parts, with an empty cache, and from each key to the painted timeline and lanes. experiment.py calls it.
import { createRequire } from 'node:module'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const ROUNDS = 5
const DEPTH = 4 // zooms of a round, each by half

// In the page: the time at which each part is in a painted frame.
function watch() {
  const parts = {
    timeline: '#timeline [data-series] path:not([data-band])[d^=M]',
    lanes: '#requests [aria-label="Requests in lanes"] path[data-part=wait][d^=M]',
    rows: '#requests tr[data-request]',
  }
  window.painted = {}
  for (const [name, selector] of Object.entries(parts)) {
    const look = () => {
      if (document.querySelector(selector) === null) requestAnimationFrame(look)
      else requestAnimationFrame(() => setTimeout(() => { window.painted[name] = performance.now() }))
    }
    requestAnimationFrame(look)
  }
}

// In the page: presses a key on the timeline, and waits for the frames with the new range (of the bins before), with its
// own bins, and with the new lanes.
function zoom(key) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`nothing new is painted after ${key}`)), 10_000)
    const found = {}
    const timeline = document.querySelector('#timeline [role=slider]')
    const lanes = document.querySelector('#requests [aria-label="Requests in lanes"]')
    const drawing = (element, selector) => element.querySelector(selector).getAttribute('d')
    const line = '[data-series] path:not([data-band])'
    const views = { timeline: [timeline, line, false], bins: [timeline, line, true], lanes: [lanes, 'path[data-part=wait]', true] }
    const begin = performance.now()
    for (const [name, [element, selector, isWhole]] of Object.entries(views)) {
      const before = drawing(element, selector)
      const look = () => {
        if ((isWhole && element.getAttribute('aria-busy') === 'true') || drawing(element, selector) === before) return requestAnimationFrame(look)
        requestAnimationFrame(() => setTimeout(() => {
          found[name] = performance.now() - begin
          if (found.timeline && found.bins && found.lanes) resolve(found)
        }))
      }
      requestAnimationFrame(look)
    }
    timeline.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  })
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox', '--disable-gpu'],
})
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
await page.addInitScript(watch)
await page.goto(process.argv[2])
const open = await page
  .waitForFunction(() => window.painted.timeline && window.painted.lanes && window.painted.rows && window.painted)
  .then((handle) => handle.jsonValue())
const zooms = []
for (let round = 0; round < ROUNDS; round++) {
  await page.locator('#timeline [role=slider]').focus()
  await page.keyboard.press('Home')
  // the requests end after the first minutes of the hour
  for (let i = 0; i < 3 * round; i++) await page.keyboard.press('ArrowRight')
  for (let depth = 0; depth < DEPTH; depth++) zooms.push(await page.evaluate(zoom, '+'))
  await page.keyboard.press('Escape')
  await page.evaluate(zoom, 'Escape')
}
await browser.close()
console.log(JSON.stringify({ open, zooms }))
