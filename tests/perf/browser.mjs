// browser.mjs [ROWS [RUNS [DB]]]: how fast the web UI is with many results: `tools/web bench 100000`. Prints a table with the targets and
// exits with 1 if one is missed.
// DB: an existing database with the results; without it the results are synthetic. PROFLLM_URL: a running dashboard instead of a new one.
// PROFLLM_BENCH: the parts to run, of "screen,chart,filter,scroll,drag,heap".
//
//   screen   from the address to the painted count, rows and counts of the panel, with an empty cache
//   chart    from the address to the painted chart over 1.6 Mbit/s with 150 ms of round trip, with an empty cache; the bytes of the API and
//            of scripts and styles until then
//   filter   from the press of a box to the painted count, rows and counts of the panel, and to the painted chart; boxes of three fields
//   scroll   the longest frame of a scroll down the table, a screen in five frames, and back
//   drag     per position of a range's thumb, from the pointer event to the painted count, rows and chart of it (drag.mjs)
//   heap     the heap after 60 and after 300 different filters, each time after a garbage collection (heap.mjs)
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

import { drags } from './drag.mjs'
import { FILTERS, heap } from './heap.mjs'
import { fieldLabels } from './labels.mjs'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const ROWS = Number(process.argv[2] ?? 100_000)
const RUNS = Number(process.argv[3] ?? 5)
const DB = process.argv[4]
const PARTS = (process.env.PROFLLM_BENCH ?? 'screen,chart,filter,scroll,drag,heap').split(',')
const CHANGES = 12 // per field
const FRAMES = 300
const FRAME_LIMIT_MS = 50
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const FIELDS = ['server.tensor_parallel_size', 'system.hardware_info.gpu_name', 'server.dtype']
// of the first screen's scripts and of the chart's, with gzip: checked by web/tools/embed.js at every build
const BUDGETS = [['scripts of the first screen, gzip', 260 * 1024], ['scripts of the chart, gzip', 280 * 1024]]

const quantile = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const median = (list) => quantile(list, 0.5)
const ms = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const bytes = (value) => `${Math.round(value).toLocaleString('en-GB')} B`
const mib = (value) => `${(value / 2 ** 20).toFixed(1)} MiB`

function startDashboard(folder) {
  if (process.env.PROFLLM_URL) return { url: process.env.PROFLLM_URL }
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

// In the page: the time at which the whole first screen was in a painted frame.
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
  const sum = { api: 0, files: 0 }
  network.on('Network.requestWillBeSent', ({ requestId, request }) => { if (new URL(request.url).pathname.startsWith('/api/')) api.add(requestId) })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { sum[api.has(requestId) ? 'api' : 'files'] += encodedDataLength })
  const begin = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => document.querySelector('section[aria-label=Chart][aria-busy=false] canvas') !== null, null, { polling: 'raf', timeout: 120_000 })
  const time = performance.now() - begin
  await context.close()
  return { time, ...sum }
}

async function firstCharts(browser, url) {
  const charts = []
  for (let i = 0; i < RUNS; i++) charts.push(await firstChart(browser, url))
  return charts
}

// In the page: presses a box and waits for the frame in which the response is painted, and for the frame in which the chart is.
function change({ field, at }) {
  return new Promise((resolve) => {
    const found = {}
    const groups = [...document.querySelectorAll('aside [role=group][aria-label]')]
    const boxes = groups.find((group) => group.ariaLabel.startsWith(field)).querySelectorAll('input[type=checkbox]')
    const isOnScreen = (element) => { const { top, bottom } = element.getBoundingClientRect(); return top < innerHeight && bottom > 0 }
    const others = groups.filter((group) => !group.ariaLabel.startsWith(field) && !group.querySelector('[role=group]') && isOnScreen(group))
    const panel = () => others.map((group) => group.textContent).join('\n')
    const count = () => document.querySelector('main [role=status]').textContent
    // the number of points and the summary change with the filter
    const chart = () => document.querySelector('section[aria-label=Chart] [role=application]')?.ariaLabel
    const [before, counted, drawn] = [count(), panel(), chart()] // a cached response is drawn within the press
    const begin = performance.now()
    boxes[at % boxes.length].click()
    const isBusy = (name) => document.querySelector(`main section[aria-label=${name}][aria-busy=true]`) !== null
    const painted = (name) => requestAnimationFrame(() => setTimeout(() => {
      found[name] = performance.now() - begin
      if (found.table && found.chart) resolve(found)
    }))
    const look = (name, isDone) => () => (isDone() ? painted(name) : requestAnimationFrame(look(name, isDone)))
    requestAnimationFrame(look('table', () => !isBusy('Experiments') && count() !== before && panel() !== counted))
    requestAnimationFrame(look('chart', () => !isBusy('Chart') && chart() !== drawn))
  })
}

// CPU time of the page's main thread in ms. The clock does not count the time in which other processes run.
async function mainThread(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
}

