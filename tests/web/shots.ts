// The pictures of docs/images, of results that the simulator made and copies of them: `tools/web shots docs/images`.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, filters, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const MODELS = ['meta-llama/Llama-3.1-70B-Instruct', 'Qwen/Qwen2.5-72B-Instruct', 'openai/gpt-oss-120b']
const GPUS: [string, number][] = [['NVIDIA H100 80GB HBM3', 1], ['NVIDIA H200', 1.3], ['NVIDIA B200', 2.1]]
const SIZES = [2, 4, 8]
const LOADS = [16, 64, 256]
const OUT = process.env['PROFLLM_SHOTS'] as string

// figures that hang together well enough to look at: nobody measured them
const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  let at = 0
  for (const model of MODELS) for (const [gpu_name, speed] of GPUS) for (const size of SIZES) for (const load of LOADS) {
    const wave = 1 + 0.17 * Math.sin(++at * 2.39)
    const output = 38 * speed * size * load ** 0.62 * wave
    const document = variant(base, {
      name: `${model.split('/')[1]?.split('-').slice(0, 2).join('-').toLowerCase()}-${gpu_name.split(' ')[1]?.toLowerCase()}-tp${size}-c${load}`, model, gpu_name, tensor_parallel_size: size, max_concurrency: load,
      quantization: at % 4 === 0 ? null : at % 3 === 0 ? 'nvfp4' : 'fp8', output_throughput: output, p99_ttft_ms: (60 + load * 5.5) / speed / Math.sqrt(size) * wave * 2.3, verdict: at % 7 === 4 ? 'degraded' : at % 16 === 2 ? 'client_limited' : 'trusted',
    })
    const { results } = document
    results.median_ttft_ms = results.p99_ttft_ms / 3.1
    results.median_tpot_ms = (9 + load / 7) / speed / Math.sqrt(size) * wave
    results.p99_tpot_ms = results.median_tpot_ms * 1.4
    results.median_e2el_ms = results.median_ttft_ms + 256 * results.median_tpot_ms
    results.energy_per_token_j = at % 5 === 0 ? null : 3.1 / output * 400 * wave
    for (const key of Object.keys(results)) if (/_ci95$/.test(key)) results[key] = null
    document.environment.engine = { ...document.environment.engine, simulated: at % 11 === 3, name: at % 11 === 3 ? 'profllm-sim' : 'vllm', version: at % 11 === 3 ? '0.1.0' : '0.32.0' }
    write(folder, `${at}.json`, document)
  }
  store.import(folder)
})

const QUERY = '/?system.hardware_info.gpu_name=NVIDIA B200,NVIDIA H200&server.tensor_parallel_size=2,4,8&results.p99_ttft_ms=..900&sort=-results.output_throughput'

const NAMES = ['70B on Hopper and Blackwell', 'Precision and quantisation', 'Memory', 'Energy per token']
const filter = { and: [{ field: 'system.hardware_info.gpu_name', op: 'in', value: ['NVIDIA B200', 'NVIDIA H200'] }, { field: 'server.tensor_parallel_size', op: 'in', value: [2, 4, 8] }] }
const sort = [{ field: 'results.output_throughput', dir: 'desc' }]

// one that is there already is refused, and stays
async function explore(page: Page) {
  for (const name of NAMES) await page.request.post(`${dashboard().url}/api/filters/presets`, { data: { name, filter, sort } })
  await page.goto(`${dashboard().url}${QUERY}&preset=1`)
  await expect(counted(page)).toBeVisible()
}

const save = (page: Page, name: string) => page.screenshot({ path: join(OUT, `${name}.png`), animations: 'disabled' })

for (const colorScheme of ['light', 'dark'] as const) {
  test(`explore ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await explore(page)
    await expect(filters(page).getByRole('group', { name: 'Verdict', exact: true })).toBeAttached()
    await expect(page.getByTestId('plot')).toBeVisible()
    await save(page, `explore-${colorScheme}`)
  })

  test(`experiment ${colorScheme}`, async ({ page, own }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${dashboard().url}/upload`)
    await page.getByTestId('files').setInputFiles(own)
    await page.getByRole('link', { name: /^Open/ }).click()
    await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible()
    await save(page, `experiment-${colorScheme}`)
  })
}

