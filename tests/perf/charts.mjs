// charts.mjs [ROWS [RUNS [DB]]]: the chart at many results, in a browser: `tools/web bench charts 100000`. Prints a table.
// DB: a database that has them already, and stays.
//
//   first paint   from the address of a kind that is not drawn yet to its marks painted
//   update        from a filter that is put on or taken off to the other marks painted
//   of the answer the part of it after the response has arrived: reading it, drawing, painting
//   brush         from the end of a drag over the scatter to the marks that it leaves painted
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const ROWS = Number(process.argv[2] ?? 100_000)
const RUNS = Number(process.argv[3] ?? 5)
const DB = process.argv[4]
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const TP = 'server.tensor_parallel_size'
const SCATTER = 'x=results.p99_ttft_ms&y=results.output_throughput&colour=server.model'
const KINDS = {
  scatter: SCATTER,
  // nearly the largest selection of 100,000 results in which each has its own mark
  'scatter of 5,000': `${SCATTER}&benchmark.seed=1`,
  line: `chart=line&x=benchmark.max_concurrency&y=results.output_throughput&colour=server.model`,
  bars: `chart=bar&x=${TP}&y=results.output_throughput&colour=server.model`,
  boxes: `chart=box&x=${TP}&y=results.p99_ttft_ms&colour=server.model`,
  histogram: 'chart=histogram&x=results.p99_ttft_ms&colour=server.model',
  'heat map': `chart=heat&x=benchmark.max_concurrency&y=server.model&value=results.output_throughput`,
  'parallel axes': `chart=parallel&axes=server.model,${TP},benchmark.max_concurrency,results.p99_ttft_ms,results.median_tpot_ms,results.output_throughput&colour=results.output_throughput`,
}
const FILTERS = ['', `&${TP}=1`, `&${TP}=2`, `&${TP}=4`, `&${TP}=1,2`]

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
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

// In the page: from now, or from the next end of a drag, until a drawing that was not there is painted. A drawing is another
// one when its model is.
function toPaint({ query, isDrag }) {
  const drawing = () => document.querySelector('[data-testid=plot] > div')?.chart?.getModel()
  const before = drawing()
  return new Promise((resolve) => {
    const wait = (begin) => {
      const look = () => {
        const isDone = document.querySelector('section[aria-label=Chart][aria-busy=false]') !== null && drawing() !== undefined && drawing() !== before
        if (!isDone) return requestAnimationFrame(look)
        // the drawing is on its canvas already, and this frame shows it: one frame more would be the table's
        setTimeout(() => {
          const end = performance.now()
          const answer = performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith('/api/data/points'))
          // a scatter paints its marks by itself, and its series has none
          const shapes = document.querySelector('[data-testid=plot] > div').chart.getZr().storage.getDisplayList(true)
          const marks = shapes.reduce((sum, { shape }) => sum + (shape?.sizes?.length ?? 0), 0) || drawing().getSeries().reduce((sum, series) => sum + series.getData().count(), 0)
          resolve({ all: end - begin, ofAnswer: end - Math.max(begin, answer?.responseEnd ?? begin), marks })
        })
      }
      requestAnimationFrame(look)
    }
    if (isDrag) return document.addEventListener('pointerup', () => wait(performance.now()), { capture: true, once: true })
    performance.clearResourceTimings()
    history.pushState(null, '', `/?${query}`)
    window.dispatchEvent(new PopStateEvent('popstate'))
    wait(performance.now())
  })
}

const settle = (page) => page.waitForTimeout(500) // later requests have finished

// Measures each time from the same state: the page caches nothing of it, and shows another kind or no chart.
async function measureKind(page, address, query) {
  const first = []
  const updates = []
  for (let i = 0; i < RUNS; i++) {
    await page.goto(`${address}/?chart=off`)
    await page.locator('tbody tr[data-row]').first().waitFor()
    await settle(page)
    first.push(await page.evaluate(toPaint, { query }))
    await settle(page)
    updates.push(await page.evaluate(toPaint, { query: query + FILTERS[1 + (i % (FILTERS.length - 1))] }))
    await settle(page)
  }
  return { first, updates }
}

async function measureBrush(page, address) {
  const times = []
  for (let i = 0; i < RUNS; i++) {
    await page.goto(`${address}/?${SCATTER}`)
    const plot = page.getByTestId('plot')
    await plot.waitFor()
    await settle(page)
    const box = await plot.boundingBox()
    const painted = page.evaluate(toPaint, { isDrag: true })
    // from the left end on, where most are
    await page.mouse.move(box.x + box.width * (0.09 + i * 0.005), box.y + box.height * 0.04)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.88, { steps: 4 })
    await page.mouse.up()
    times.push(await painted)
  }
  return times
}

const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] }) // before the server: it may be missing
const folder = mkdtempSync(join(tmpdir(), 'profllm-charts-'))
const { child, url } = startDashboard(folder)
try {
  const address = await url
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  console.log(`${ROWS.toLocaleString('en-GB')} results; ${execFileSync(BROWSER, ['--version']).toString().trim()}; ${cpus().length} × ${cpus()[0].model}; load ${loadavg()[0].toFixed(2)}; median of ${RUNS}\n`)
  console.log('| chart | marks | first paint | of the answer | update | of the answer |\n|---|---:|---:|---:|---:|---:|')
  const row = (list, key) => ms(median(list.map((one) => one[key])))
  for (const [kind, query] of Object.entries(KINDS)) {
    const { first, updates } = await measureKind(page, address, query)
    console.log(`| ${kind} | ${first[0].marks.toLocaleString('en-GB')} | ${row(first, 'all')} | ${row(first, 'ofAnswer')} | ${row(updates, 'all')} | ${row(updates, 'ofAnswer')} |`)
  }
  const brushed = await measureBrush(page, address)
  console.log(`| brush of the scatter | ${brushed[0].marks.toLocaleString('en-GB')} | – | – | ${row(brushed, 'all')} | ${row(brushed, 'ofAnswer')} |`)
} finally {
  await browser.close()
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
