// Impact: how much each input changes a metric. Results with known effects are read, opened, compared and saved, with
// the keyboard alone where a user would.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { effects } from './effects'
import { expect, soundness, test, useDashboard } from './fixtures'
import { read, write } from './results'

const dashboard = useDashboard((store, own) => {
  const files = mkdtempSync(join(store.folder, 'files-'))
  for (const [at, document] of effects(read(own)).entries()) write(files, `${at}.json`, document)
  store.import(files)
})

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const effect = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Effects' }).getByRole('row').filter({ hasText: name })

async function open(page: Page, query = '') {
  await page.goto(`${dashboard().url}/impact?${query}`)
  await expect(page.getByRole('table', { name: 'Effects' }).or(region(page, 'Effects table'))).toBeVisible()
  await expect(region(page, 'Chart')).not.toHaveAttribute('aria-busy', 'true')
}

test('effects with intervals, findings and definitions, and what cannot be told apart', async ({ page }) => {
  await open(page)
  await expect(page).toHaveTitle('Impact · ProfLLM')
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Impact' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  // fp8 gives 12 %, and 20 % with two GPUs; both halves are in the median
  await expect(effect(page, 'Quantization')).toContainText(/\+1[3-8]\.\d %.*better/)
  await expect(effect(page, 'Enforce eager')).toContainText(/−[45]\.\d %.*worse/)
  await expect(effect(page, 'KV cache dtype')).toContainText(/0\.\d %.*none/)
  await expect(effect(page, 'Max concurrency + Num prompts')).toContainText(
    /×2\.\d+.*vary only together|vary only together.*×2\.\d+/,
  )
  expect(await soundness(page)).toEqual([])
  // on paper, the rows keep the names of their inputs
  await page.emulateMedia({ media: 'print' })
  await expect(effect(page, 'Quantization').getByRole('button', { name: 'Quantization', exact: true })).toBeVisible()
  await page.emulateMedia({ media: null })

  // the number says its definition, n and interval
  await effect(page, 'Quantization')
    .getByRole('button', { name: /, Effect of Quantization/ })
    .press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Effect of Quantization/ })
  await expect(dialog).toContainText(/\d+ pairs of runs in \d+ cells/)
  await expect(dialog).toContainText('signed rank test')
  await expect(dialog).toContainText('Plain group means')
  await page.keyboard.press('Escape')

  const rest = region(page, 'Inputs without an effect')
  await expect(rest.getByRole('row', { name: /^Enable chunked prefill/ })).toContainText(
    /Varies only together with .*Host name.*credited to no input.*−\d+\.\d %/,
  )
  await expect(rest.getByRole('row', { name: /^Number of GPUs/ })).toContainText('Follows from the other inputs')
  await expect(
    region(page, 'Interactions table').getByRole('row', { name: /^Tensor parallel size.*Quantization/ }),
  ).toContainText(/\+[5-9]\.\d %/)
  await page.getByText(/inputs never vary/).click()
  await expect(region(page, 'Not identifiable')).toContainText('Llama-3.1-70B-Instruct')
})

test('the pairs of an effect lead to Compare and to both experiments', async ({ page }) => {
  await open(page)
  await effect(page, 'Quantization').getByRole('button', { name: 'Quantization', exact: true }).press('Enter')
  await expect(page).toHaveURL(/[?&]input=server\.quantization$/)
  const table = region(page, 'Pairs table')
  await expect(table.getByRole('row').nth(1)).toBeVisible()
  const cells = await table.getByRole('row').count()
  await expect(region(page, 'Pairs')).toContainText(new RegExp(`in ${cells - 1} cells`))
  expect(await soundness(page)).toEqual([])
  const links = table
    .getByRole('row')
    .nth(1)
    .getByRole('link', { name: /^Experiment \d+$/ })
  const first = await links.first().textContent()
  await table.getByRole('row').nth(1).getByRole('link', { name: 'Compare' }).click()
  await expect(page).toHaveURL(/\/compare\?/)
  await expect(page.getByRole('main')).toContainText('Quantization')
  await page.goBack()
  await expect(table).toBeVisible()
  await links.first().click()
  await expect(page).toHaveURL(new RegExp(`/experiments/${first}`))
  await page.goBack()
  // one side is pinned
  await table
    .getByRole('button', { name: /^Pin: / })
    .first()
    .click()
  await expect(table.getByRole('button', { name: /^Unpin A: Quantization/ })).toBeVisible()
  await region(page, 'Pairs').getByRole('button', { name: 'Close' }).click()
  await expect(page).not.toHaveURL(/input=/)
})

test('the keys, the table, another metric, ignored inputs and files', async ({ page }) => {
  await open(page)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/input=benchmark\.max_concurrency/)
  await page.keyboard.press('j')
  await expect(page).toHaveURL(/input=server\.tensor_parallel_size/)
  await page.keyboard.press('k')
  await expect(page).toHaveURL(/input=benchmark\.max_concurrency/)
  await page.keyboard.press('t')
  await expect(region(page, 'Effects table').getByRole('row').filter({ hasText: 'Quantization' })).toContainText(
    'better',
  )
  await page.keyboard.press('t')

  await page.getByRole('button', { name: /^metric:/ }).click()
  await page.getByRole('combobox', { name: /Search fields/ }).fill('P99 TTFT')
  await page
    .getByRole('option', { name: /^P99 TTFT/ })
    .first()
    .click()
  await expect(page).toHaveURL(/metric=results\.p99_ttft_ms/)
  // a lower latency is better
  await expect(effect(page, 'Quantization')).toContainText(/−1\d\.\d %.*better/)

  // ignoring the host credits chunked prefill with its difference, and says so
  await open(page, 'vary=environment.hostname,environment.gpu_driver')
  await expect(effect(page, 'Enable chunked prefill')).toContainText(/−(9|10)\.\d %.*worse/)
  await expect(page.getByRole('note')).toContainText('Need not be equal: Host name')
  await page.getByRole('button', { name: 'Match all inputs' }).click()
  await expect(effect(page, 'Enable chunked prefill')).toHaveCount(0)

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[2]).toMatch(/^inputs,from,to,ratio,low,high/)
  expect(lines.some((line) => /^server\.enable_chunked_prefill,false,true,,.*together/.test(line))).toBe(true)
})

test('a filter of Explore comes along, and a failed update keeps the last effects', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  await page.goto(`${dashboard().url}/?server.tensor_parallel_size=2`)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Impact' }).click()
  await expect(effect(page, 'Quantization')).toContainText(/\+(19|20)\.\d %/)
  await expect(effect(page, 'Tensor parallel size')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Change filter in Explore' })).toHaveAttribute(
    'href',
    /server.tensor_parallel_size=2/,
  )
  await page.route('**/api/analysis/impact', (route) =>
    route.fulfill({ status: 500, json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' } }),
  )
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(page.getByRole('alert')).toContainText('Could not update the effects.')
  await expect(effect(page, 'Quantization')).toBeVisible()
  await page.unroute('**/api/analysis/impact')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(effect(page, 'Tensor parallel size')).toContainText(/\+8\d\.\d %/)
})

test('a phone shows all of it without scrolling sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, 'input=server.quantization')
  await expect(region(page, 'Pairs table')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
  expect(await soundness(page)).toEqual([])
})