async function changes(page) {
  const cpu = await mainThread(page)
  const times = []
  for (const field of await fieldLabels(page.url(), FIELDS)) {
    for (let at = 0; at < CHANGES; at++) {
      const begin = await cpu()
      const time = await page.evaluate(change, { field, at: Math.floor(at / 2) }) // on, and off again
      await page.waitForTimeout(300) // until what is requested afterwards is drawn, too
      times.push({ ...time, cpu: await cpu() - begin })
    }
  }
  return times
}

// In the page: the frames of a scroll down the table and back.
function walk(frames) {
  return new Promise((resolve) => {
    const box = document.querySelector('[role=region][aria-label="Experiments table"]')
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
    await page.evaluate(() => { document.querySelector('[role=region][aria-label="Experiments table"]').scrollTop = 0 })
    await page.waitForTimeout(500)
    runs.push(await page.evaluate(walk, FRAMES))
  }
  return runs
}

// The sizes that the build wrote next to the programs; a version from elsewhere has none.
function bundleSizes() {
  const path = join(process.env.PROFLLM_BIN, '../page/page_size.txt')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : []
}

// A row per number: [what, times, value, most, target, how it is written]. A target of null is none.
const rows = []
const add = (what, list, target, write = ms, measure = median) => rows.push({ what, times: list.length, value: measure(list), most: Math.max(...list), target, write })

async function openPage(browser, address) {
  const [first] = await fieldLabels(address, FIELDS)
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(address)
  await page.locator(`aside [role=group][aria-label="${first}"] input`).first().waitFor({ state: 'attached' })
  await page.waitForTimeout(1000)
  return page
}

async function measure(browser, address) {
  const runs = (part) => PARTS.includes(part)
  if (runs('screen')) add('first screen', await firstScreens(browser, address), 1500)
  if (runs('chart')) {
    const charts = await firstCharts(browser, address)
    add('first chart, 1.6 Mbit/s and 150 ms', charts.map(({ time }) => time), 4000)
    add('API responses until then, compressed', charts.map(({ api }) => api), 200_000, bytes)
    add('scripts and styles until then, compressed', charts.map(({ files }) => files), null, bytes)
  }
  const page = await openPage(browser, address)
  if (runs('filter')) {
    const changed = await changes(page)
    add('filter change to counts and table painted', changed.map(({ table }) => table), 150)
    add('filter change to the chart painted', changed.map(({ chart }) => chart), 200)
    add('filter change, CPU of the main thread', changed.map(({ cpu }) => cpu), null)
  }
  if (runs('scroll')) {
    const walked = await walks(page)
    add('longest frame of a scroll', walked.map((frames) => Math.max(...frames)), FRAME_LIMIT_MS)
  }
  if (runs('drag')) {
    const cpu = await mainThread(page)
    const begin = await cpu()
    const dragged = await drags(page, address)
    const used = await cpu() - begin
    const times = dragged.flatMap(({ places }) => places.map((place) => place.ms))
    add('drag of a range, pointer to painted frame', times, 50)
    add('drag of a range, p95', times, 100, ms, (list) => quantile(list, 0.95))
    add('drag of a range, CPU of the main thread per position', [used / times.length], null)
  }
  if (runs('heap')) {
    const { early, late, nodes } = await heap(page, address)
    rows.push({ what: `heap after ${FILTERS} filters, growth since the 60th`, times: 1, value: late - early, most: late, target: Math.max(2 ** 21, early * 0.1), write: mib })
    rows.push({ what: `DOM nodes after ${FILTERS} filters, growth since the 60th`, times: 1, value: nodes.late - nodes.early, most: nodes.late, target: nodes.early * 0.1, write: (value) => String(Math.round(value)) })
  }
  bundleSizes().forEach((size, i) => rows.push({ what: BUDGETS[i][0], times: 1, value: size, most: size, target: BUDGETS[i][1], write: bytes }))
}

const isMissed = ({ value, target }) => target !== null && value > target

const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] }) // before the server: it may be missing
const folder = mkdtempSync(join(tmpdir(), 'profllm-browser-'))
const { child, url } = startDashboard(folder)
try {
  const [begin] = loadavg()
  await measure(browser, await url)
  console.log(`${ROWS.toLocaleString('en-GB')} results; ${execFileSync(BROWSER, ['--version']).toString().trim()}; ${cpus().length} × ${cpus()[0].model}; load ${begin.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after\n`)
  console.log('| number | times | median | most | target | |\n|---|---:|---:|---:|---:|---|')
  for (const row of rows) console.log(`| ${row.what} | ${row.times} | ${row.write(row.value)} | ${row.write(row.most)} | ${row.target === null ? '–' : row.write(row.target)} | ${row.target === null ? '' : isMissed(row) ? 'missed' : 'reached'} |`)
  const missed = rows.filter(isMissed)
  console.log(`\n${missed.length ? `${missed.length} missed: ${missed.map(({ what }) => what).join('; ')}` : 'All targets are reached'}.`)
  process.exitCode = missed.length ? 1 : 0
} finally {
  await browser.close()
  if (child) {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  rmSync(folder, { recursive: true, force: true })
}
