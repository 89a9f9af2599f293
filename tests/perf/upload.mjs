// upload.mjs [FILES [BYTES]]: a folder of many small results through the browser: `tools/web bench upload 10000`. Prints a
// table.
//
//   all stored       from the choice of the folder to the summary that says so
//   longest pause    in which the count of what is done did not move
//   page, server     the most memory that their processes had (VmHWM), and the page's own heap at the end
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'

const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))('@playwright/test')

const FILES = Number(process.argv[2] ?? 10_000)
const BYTES = Number(process.argv[3] ?? 2048)
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const LIMIT_MS = 600_000

const mib = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`
const peakOf = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

function makeFiles(folder) {
  mkdirSync(folder)
  for (let i = 0; i < FILES; i++) {
    const document = {
      run_id: `bench_${i}`, suite: 'upload', timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString(), duration: 1, config: { server: {}, benchmark: { max_concurrency: 1 + (i % 64) } },
      results: { p99_ttft_ms: 100 + (i % 977) }, system: {}, profiling: {}, status: 'completed',
    }
    const text = JSON.stringify(document)
    writeFileSync(join(folder, `${i}.json`), text + ' '.repeat(Math.max(0, BYTES - text.length)))
  }
}

function startServer(folder) {
  const child = spawn(join(process.env.PROFLLM_BIN, 'profllm-dashboard'), ['serve', '--db', join(folder, 'results.db'), '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
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

// Runs in the page: returns how long the count of finished files does not change, until all are finished.
function watch(files) {
  const done = () => Number(document.querySelector('main [role=progressbar]')?.getAttribute('aria-valuenow') ?? 0)
  const begin = performance.now()
  let last = { at: begin, count: 0 }
  let pause = 0
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const count = done()
      const now = performance.now()
      if (count !== last.count) {
        pause = Math.max(pause, now - last.at)
        last = { at: now, count }
      }
      if (count < files) return
      clearInterval(timer)
      resolve({ took: now - begin, pause })
    }, 50)
  })
}

async function main() {
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] }) // before the server: it may be missing
  const folder = mkdtempSync(join(tmpdir(), 'profllm-upload-'))
  const files = join(folder, 'files')
  makeFiles(files)
  const { child, url } = startServer(folder)
  try {
    const page = await browser.newPage()
    await page.goto(`${await url}/upload`)
    await page.getByTestId('folder').setInputFiles(files, { timeout: LIMIT_MS })
    const { took, pause } = await page.evaluate(watch, FILES)
    const answer = await (await page.request.post(`${await url}/api/filters/apply`, { data: { limit: 1 } })).json()
    if (answer.total !== FILES) throw new Error(`found ${answer.total} results, expected ${FILES}`)
    const system = await browser.newBrowserCDPSession()
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => peakOf(id))
    const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0)
    console.log(`${FILES} files of ${BYTES} bytes; ${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}\n`)
    console.log('| | |\n|---|---|')
    console.log(`| all stored | ${(took / 1000).toFixed(1)} s, ${Math.round((FILES * 1000) / took)} files a second |`)
    console.log(`| longest pause | ${(pause / 1000).toFixed(2)} s |`)
    console.log(`| page, most memory | ${mib(Math.max(...pages))}, heap ${mib(heap)} |`)
    console.log(`| server, most memory | ${mib(peakOf(child.pid))} |`)
  } finally {
    await browser.close()
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