// Figures that an axis is chosen by hand for stand in one laboratory's results.
const CHARTS = {
  scatter: 'y=results.output_throughput&x=results.p99_ttft_ms&colour=system.hardware_info.gpu_name&log=y',
  line: 'chart=line&y=results.output_throughput&x=benchmark.max_concurrency&colour=server.model&stat=mean&spread=ci',
  bar: 'chart=bar&y=results.output_throughput&x=server.tensor_parallel_size&colour=system.hardware_info.gpu_name',
  box: 'chart=box&y=results.p99_ttft_ms&x=server.model&colour=system.hardware_info.gpu_name',
  histogram: 'chart=histogram&x=results.p99_ttft_ms&colour=server.model',
  heat: 'chart=heat&x=benchmark.max_concurrency&y=server.model&value=results.output_throughput&server.tensor_parallel_size=2,4',
  parallel: 'chart=parallel&axes=server.model,system.hardware_info.gpu_name,server.tensor_parallel_size,server.quantization,benchmark.max_concurrency,results.p99_ttft_ms,results.output_throughput&colour=results.output_throughput',
}

for (const [kind, query] of Object.entries(CHARTS)) {
  test(`chart ${kind}`, async ({ page }) => {
    await page.goto(`${dashboard().url}/?${query}`)
    await expect(page.getByTestId('plot')).toBeVisible()
    if (kind === 'scatter') {
      await page.getByTestId('plot').focus()
      for (const key of [...Array<string>(12).fill('ArrowRight'), 'Enter']) await page.keyboard.press(key)
      await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText('Differs from')
    }
    await page.mouse.move(0, 0)
    await page.getByRole('region', { name: 'Chart' }).screenshot({ path: join(OUT, `chart-${kind}.png`), animations: 'disabled' })
  })
}

test('columns', async ({ page }) => {
  await explore(page)
  await page.getByRole('button', { name: /^Columns/ }).click()
  await expect(page.getByRole('dialog', { name: 'Columns' })).toBeVisible()
  await save(page, 'columns-light')
})

test('tree', async ({ page }) => {
  const where = { or: [{ field: 'results.p99_ttft_ms', op: 'lt', value: 200 }, { and: [{ not: { field: 'server.quantization', op: 'in', value: ['fp8', 'nvfp4'] } }, { field: 'server.tensor_parallel_size', op: 'ge', value: 4 }] }] }
  await page.goto(`${dashboard().url}/?system.hardware_info.gpu_name=NVIDIA B200,NVIDIA H200&where=${encodeURIComponent(JSON.stringify(where))}`)
  await expect(counted(page)).toBeVisible()
  await page.getByRole('button', { name: 'And, or' }).click()
  await expect(page.getByRole('region', { name: 'Filter as a tree' })).toBeVisible()
  await expect(filters(page).getByRole('group', { name: 'Verdict', exact: true })).toBeAttached()
  await save(page, 'tree-light')
})

test('upload', async ({ page, own, folder }) => {
  const broken = read(own)
  broken.results.p99_ttft_ms = 'n/a'
  broken.quality.verdict = 'ok'
  const changed = read(own)
  changed.results.p99_ttft_ms += 1
  await page.goto(`${dashboard().url}/upload`)
  const sent = ['llama70-tp4-r12.json', 'llama70-tp4-r8.json', 'llama70-tp4-r8-changed.json', 'qwen72-tp8.json', 'notes.txt']
  const documents = [broken, read(own), changed, variant(read(own), { name: 'qwen72-tp8' }), 'Remember the milk.']
  await page.getByTestId('files').setInputFiles(sent.map((name, i) => write(folder, name, documents[i])))
  await expect(page.getByText('all 5 done')).toBeVisible()
  await expect(page.getByRole('row', { name: /^\/results\/p99_ttft_ms/ })).toHaveCount(2)
  await save(page, 'upload-light')
})

test('phone', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await explore(page)
  await expect(page.getByRole('listitem').first()).toBeVisible()
  await expect(page.getByTestId('plot')).toBeVisible()
  await save(page, 'explore-phone')
  await context.close()
})

// ---- Compare: figures with intervals and percentiles that hang together ----------------------------------------

