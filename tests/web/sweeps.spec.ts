// Sweeps: a real one that fills its map, a large one, and failed runs.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, soundness, test, useDashboard } from './fixtures'
import { type Document, program, read, variant } from './results'

const dashboard = useDashboard()
const ID = 'swp_20261101_000000_0a1b2c'

interface Planned {
  seqs: number
  load: number
  status?: string
  cause?: string
  message?: string
}

const planned = ({ seqs, load, status = 'missing', cause, message }: Planned) => ({
  run: `${seqs}x${load}`,
  combination: `${seqs}x${load}`,
  repeat: 1,
  server: `s${seqs}`,
  set: null,
  label: `max_num_seqs=${seqs} max_concurrency=${load}`,
  parameters: { 'server.max_num_seqs': seqs, 'benchmark.max_concurrency': load },
  status,
  cause: cause ?? null,
  message: message ?? null,
  removed: false,
})
const planOf = (id: string, runs: Planned[], state = 'running') => ({
  sweep: id,
  name: 'night',
  state,
  file: 'night.yaml',
  servers_started: 2,
  experiment: { server: { model: 'sim/test' } },
  excluded: [],
  runs: runs.map(planned),
})

// A result of one cell of the sweep, with its own metric value.
function resultOf(base: Document, id: string, seqs: number, load: number, output: number): Document {
  const document = variant(base, { name: `night ${seqs} ${load}`, output_throughput: output })
  document.tags = {
    sweep: id,
    sweep_name: 'night',
    sweep_cell: `${seqs}x${load}`,
    sweep_repeat: '1',
    sweep_point: `max_num_seqs=${seqs} max_concurrency=${load}`,
  }
  return document
}

