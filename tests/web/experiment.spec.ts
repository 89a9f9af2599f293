// Experiment shows the content of a file: no metric under two names, no dashes for metrics that were not measured.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { expect, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  const plain = variant(base, { name: 'plain' })
  plain.results.completed = plain.results.completed_requests = 20
  plain.results.failed = plain.results.failed_requests = 0
  for (const [key, value] of Object.entries(plain.results)) {
    const twin = key.replace('first_token_ms', 'ttft_ms')
    if (twin !== key && /^(mean|median|std|p\d)/.test(key) && twin in plain.results)
      plain.results[key] = plain.results[twin]
    if (/_token_gap_ms$/.test(key) && typeof value === 'number') plain.results[key] = value + 1
  }
  plain.results.mean_ttft_ms_ci95 = [plain.results.mean_ttft_ms * 0.5, plain.results.mean_ttft_ms * 1.1]
  write(folder, '1.json', plain)
  const failed = variant(base, { name: 'failed' })
  failed.status = 'launch_failed'
  failed.error = {
    stage: 'launch',
    code: 'LAUNCH',
    cause: 'kv_cache_too_small',
    message: 'the server ended with status 1 before it was ready',
    hint: 'lower max_model_len',
    log_line: 'ValueError: KV cache memory is needed',
    log_tail: null,
  }
  failed.results = null
  failed.quality = {
    ...failed.quality,
    verdict: null,
    checks: failed.quality.checks.map((check: object) => ({ ...check, status: 'unknown', value: null })),
  }
  for (const key of Object.keys(failed.launch.phases))
    failed.launch.phases[key] = { spawn_s: 0.1, first_line_s: 4.25, weights_begin_s: 9.5 }[key] ?? null
  write(folder, '2.json', failed)
  write(folder, '3.json', {
    date: '20260427-124644',
    backend: 'vllm',
    model_id: 'org/model',
    num_prompts: 20,
    duration: 10,
    completed: 20,
    total_input_tokens: 100,
    total_output_tokens: 2000,
    request_throughput: 2,
    output_throughput: 200,
    median_ttft_ms: 20,
    p99_ttft_ms: 30,
    mean_ttft_ms: 21,
  })
  store.import(folder)
})

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const open = async (page: Page, id: number) => {
  await page.goto(`${dashboard().url}/experiments/${id}`)
  await expect(part(page, 'Parameters')).toBeVisible()
}

test('equal latencies share one line; differing ones have a definition each', async ({ page }) => {
  await open(page, 1)
  const metrics = part(page, 'Metrics')
  await expect(metrics.getByRole('row', { name: /^First Token/ })).toHaveText(
    'First Tokensame as Time to First Token in this run',
  )
  await expect(metrics.getByRole('row', { name: /^Token Gap/ })).toContainText('gaps between tokens')
  await expect(metrics.getByRole('row', { name: /^Inter-token Latency/ })).toContainText('gaps between chunks')
  // an interval that leaves its axis is marked
  await expect(metrics.getByRole('row', { name: /^mean/ }).first().locator('[data-cut]')).toHaveCount(1)
  for (const name of [/^Completed/, /^Failed(?! share)/])
    await expect(metrics.getByRole('rowheader', { name })).toHaveCount(1)
  await expect(metrics).not.toContainText('unset')
  await expect(page.locator('dl[aria-label^="Key metrics"]')).not.toContainText(/unset|–$/)
})

test('the numbers of a simulated run are fainter than its words', async ({ page }) => {
  await open(page, 1)
  const colours = (locator: string) =>
    page.locator(locator).evaluateAll((all) => [...new Set(all.map((one) => getComputedStyle(one).color))])
  const [faint] = await colours('section[aria-label="Metrics"] td.dim')
  expect(await colours('dl[aria-label^="Key metrics"] dd > span:first-child')).toEqual([faint])
  expect(await colours('section[aria-label="Metrics"] tbody tr:nth-child(2) td:nth-child(2)')).toEqual([faint])
  expect(await colours('section[aria-label="Metrics"] tbody tr:nth-child(2) th')).not.toEqual([faint])
})

