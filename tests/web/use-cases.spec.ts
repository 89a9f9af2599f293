// The nine pages of docs/use-cases, played on the results of the simulator that are in the tree. Every number that is
// read from the page is counted from the result files without ProfLLM.
import type { Locator, Page } from '@playwright/test'

import { expect, test, useDashboard } from './fixtures'
import { ADDRESSES, gpusOf, mean, median, PACKED, perGpu, runsOf, SCALING } from './use-cases'

// one worker, one dashboard
test.describe.configure({ mode: 'default' })

const dashboard = useDashboard((store) => store.import(PACKED))

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const open = (page: Page, name: keyof typeof ADDRESSES) => page.goto(dashboard().url + ADDRESSES[name])
const number = (text: string | undefined) => Number((text ?? '').replace('−', '-').replace(/[^-\d.]/g, ''))

// A number with four digits on the page.
function expectNear(shown: string | undefined, value: number, message?: string) {
  expect(Math.abs(number(shown) / value - 1), `${message ?? ''} ${shown} is ${value}`).toBeLessThan(2e-3)
}

async function addLimit(page: Page, words: string, name: RegExp, value: string) {
  await region(page, 'Limits').getByRole('button', { name: /add/ }).click()
  await page.getByRole('dialog', { name: 'Add a limit' }).getByRole('combobox').fill(words)
  await page.getByRole('option', { name }).first().click()
  const typed = region(page, 'Limits').getByRole('textbox')
  await typed.fill(value)
  await typed.press('Enter')
}

const cellsOf = (row: Locator) => row.getByRole('cell').allInnerTexts()

test('model comparison: output per GPU of each model and load, and their difference', async ({ page }) => {
  await open(page, 'models')
  await expect(region(page, 'Frontiers table').getByRole('row')).toHaveCount(1 + 2)
  await page.keyboard.press('t')
  const table = region(page, 'Configurations table')
  const runs = runsOf('models', ({ model }, { max_concurrency }) => [
    model.replace('meta-llama/', ''),
    '·',
    `c${max_concurrency}`,
  ])
  await expect(table.getByRole('row')).toHaveCount(1 + runs.size)
  for (const [name, of] of runs) {
    const [, count, , , output] = await cellsOf(table.getByRole('row', { name: new RegExp(`^${name} `) }))
    expect(Number(count)).toBe(of.length)
    expectNear(output, mean(of.map(perGpu)), name)
  }
  // both models under the same load
  for (const name of ['Meta-Llama-3-70B · c16', 'Meta-Llama-3-8B · c16']) {
    await table.getByRole('button', { name: `Details of ${name}` }).click()
    await region(page, 'Configuration')
      .getByRole('button', { name: /^Pin to compare/ })
      .click()
  }
  await page.keyboard.press('v')
  const [large, small] = ['Meta-Llama-3-70B · c16', 'Meta-Llama-3-8B · c16'].map((name) =>
    mean((runs.get(name) ?? []).map(perGpu)),
  )
  const row = region(page, 'Metrics').getByRole('row', { name: /^Output throughput per GPU/ })
  await expect(row).toContainText(`+${(((small ?? 0) / (large ?? 1) - 1) * 100).toFixed(1)} %`)
  await expect(region(page, 'Cautions')).toContainText('model')
})

test('configuration optimization: the configurations within a limit, and the best of them', async ({ page }) => {
  await open(page, 'configuration')
  await addLimit(page, 'p99 ttft', /^P99 TTFT/, '700 ms')
  const runs = [...runsOf('configuration', (s) => [s.max_num_seqs, s.max_num_batched_tokens, s.block_size])]
  const within = runs.filter(([, of]) => mean(of.map(({ results }) => results.p99_ttft_ms)) <= 700)
  expect(within.length).toBeGreaterThan(0)
  expect(within.length).toBeLessThan(runs.length)
  await expect(region(page, 'Limits').getByRole('status')).toHaveText(
    `${within.length} of ${runs.length} configurations keep all limits.`,
  )
  const card = region(page, 'Configuration')
  await expect(card).toContainText('Best within all limits')
  const best = Math.max(...within.map(([, of]) => mean(of.map(perGpu))))
  const shown = await card.getByRole('button', { name: /Output throughput per GPU: definition/ }).innerText()
  expectNear(shown, best)
  await expect(card.getByRole('region', { name: 'Server command' })).toContainText('--max-num-seqs')

  // which input matters: pairs that differ in it alone
  await page.goto(dashboard().url + ADDRESSES.configuration)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Impact' }).click()
  const outputOf = (key: string) =>
    mean((runs.find(([one]) => one === key)?.[1] ?? []).map(({ results }) => results.output_throughput))
  const rests = ['512 16', '512 32', '8192 16', '8192 32']
  const ratio = Math.exp(mean(rests.map((rest) => Math.log(outputOf(`24 ${rest}`) / outputOf(`6 ${rest}`)))))
  const effect = (name: string) =>
    page.getByRole('table', { name: 'Effects' }).getByRole('row').filter({ hasText: name })
  await expect(effect('Max num seqs')).toContainText(`×${ratio.toFixed(2)}`)
  await expect(effect('Block size')).toContainText('none')
})