test('a running sweep fills its map, a failed run links to its cause, and the missing runs download as a valid file', async ({
  page,
  folder,
}) => {
  const out = mkdtempSync(join(folder, 'sweep-'))
  const [gate, repaired, config, serve] = ['gate', 'repaired', 'sweep.yaml', 'serve'].map((name) =>
    join(out, name),
  ) as [string, string, string, string]
  // the second server waits for the test; the third one does not start before the test repairs it
  writeFileSync(
    serve,
    `#!/bin/sh\ncase "$*" in *'max-num-seqs 3'*) while [ ! -e ${gate} ]; do sleep 0.05; done;; *'max-num-seqs 4'*) [ -e ${repaired} ] || exit 3;; esac\nexec ${program('profllm-sim')} "$@"\n`,
    { mode: 0o755 },
  )
  writeFileSync(
    config,
    JSON.stringify({
      name: 'cell by cell',
      server: { model: 'sim/test', max_model_len: 2048 },
      output: { requests: false, series: false },
      telemetry: { server_metrics: null },
      launch: { command: [serve, 'serve'], extra_args: ['--sim-step', '2ms'], gpus: [] },
      benchmark: {
        backend: 'openai',
        dataset_name: 'random',
        random_input_len: 16,
        random_output_len: 4,
        num_prompts: 4,
      },
      sweep: { 'server.max_num_seqs': [2, 3, 4], 'benchmark.max_concurrency': [1, 2] },
    }),
  )
  const over = new Promise<number>((resolve) =>
    execFile(program('profllm'), ['sweep', 'run', config, '-o', join(out, 's'), '--upload', dashboard().url], (error) =>
      resolve(Number(error?.code ?? 0)),
    ),
  )
  await page.goto(`${dashboard().url}/sweeps`)
  await page
    .getByRole('row', { name: /cell by cell/ })
    .getByRole('link')
    .click()
  const map = page.getByRole('region', { name: 'Map' })
  const status = page.getByRole('region', { name: 'Progress' }).getByRole('status')
  await expect(map.getByRole('link', { name: /^max_num_seqs 2, max_concurrency 2: [\d,.]+ tok\/s/ })).toBeVisible()
  await expect(map.getByRole('link', { name: 'max_num_seqs 3, max_concurrency 1: running' })).toHaveText('running')
  await expect(map.getByRole('link', { name: 'max_num_seqs 3, max_concurrency 2: queued' })).toHaveText('queued')
  await expect(page.getByText('2 servers started')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Failed and skipped' })).toHaveCount(0)
  await expect(status).toContainText('2 of 6 runs finished')
  await expect(status).toContainText('running')
  writeFileSync(gate, '')
  // the map fills without user input
  await expect(map.getByRole('link', { name: /^max_num_seqs 3, max_concurrency 2: [\d,.]+ tok\/s/ })).toBeVisible()
  await expect(map.getByRole('link', { name: /^max_num_seqs 4, max_concurrency 1: failed, / })).toHaveText('failed')
  expect(await over).toBe(1)
  await expect(status).toContainText('6 of 6 runs finished')
  await expect(status).not.toContainText('sweep')
  // one run has no result: its line shows the cause
  await map.getByRole('link', { name: /^max_num_seqs 4, max_concurrency 2: failed, / }).click()
  await expect(page.getByRole('row', { name: /^max_num_seqs=4 max_concurrency=2 launch failed/ })).toBeFocused()
  await map.getByRole('link', { name: /^max_num_seqs 4, max_concurrency 1: failed, / }).click()
  await expect(page.getByRole('region', { name: 'Failure' })).toContainText('3')
  // and back from the experiment to its sweep
  await page.getByRole('link', { name: 'cell by cell' }).click()
  const saved = page.waitForEvent('download')
  await map.getByRole('link', { name: 'Download experiment file to retry the 2 failed runs' }).click()
  const file = join(out, 'left.yaml')
  await (await saved).saveAs(file)
  writeFileSync(repaired, '')
  expect(
    await new Promise((resolve) =>
      execFile(program('profllm'), ['sweep', 'run', file, '-o', join(out, 't')], (error) => resolve(error?.code ?? 0)),
    ),
  ).toBe(0)
  expect(read(join(out, 't', 'summary.json')).runs.map((run: Document) => [run.label, run.status])).toEqual([
    ['max_num_seqs=4 max_concurrency=1', 'completed'],
    ['max_num_seqs=4 max_concurrency=2', 'completed'],
  ])
  expect(existsSync(join(out, 't', 'summary.csv'))).toBe(true)
  await page.getByRole('link', { name: 'Explore experiments' }).click()
  await expect(page.getByRole('grid', { name: 'Active filters' }).getByRole('row', { name: /Sweep/ })).toBeVisible()
})

test('2,000 cells are rendered and can be reached by keys', async ({ page, own, request }) => {
  const base = read(own)
  const seqs = Array.from({ length: 50 }, (_, i) => 16 + i)
  const loads = Array.from({ length: 40 }, (_, i) => 1 + i)
  const runs: Planned[] = seqs.flatMap((one) =>
    loads.map((load) =>
      one === 20 && load < 3
        ? { seqs: one, load, status: 'launch_failed', cause: 'out_of_memory', message: 'no room for the cache' }
        : {
            seqs: one,
            load,
            ...(load > one
              ? { status: 'skipped', cause: 'seqs_below_load', message: 'max_num_seqs is below the load' }
              : {}),
          },
    ),
  )
  expect((await request.put(`${dashboard().url}/api/data/sweeps/${ID}`, { data: planOf(ID, runs) })).status()).toBe(204)
  const results = [16, 17, 18].flatMap((one) =>
    [1, 2, 3, 4].map((load) => resultOf(base, ID, one, load, 100 * load + one)),
  )
  const job = await (await request.post(`${dashboard().url}/api/upload/batch`, { data: results })).json()
  await expect.poll(async () => (await (await request.get(dashboard().url + job.status_url)).json()).state).toBe('done')

  await page.goto(`${dashboard().url}/sweeps/${ID}`)
  const cells = page.locator('[data-cell]')
  await expect(cells).toHaveCount(2000)
  await expect(page.locator('[data-cell][data-kind="failed"]')).toHaveCount(2)
  await expect(page.locator('[data-cell][data-kind="done"]')).toHaveCount(12)
  await expect(page.locator('[data-cell][data-kind="queued"]')).toHaveCount(
    runs.filter(({ status = 'missing' }) => status === 'missing').length - 12,
  )
  // one cell is a tab stop; arrows, Home and End reach all
  await expect(page.locator('[data-cell][tabindex="0"]')).toHaveCount(1)
  await cells.first().focus()
  const reading = page.getByRole('complementary', { name: 'Reading' })
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await expect(reading).toContainText('217')
  await expect(reading).toContainText('max_concurrency2')
  await page.keyboard.press('End')
  await expect(page.locator(':focus')).toHaveAttribute('aria-label', 'max_num_seqs 65, max_concurrency 40: queued')
  await page.keyboard.press('Home')
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
  await expect(reading).toContainText('no room for the cache')
  await page.keyboard.press('Enter')
  await expect(
    page.getByRole('row', { name: /^max_num_seqs=20 max_concurrency=1 launch failed out of memory/ }),
  ).toBeFocused()
  // with swapped axes and another metric, which the address holds
  await page.getByLabel('Columns').selectOption('server.max_num_seqs')
  await page.getByLabel('Color').selectOption('results.median_ttft_ms')
  await expect(page).toHaveURL(/x=server\.max_num_seqs&y=benchmark\.max_concurrency&metric=results\.median_ttft_ms/)
  await expect(page.getByRole('columnheader', { name: '65', exact: true })).toBeVisible()
  await expect(cells).toHaveCount(2000)
  expect(await soundness(page)).toEqual([])
})

test('a sweep without a plan has a map of its results; a missing sweep is reported', async ({
  page,
  own,
  request,
  complaints,
}) => {
  complaints.allow.push(/404/)
  const id = 'swp_20251101_000000_ffffff'
  const base = read(own)
  await request.post(`${dashboard().url}/api/upload/batch`, {
    data: [2, 3].map((seqs) => resultOf(base, id, seqs, 1, 100 * seqs)),
  })
  await page.goto(`${dashboard().url}/sweeps`)
  await page
    .getByRole('row', { name: /2025-11-01 00:00/ })
    .getByRole('link')
    .click()
  await expect(page.locator('[data-cell]')).toHaveText(['200', '300'])
  await expect(page.getByText('The plan of this sweep was not uploaded')).toBeVisible()
  // a wide window shows the whole map, and on a phone the page does not scroll sideways
  expect(
    await page
      .getByRole('table', { name: /max_num_seqs/ })
      .locator('..')
      .evaluate((box) => box.scrollWidth - box.clientWidth),
  ).toBe(0)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await soundness(page)).toEqual([])
  await page.goto(`${dashboard().url}/sweeps/swp_none`)
  await expect(page.getByText('No sweep has this id.')).toBeVisible()
})

