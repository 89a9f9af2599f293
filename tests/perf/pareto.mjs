// pareto.mjs [ROWS [RUNS [DB]]]: frontiers on the screen after a filter change: `tools/web bench pareto 10000`. Prints a table, and
// exits with 1 if the target is missed. DB: a database that has the results already, and stays.
//
//   update        from a filter that is put on or taken off to the other frontiers painted
//   of the answer the part of it after the response has arrived: reading it, drawing, painting
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const ROWS = Number(process.argv[2] ?? 10_000)
const RUNS = Number(process.argv[3] ?? 10)
const DB = process.argv[4]
const TARGET_MS = 200
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const TP = 'server.tensor_parallel_size'
const FILTERS = ['', `${TP}=1`, `${TP}=2`, `${TP}=4`, `${TP}=1,2`]

const quantile = (list, share) => list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]
const ms = (value) => `${value.toFixed(0)} ms`

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

// In the page: from a change of the address until the count of the new answer and its lines are painted.
function toPaint(query) {
  const drawn = () => [document.querySelector('#main h1 + p')?.textContent, ...[...document.querySelectorAll('[data-frontier]')].map((line) => line.getAttribute('d'))].join(' ')
  const before = drawn()
  return new Promise((resolve) => {
    const begin = performance.now()
    performance.clearResourceTimings()
    const look = () => {
      const chart = document.querySelector('section[aria-label=Chart]')
      if (!chart || chart.getAttribute('aria-busy') === 'true' || drawn() === before) return requestAnimationFrame(look)
      setTimeout(() => {
        const end = performance.now()
        const answer = performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/api/analysis/pareto'))
        resolve({ all: end - begin, ofAnswer: end - Math.max(begin, answer?.responseEnd ?? begin), points: [...document.querySelectorAll('[data-points]')].reduce((sum, path) => sum + Number(path.dataset.points), document.querySelectorAll('[data-point]').length) })
      })
    }
    history.pushState(null, '', `/pareto?simulated=1&untrusted=1&${query}`)
    window.dispatchEvent(new PopStateEvent('popstate'))
    requestAnimationFrame(look)
  })
}

const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] }) // before the server: it may be missing
const folder = mkdtempSync(join(tmpdir(), 'profllm-pareto-'))
const { child, url } = startDashboard(folder)
let median = Infinity
try {
  const address = await url
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const times = []
  for (let i = 0; i < RUNS; i++) {
    // each time from the same state: the page caches nothing of it
    await page.goto(`${address}/pareto?simulated=1&untrusted=1`)
    await page.locator('[data-frontier]').first().waitFor()
    await page.waitForTimeout(500) // later requests have finished
    times.push(await page.evaluate(toPaint, FILTERS[1 + (i % (FILTERS.length - 1))]))
  }
  median = quantile(times.map(({ all }) => all), 0.5)
  console.log(`${ROWS.toLocaleString('en-GB')} results, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}\n`)
  console.log('| time | median | p95 | target |\n|---|---|---|---|')
  console.log(`| update | ${ms(median)} | ${ms(quantile(times.map(({ all }) => all), 0.95))} | ${ms(TARGET_MS)} |`)
  console.log(`| of the answer | ${ms(quantile(times.map(({ ofAnswer }) => ofAnswer), 0.5))} | ${ms(quantile(times.map(({ ofAnswer }) => ofAnswer), 0.95))} | |`)
  console.log(`\nconfigurations drawn: ${[...new Set(times.map(({ points }) => points))].join(', ')}`)
} finally {
  child.kill()
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(median <= TARGET_MS ? 0 : 1)