test('scaling: the throughput of each number of GPUs and load', async ({ page }) => {
  await open(page, 'scaling')
  await page.getByRole('button', { name: 'Show as a table' }).click()
  const rows = region(page, 'Chart').getByRole('row')
  const runs = runsOf('scaling', (s, b) => [s.tensor_parallel_size, b.max_concurrency])
  await expect(rows).toHaveCount(1 + runs.size)
  for (const row of (await rows.all()).slice(1)) {
    const cells = (await row.innerText()).split('\t')
    const of = runs.get(`${cells[0]} ${cells[1]}`) ?? []
    expect(Number(cells[2])).toBe(of.length)
    expectNear(cells[8], mean(of.map(({ results }) => results.output_throughput)), cells.slice(0, 2).join(' '))
  }
  // the page Scaling has the speed-up and the efficiency over one GPU
  await page.goto(dashboard().url + SCALING)
  const sizes = region(page, 'Sizes table').getByRole('row')
  await expect(sizes).toHaveCount(1 + runs.size)
  for (const row of (await sizes.all()).slice(1)) {
    const load = /Concur\. (\d+)/.exec(await row.getByRole('rowheader').innerText())?.[1]
    const [size, , , , , speedup, efficiency] = await cellsOf(row)
    const meanOf = (n: string | undefined) =>
      mean((runs.get(`${n} ${load}`) ?? []).map(({ results }) => results.output_throughput))
    const ratio = meanOf(size?.trim()) / meanOf('1')
    expect(Math.abs(number(speedup) - ratio), `speed-up of ${size} at ${load}`).toBeLessThan(0.0051)
    expect(Math.abs(number(efficiency) - (100 * ratio) / Number(size)), `efficiency of ${size}`).toBeLessThan(0.51)
  }
})

test('memory: the latency by the memory of the KV cache, with and without the prefix cache', async ({ page }) => {
  await open(page, 'memory')
  await page.getByRole('button', { name: 'Show as a table' }).click()
  const rows = region(page, 'Chart').getByRole('row')
  const runs = runsOf('memory', (s) => [s.gpu_memory_utilization, s.enable_prefix_caching])
  await expect(rows).toHaveCount(1 + runs.size)
  for (const row of (await rows.all()).slice(1)) {
    const cells = (await row.innerText()).split('\t')
    const of = runs.get(`${cells[0]} ${cells[1]}`) ?? []
    expectNear(cells[8], mean(of.map(({ results }) => results.p99_ttft_ms)), cells.slice(0, 2).join(' '))
  }
})

test('precision: two number formats compared with bfloat16', async ({ page }) => {
  await open(page, 'precision')
  for (const name of ['KV auto', 'fp8 · KV auto', 'fp8 · KV fp8']) {
    await page.getByRole('button', { name: `Details of ${name}`, exact: true }).click()
    await region(page, 'Configuration')
      .getByRole('button', { name: /^Pin to compare/ })
      .click()
  }
  await page.keyboard.press('v')
  await expect(
    region(page, 'Differing inputs')
      .getByRole('row', { name: /^Quantization/ })
      .getByRole('cell'),
  ).toHaveText(['unset', 'fp8', /fp8/])
  const runs = runsOf('precision', (s, b) => [s.quantization ?? 'none', s.kv_cache_dtype, b.max_concurrency])
  const outputOf = (key: string) => mean((runs.get(key) ?? []).map(({ results }) => results.output_throughput))
  const row = region(page, 'Metrics').getByRole('row', { name: /^Output throughput tok/ })
  for (const key of ['fp8 auto 64', 'fp8 fp8 64']) {
    const change = (outputOf(key) / outputOf('none auto 64') - 1) * 100
    await expect(row).toContainText(`+${change.toFixed(1)} %`)
  }
})

test('regression: the release in which the latency grew, and by how much', async ({ page }) => {
  await open(page, 'regression')
  const verdicts = page.getByRole('complementary', { name: 'Verdicts' })
  await page.getByRole('combobox', { name: 'Order' }).selectOption({ label: 'by tags.release' })
  await expect(verdicts).toContainText('tags.release 2026.10 → 2026.11')
  const entry = verdicts.getByRole('link', { name: /regression.*Median TTFT/ })
  await entry.click()
  const runs = runsOf('regression', (_s, _b, { tags }) => [tags.release])
  const [before, after] = ['2026.10', '2026.11'].map((release) =>
    median((runs.get(release) ?? []).map(({ results }) => results.median_ttft_ms)),
  )
  const main = page.getByRole('main')
  await expect(main).toContainText(`median ${before?.toFixed(2)} before, ${after?.toFixed(2)} after`)
  const change = number(/[+−][\d.]+(?= %)/.exec(await entry.innerText())?.[0])
  expect(Math.abs(change - ((after ?? 0) / (before ?? 1) - 1) * 100)).toBeLessThan(1)
  await expect(region(page, 'Reasons')).toContainText(`From run ${(runs.get('2026.10') ?? []).length + 1} on`)
})