test('curves have a line per configuration and a ring at the best one; the address has the limit and axes', async ({
  page,
  own,
  request,
}) => {
  const id = 'swp_20261102_000000_0c1c2c'
  const base = read(own)
  const loads = [4, 16, 64]
  const runs: Planned[] = [2, 8].flatMap((seqs) => loads.map((load) => ({ seqs, load })))
  await request.put(`${dashboard().url}/api/data/sweeps/${id}`, {
    data: planOf(id, [...runs, { seqs: 1, load: 4, status: 'skipped', cause: 'seqs_below_load' }], 'ended'),
  })
  const results = runs
    .map(({ seqs, load }) => ({
      document: resultOf(base, id, seqs, load, 10 * load + seqs),
      ttft: load * 10 + (seqs === 8 ? 20 : 0),
    }))
    .map(({ document, ttft }) => ({
      ...document,
      results: { ...document.results, p99_ttft_ms: ttft },
      quality: { ...document.quality, verdict: 'trusted' },
    }))
  const job = await (await request.post(`${dashboard().url}/api/upload/batch`, { data: results })).json()
  await expect.poll(async () => (await (await request.get(dashboard().url + job.status_url)).json()).state).toBe('done')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${dashboard().url}/sweeps/${id}?cy=results.output_throughput`)
  const curves = page.getByRole('region', { name: 'Curves' })
  const points = curves.locator('[data-point]')
  await expect(points).toHaveCount(6)
  // 7 : 6, side by side
  const boxes = await Promise.all([page.getByRole('region', { name: 'Map' }), curves].map((one) => one.boundingBox()))
  expect((boxes[0]?.width ?? 0) / (boxes[1]?.width ?? 1)).toBeCloseTo(7 / 6, 1)
  expect(boxes[1]?.y).toBe(boxes[0]?.y)
  // 500 ms: only up to a load of 16; the larger throughput is of max_num_seqs 8
  await expect(curves.locator('[data-best]')).toHaveAttribute(
    'aria-label',
    /^max_num_seqs 8, max_concurrency 16: P99 TTFT 180.*best within the limit$/,
  )
  await expect(page.locator('[data-cell][data-best]')).toHaveText('168')
  await expect(curves.getByRole('status')).toContainText(' with P99 TTFT ≤ 500 ms: max_num_seqs 8, max_concurrency 16')
  const limit = curves.getByLabel(/^Limit of P99 TTFT/)
  await limit.fill('0.65 s')
  await limit.press('Enter')
  await expect(page).toHaveURL(/limit=650/)
  await expect(curves.locator('[data-best]')).toHaveAttribute('aria-label', /^max_num_seqs 2, max_concurrency 64/)
  // one Tab stop; arrows walk the line, and to the next one; the reading follows
  await expect(curves.locator('[data-point][tabindex="0"]')).toHaveCount(1)
  await points.first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowDown')
  await expect(page.locator(':focus')).toHaveAttribute('aria-label', /^max_num_seqs 8, max_concurrency 64/)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText('168')
  await curves.getByRole('button', { name: 'Show table' }).click()
  await expect(curves.getByRole('row', { name: /max_num_seqs 2 64 640/ })).toContainText('best')
  await curves.getByRole('button', { name: 'Show curves' }).click()
  // the map is colored by the y axis, also by an automatic one, until another metric is chosen
  const color = page.getByLabel('Color')
  await expect(color).toHaveValue('results.output_throughput')
  await expect(page.getByText(/^best Output with P99 TTFT ≤ 650 ms$/)).toBeVisible()
  await page.getByLabel('y axis').selectOption('derived.output_throughput_per_gpu')
  await expect(color).toHaveValue('derived.output_throughput_per_gpu')
  await page.getByLabel('y axis').selectOption('results.output_throughput')
  await color.selectOption('results.p99_ttft_ms')
  await expect(page.getByText('best Output with P99 TTFT ≤ 650 ms; the cells show P99 TTFT')).toBeVisible()
  await color.selectOption('results.output_throughput')
  // a skipped combination has its cause, and color and shape are those of the map
  await expect(page.getByRole('region', { name: 'Failed and skipped', exact: true })).toContainText('1 skipped')
  const fill = (of: import('@playwright/test').Locator) => of.evaluate((path) => getComputedStyle(path).fill)
  expect(await fill(curves.locator('[data-best] > path'))).toBe(
    await fill(page.getByRole('rowheader', { name: '2', exact: true }).locator('path')),
  )
  expect(await soundness(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await soundness(page)).toEqual([])
})
