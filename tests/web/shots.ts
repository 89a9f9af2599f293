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