test('utilization: the rate at which requests wait in the queue', async ({ page }) => {
  await open(page, 'utilization')
  await page.getByRole('button', { name: 'Show as a table' }).click()
  const rows = region(page, 'Chart').getByRole('row')
  const runs = runsOf('utilization', (_s, b) => [b.request_rate])
  await expect(rows).toHaveCount(1 + runs.size)
  const waits: number[] = []
  for (const row of (await rows.all()).slice(1)) {
    const cells = (await row.innerText()).split('\t')
    const of = [...runs].find(([rate]) => Number(rate) === number(cells[0]))?.[1] ?? []
    const wait = mean(of.map(({ results }) => results.latency_breakdown.ttft.queue_high_ms))
    expectNear(cells[7], wait, cells[0])
    waits.push(wait)
  }
  // the server has room for 16 requests at once
  expect(waits[3]).toBeGreaterThan(10 * (waits[2] ?? Infinity))
})

test('configuration validation: a candidate and what runs, as two groups', async ({ page }) => {
  await open(page, 'validation')
  for (const role of ['running', 'candidate']) {
    await page.goto(`${dashboard().url}${ADDRESSES.validation}&benchmark.max_concurrency=32&tags.role=${role}`)
    await page.getByRole('button', { name: new RegExp(`^Pin as a group.*${role}`) }).click()
  }
  await page.keyboard.press('v')
  await expect(
    region(page, 'Differing inputs')
      .getByRole('row', { name: /^Max num seqs/ })
      .getByRole('cell'),
  ).toHaveText(['16', '32'])
  const runs = runsOf('validation', (_s, b, { tags }) => [tags.role, b.max_concurrency])
  const p99Of = (role: string) => mean((runs.get(`${role} 32`) ?? []).map(({ results }) => results.p99_ttft_ms))
  const row = region(page, 'Metrics').getByRole('row', { name: /^P99 TTFT/ })
  const change = (p99Of('candidate') / p99Of('running') - 1) * 100
  await expect(row).toContainText(`${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`)

  // the limits of the service
  await page.goto(`${dashboard().url}/pareto?run.suite=use-case-validation&group=tags.role`)
  await addLimit(page, 'p99 ttft', /^P99 TTFT/, '600 ms')
  const kept = [...runsOf('validation', (_s, b, { tags }) => [tags.role, b.max_concurrency])].filter(
    ([, of]) => mean(of.map(({ results }) => results.p99_ttft_ms)) <= 600,
  )
  expect(kept.map(([key]) => key).toSorted()).toEqual(['candidate 32', 'candidate 8', 'running 8'])
  await expect(region(page, 'Limits').getByRole('status')).toHaveText('3 of 4 configurations keep all limits.')
})

test('capacity planning: the GPUs for a load within a limit, with a margin', async ({ page }) => {
  await open(page, 'capacity')
  await addLimit(page, 'p99 ttft', /^P99 TTFT/, '400 ms')
  const capacity = region(page, 'Capacity')
  const load = capacity.getByRole('textbox', { name: 'Load to serve in req/s' })
  await load.fill('500')
  await load.press('Enter')
  const runs = [...runsOf('capacity', (s, b) => [`TP ${s.tensor_parallel_size} · c${b.max_concurrency}`])]
  const needs = runs
    .filter(([, of]) => mean(of.map(({ results }) => results.p99_ttft_ms)) <= 400)
    .map(([name, of]) => {
      const rate = mean(of.map(({ results }) => results.request_throughput))
      const servers = Math.ceil((500 * 1.2) / rate)
      return { name, rate, servers, gpus: servers * gpusOf(of[0]) }
    })
    .toSorted((a, b) => a.gpus - b.gpus)
  const rows = region(page, 'Capacity table').getByRole('row')
  await expect(rows).toHaveCount(1 + needs.length)
  for (const { name, rate, servers, gpus } of needs) {
    const cells = await cellsOf(rows.filter({ has: page.getByRole('button', { name, exact: true }) }))
    expectNear(cells[1], rate, name)
    expect([number(cells[4]), number(cells[5]?.split('\n')[0])]).toEqual([servers, gpus])
  }
  await expect(capacity.getByRole('status')).toContainText(`need ${needs[0]?.gpus} GPUs`)
})