const SPREADS: [string, number][] = [['mean', 1.15], ['median', 1], ['p1', 0.55], ['p5', 0.64], ['p10', 0.7], ['p25', 0.84], ['p50', 1], ['p75', 1.2], ['p90', 1.55], ['p95', 2], ['p99', 3.1], ['p99.9', 5.4]]
const SIDES = [
  { name: 'qwen72-h200-fp8-tp8-c64', gpu_name: 'NVIDIA H200', quantization: 'fp8', version: '0.32.0', ttft_ms: 108.6, tpot_ms: 18.3, output: 3424, start: 1 },
  { name: 'qwen72-h100-fp8-tp8-c64', gpu_name: 'NVIDIA H100 80GB HBM3', quantization: 'fp8', version: '0.31.2', ttft_ms: 175.9, tpot_ms: 29.5, output: 2128, start: 1.3 },
  { name: 'qwen72-b200-nvfp4-tp8-c64', gpu_name: 'NVIDIA B200', quantization: 'nvfp4', version: '0.32.0', ttft_ms: 101.9, tpot_ms: 10.8, output: 5824, start: 0.8 },
]

test.describe('compare', () => {
  const compared = useDashboard((store, own) => {
    const folder = mkdtempSync(join(store.folder, 'files-'))
    for (const [at, { ttft_ms, tpot_ms, output, version, start, ...values }] of SIDES.entries()) {
      const document = variant(read(own), { ...values, model: 'Qwen/Qwen2.5-72B-Instruct', tensor_parallel_size: 8, max_concurrency: 64, output_throughput: output, verdict: at === 1 ? 'degraded' : 'trusted' })
      const { results } = document
      const set = (key: string, value: number, share: number) => { results[key] = value; results[`${key}_ci95`] = share > 0.4 ? null : [value * (1 - share), value * (1 + 1.2 * share)] }
      for (const [family, middle] of Object.entries({ ttft_ms, tpot_ms, itl_ms: tpot_ms * 0.97, e2el_ms: ttft_ms + 255 * tpot_ms }))
        for (const [statistic, factor] of SPREADS) set(`${statistic}_${family}`, middle * (family === 'ttft_ms' ? factor : factor ** 0.5), factor > 5 ? 1 : factor > 3 ? 0.17 : factor > 1.9 ? 0.05 : 0.02)
      set('output_throughput', output, 0.01)
      document.environment.engine = { ...document.environment.engine, simulated: false, name: 'vllm', version }
      for (const [i, phase] of Object.keys(document.launch.phases).entries()) document.launch.phases[phase] = Math.round(start * (i + 1) ** 1.7 * 97) / 100
      write(folder, `${at}.json`, document)
    }
    store.import(folder)
  })

  for (const [name, colorScheme, viewport] of [['compare-light', 'light', { width: 1440, height: 900 }], ['compare-dark', 'dark', { width: 1440, height: 900 }], ['compare-phone', 'light', { width: 390, height: 844 }]] as const) {
    test(name, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${compared().url}/compare?side=1&side=2&side=3`)
      await expect(page.getByRole('region', { name: 'Quality', exact: true }).getByRole('row', { name: /^Verdict/ })).toBeVisible()
      await save(page, name)
      if (process.env['PROFLLM_WHOLE']) await page.screenshot({ path: join(OUT, `${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

// ---- Sweeps: one that runs, with all that can become of a cell, and some that are over --------------------------

const NIGHT = 'swp_20261102_213000_5c0de1'
const SEQS = [64, 128, 256, 512]
const AT_ONCE = [8, 16, 32, 64, 128, 256]
const MINUTE = 60_000

// where the night has come to: it went server by server, and one of them found no room
function statusOf(size: number, seqs: number, load: number) {
  if (load > seqs) return { status: 'falls_out', cause: 'load_above_max_num_seqs', message: 'max_concurrency is above max_num_seqs: requests would wait for the load alone' }
  if (size === 4 && seqs === 512) return { status: 'launch_failed', cause: 'out_of_memory', message: 'no available memory for the cache blocks' }
  if (size === 8 && (seqs === 512 || (seqs === 256 && load > 32))) return { status: 'missing' }
  return size === 8 && seqs === 64 && load === 64 ? { status: 'timeout', cause: 'run_timeout', message: 'the run took longer than 900 s' } : { status: 'completed' }
}

test.describe('sweeps', () => {
  const cells = [4, 8].flatMap((size) => SEQS.flatMap((seqs) => AT_ONCE.map((load) => ({ size, seqs, load, id: `${size}-${seqs}-${load}`, ...statusOf(size, seqs, load) }))))
  const labelOf = ({ size, seqs, load }: { size: number; seqs: number; load: number }) => `tensor_parallel_size=${size} max_num_seqs=${seqs} max_concurrency=${load}`
  const plan = (sweep: string, name: string, state: string, runs: typeof cells) => ({
    sweep, name, state, file: `${name}.yaml`, servers_started: new Set(runs.filter(({ status }) => status === 'completed').map(({ size, seqs }) => `${size} ${seqs}`)).size, experiment: { server: { model: MODELS[1] } }, left_out: [],
    runs: runs.map((cell) => ({
      run: cell.id, cell: cell.id, repeat: 1, server: `${cell.size}-${cell.seqs}`, set: null, label: labelOf(cell), point: { 'server.tensor_parallel_size': cell.size, 'server.max_num_seqs': cell.seqs, 'benchmark.max_concurrency': cell.load },
      status: cell.status === 'completed' ? 'missing' : cell.status, cause: cell.cause ?? null, message: cell.message ?? null, gone: false,
    })),
  })
  const swept = useDashboard((store, own) => {
    const folder = mkdtempSync(join(store.folder, 'files-'))
    const base = read(own)
    const put = (sweep: string, name: string, runs: typeof cells, simulated = -1) => {
      for (const [at, cell] of runs.filter(({ status }) => status === 'completed').entries()) {
        const { size, seqs, load } = cell
        const wave = 1 + 0.05 * Math.sin(at * 2.39)
        const document = variant(base, {
          name: labelOf(cell), model: MODELS[1] as string, gpu_name: 'NVIDIA H200', tensor_parallel_size: size, max_concurrency: load, output_throughput: 49 * size ** 0.8 * load ** 0.7 * (1 + seqs / 2600) * wave,
          verdict: at % 9 === 4 ? 'degraded' : 'trusted',
        })
        document.tags = { sweep, sweep_name: name, sweep_cell: cell.id, sweep_repeat: '1', sweep_point: labelOf(cell) }
        document.timestamp = new Date(Date.UTC(2026, 10, 2, 21, 34) + at * 5 * MINUTE).toISOString()
        document.duration = 214
        document.environment.engine = { ...document.environment.engine, simulated: at === simulated, name: at === simulated ? 'profllm-sim' : 'vllm', version: at === simulated ? '0.1.0' : '0.32.0' }
        write(folder, `${sweep}-${cell.id}.json`, document)
      }
    }
    put(NIGHT, 'qwen72-night', cells, 3)
    put('swp_20261101_201500_77aa10', 'fp8-or-not', cells.filter(({ size, seqs }) => size === 8 && seqs === 128))
    put('swp_20261030_190200_1b2c3d', 'loads', cells.filter(({ size, seqs }) => size === 4 && seqs === 256))
    store.import(folder)
  })
  const tell = async (page: Page) => {
    const over = cells.filter(({ size, seqs }) => size === 8 && seqs === 128)
    for (const told of [plan(NIGHT, 'qwen72-night', 'running', cells), plan('swp_20261101_201500_77aa10', 'fp8-or-not', 'ended', over)])
      await page.request.put(`${swept().url}/api/data/sweeps/${told.sweep}`, { data: told })
  }
  const LOOKS = [['light', 'light', { width: 1440, height: 900 }], ['dark', 'dark', { width: 1440, height: 900 }], ['phone', 'light', { width: 390, height: 844 }]] as const
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`sweeps ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await tell(page)
      await page.goto(`${swept().url}/sweeps`)
      await expect(page.getByRole('link', { name: 'qwen72-night' })).toBeVisible()
      if (process.env['PROFLLM_WHOLE']) await save(page, `sweep-list-${name}`)
      await page.goto(`${swept().url}/sweeps/${NIGHT}`)
      await page.locator('[data-cell="8-128-64"]').focus()
      await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText('tok/s')
      if (name !== 'phone' || process.env['PROFLLM_WHOLE']) await save(page, `sweeps-${name}`)
      if (process.env['PROFLLM_WHOLE']) await page.screenshot({ path: join(OUT, `sweeps-${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})