test('the titles of two blocks are on one line, and on a phone the contents align with the title', async ({ page }) => {
  await open(page, 1)
  const base = (name: string) =>
    page.locator(`section[aria-label="${name}"] h2`).evaluate((title) => Math.round(title.getBoundingClientRect().top))
  expect(await base('Parameters')).toBe(await base('Metrics'))
  const head = (name: string) =>
    page.locator(`section[aria-label="${name}"] thead`).evaluate((row) => Math.round(row.getBoundingClientRect().top))
  expect(await head('Parameters')).toBe(await head('Metrics'))
  await page.setViewportSize({ width: 390, height: 844 })
  const left = (locator: string) =>
    page
      .locator(locator)
      .first()
      .evaluate((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        return Math.round(range.getBoundingClientRect().left)
      })
  expect(await left('nav[aria-label="On this page"] a')).toBe(await left('h1'))
})

test('the outline of a loading experiment fits a phone, and its title has the final position', async ({ page }) => {
  await page.route('**/api/data/experiments/1', () => {})
  await page.goto(`${dashboard().url}/experiments/1`)
  const outline = page.getByRole('status', { name: 'Loading the experiment' })
  await expect(outline).toBeVisible()
  const left = () => page.locator('h1').evaluate((title) => title.getBoundingClientRect().left)
  const before = await left()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(
    await outline.locator('i').evaluateAll((all) => Math.max(...all.map((bone) => bone.getBoundingClientRect().right))),
  ).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await open(page, 1)
  expect(await left()).toBe(before)
})

test('a failed launch shows its cause, remedy, log line and phases, and no empty section', async ({ page }) => {
  await open(page, 2)
  const failure = part(page, 'Failure')
  await expect(failure).toContainText('Did not start: KV cache too small')
  await expect(failure).toContainText('Next step Lower max_model_len')
  await expect(failure).toContainText('ValueError: KV cache memory is needed')
  await expect(failure).toContainText(/process started 0\.1 sfirst log line 4\.3 s.*not reached, beginning with “.*/)
  await expect(part(page, 'Metrics')).toHaveCount(0)
  await expect(page.locator('dl[aria-label^="Key metrics"]')).toHaveCount(0)
  await expect(page.getByRole('main').getByRole('img', { name: 'not recorded' })).toHaveCount(0)
  await expect(part(page, 'Quality checks').getByRole('table')).toHaveCount(0)
  await expect(part(page, 'Quality checks').getByRole('button', { name: /^Show \d+ unknown checks$/ })).toBeVisible()
  await expect(
    page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Metrics' }),
  ).toHaveCount(0)
  // no text overlaps another
  const clash = await page.evaluate(
    () =>
      [...document.querySelectorAll('main section[aria-label="Failure"] > *, main h2')].filter(
        (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline',
      ).length,
  )
  expect(clash).toBe(0)
  expect(await soundness(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test('a file without verdict, system and intervals shows no columns and no sections for them', async ({ page }) => {
  await open(page, 3)
  await expect(part(page, 'Metrics').locator('thead th')).toHaveText(['Metric', 'Value', 'Unit'])
  // the file does not record which values are explicit
  await expect(part(page, 'Parameters').getByText(/explicit/)).toHaveCount(0)
  await expect(page.locator('dl[aria-label^="Key metrics"] dt')).toHaveText([
    'Output throughput',
    'Request throughput',
    'Median TTFT',
    'P99 TTFT',
  ])
  await expect(page.getByRole('main').getByRole('img', { name: 'not recorded' })).toHaveCount(0)
  // what a file says about itself can be checked: its sums, its order of percentiles, its lists
  await expect(part(page, 'Quality checks').getByRole('row')).toHaveCount(5)
  await expect(part(page, 'Artifacts')).toHaveCount(0)
})
