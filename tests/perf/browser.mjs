// browser.mjs [ROWS [RUNS [DB]]]: the page at many results, in a browser: `tools/web bench 100000`. Prints a table.
// DB: a database that has them already, and stays.
//
//   first screen   from the address to count, rows and counts of the panel painted, with an empty cache
//   first chart    from the address to the chart painted over 1.6 Mbit/s with 150 ms of round trip, with an empty cache, and the bytes
//                  of the API's answers until then
//   filter change  from the press of a box to count, rows and counts of the panel painted, and to the chart behind them
//   scrolling      the longest frame of a run down the table, a screen in five frames, and back
//   drag           per place of a range's thumb, from the pointer's event to count, rows and chart of it painted (drag.mjs)
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

import { drags } from './drag.mjs'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const ROWS = Number(process.argv[2] ?? 100_000)
const RUNS = Number(process.argv[3] ?? 5)
const DB = process.argv[4]
const CHANGES = 20
const FRAMES = 300
const FRAME_LIMIT_MS = 50
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const FIELD = 'Tensor parallel size'

const quantile = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const median = (list) => quantile(list, 0.5)
const both = (list) => [median(list), Math.max(...list)]
const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`

function startDashboard(folder) {
  const words = DB ? ['serve', '--db', DB] : ['demo', '--rows', String(ROWS), '--db', join(folder, 'demo.db')]
  const child = spawn(join(process.env.PROFLLM_BIN, 'profllm-dashboard'), [...words, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = new Promise((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (part) => {
      said += part
      const found = /listening on (http:\S+)\n/.exec(said)
      if (found) resolve(found[1])
    })
    child.on('exit', (code) => reject(new Error(`profllm-dashboard ended with ${code}`)))
  })
  return { child, url }
}

// In the page: when all of the first screen stood in a frame that was painted.
function watchFirstScreen() {
  const isThere = () =>
    document.querySelectorAll('tbody tr[data-row]').length >= 10 && document.querySelector('aside [role=group] input[type=checkbox]') !== null && /experiments/.test(document.querySelector('main [role=status]')?.textContent ?? '')
  const look = () => {
    if (isThere()) requestAnimationFrame(() => setTimeout(() => { window.firstScreen = performance.now() }))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function firstScreens(browser, url) {
  const times = []
  for (let i = 0; i < RUNS; i++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(watchFirstScreen)
    await page.goto(url)
    times.push(await page.waitForFunction(() => window.firstScreen).then((handle) => handle.jsonValue()))
    await context.close()
  }
  return times
}

const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 }

async function firstChart(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', NETWORK)
  const api = new Set()
  let bytes = 0
  network.on('Network.requestWillBeSent', ({ requestId, request }) => { if (new URL(request.url).pathname.startsWith('/api/')) api.add(requestId) })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { if (api.has(requestId)) bytes += encodedDataLength })
  const begin = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => document.querySelector('section[aria-label=Chart][aria-busy=false] canvas') !== null, null, { polling: 'raf', timeout: 120_000 })
  const ms = performance.now() - begin
  await context.close()
  return { ms, bytes }
}

async function firstCharts(browser, url) {
  const charts = []
  for (let i = 0; i < RUNS; i++) charts.push(await firstChart(browser, url))
  return charts
}

// In the page: presses a box and waits for the frame in which the answer is painted, and for that in which the chart is.
function change({ field, at }) {
  return new Promise((resolve) => {
    const found = {}
    const boxes = document.querySelectorAll(`aside [role=group][aria-label="${field}"] input[type=checkbox]`)
    const count = () => document.querySelector('main [role=status]').textContent
    // its points and its summary change with the filter
    const chart = () => document.querySelector('section[aria-label=Chart] [role=application]')?.ariaLabel
    const [before, drawn] = [count(), chart()] // what is known already is drawn within the press
    const begin = performance.now()
    boxes[at % boxes.length].click()
    const isBusy = (name) => document.querySelector(`main section[aria-label=${name}][aria-busy=true]`) !== null
    const painted = (name) => requestAnimationFrame(() => setTimeout(() => {
      found[name] = performance.now() - begin
      if (found.table && found.chart) resolve(found)
    }))
    const look = (name, isDone) => () => (isDone() ? painted(name) : requestAnimationFrame(look(name, isDone)))
    requestAnimationFrame(look('table', () => !isBusy('Experiments') && count() !== before))
    requestAnimationFrame(look('chart', () => !isBusy('Chart') && chart() !== drawn))
  })
}

async function changes(page) {
  const times = []
  for (let at = 0; at < CHANGES; at++) {
    times.push(await page.evaluate(change, { field: FIELD, at: Math.floor(at / 2) })) // on, and off again
    await page.waitForTimeout(300) // what is asked for afterwards is over
  }
  return times
}

// In the page: the frames of a walk down the table and back.
function walk(frames) {
  return new Promise((resolve) => {
    const box = document.querySelector('[role=region][aria-label^=Table]')
    const step = box.clientHeight / 5
    const lengths = []
    let last = performance.now()
    let at = 0
    const next = (now) => {
      lengths.push(now - last)
      last = now
      box.scrollTop += at < frames / 2 ? step : -step
      if (++at < frames) requestAnimationFrame(next)
      else resolve(lengths.slice(1))
    }
    requestAnimationFrame(next)
  })
}

async function walks(page) {
  const runs = []
  for (let i = 0; i < RUNS; i++) {
    await page.evaluate(() => { document.querySelector('[role=region][aria-label^=Table]').scrollTop = 0 })
    await page.waitForTimeout(500)
    runs.push(await page.evaluate(walk, FRAMES))
  }
  return runs
}

const folder = mkdtempSync(join(tmpdir(), 'profllm-browser-'))
const { child, url } = startDashboard(folder)
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const address = await url
  const first = await firstScreens(browser, address)
  const charts = await firstCharts(browser, address)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(address)
  await page.locator(`aside [role=group][aria-label="${FIELD}"] input`).first().waitFor({ state: 'attached' })
  await page.waitForTimeout(1000)
  const changed = await changes(page)
  const walked = await walks(page)
  const dragged = (await drags(page, address)).flatMap(({ places }) => places.map((place) => place.ms))
  const longest = walked.map((frames) => Math.max(...frames))
  const slow = walked.map((frames) => frames.filter((length) => length > FRAME_LIMIT_MS).length)
  const rows = [
    ['first screen', RUNS, ...both(first)],
    ['first chart, 1.6 Mbit/s and 150 ms', RUNS, ...both(charts.map((chart) => chart.ms))],
    ['filter change to counts and table painted', CHANGES, ...both(changed.map(({ table }) => table))],
    ['the same to the chart painted', CHANGES, ...both(changed.map(({ chart }) => chart))],
    ['longest frame of a scroll', RUNS, ...both(longest)],
  ]
  console.log(`${ROWS.toLocaleString('en-GB')} results; ${execFileSync(BROWSER, ['--version']).toString().trim()}; ${cpus().length} × ${cpus()[0].model}; load ${loadavg()[0].toFixed(2)}\n`)
  console.log('| what | times | median | most |\n|---|---:|---:|---:|')
  for (const [what, times, middle, most] of rows) console.log(`| ${what} | ${times} | ${ms(middle)} | ${ms(most)} |`)
  console.log(`\nAPI bytes of the first screen: ${median(charts.map(({ bytes }) => bytes)).toLocaleString('en-GB')}.`)
  console.log(`Drag of a range, ${dragged.length} places: median ${ms(median(dragged))}, p95 ${ms(quantile(dragged, 0.95))}.`)
  console.log(`Frames above ${FRAME_LIMIT_MS} ms in ${FRAMES}: ${slow.join(', ')}; median ${median(slow)}.`)
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
