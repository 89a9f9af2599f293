// Parts of Trends next to the verdicts: two releases over all configurations, watches, and annotations of some lines.
import type { APIRequestContext, Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { AFTER, BEFORE, history } from './history'
import { type Document, program, read, variant } from './results'

const AT_ONCE = 20 // results of one upload

async function upload(request: APIRequestContext, url: string, documents: Document[]) {
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const answer = await request.post(`${url}/api/upload/batch`, { data: documents.slice(at, at + AT_ONCE) })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
}

// One configuration in which two arguments changed after 30 of 60 runs.
function moved(base: Document) {
  return Array.from({ length: 60 }, (_, at) => {
    const isAfter = at >= 30
    const noise = 1 + (((at * 7) % 11) - 5) / 250
    const document = variant(base, { name: 'moved', p99_ttft_ms: 300 * noise * (isAfter ? 1.3 : 1) })
    const { server, server_explicit: explicit } = document.config
    Object.assign(server, { max_num_seqs: isAfter ? 256 : 128, block_size: isAfter ? 32 : 16 })
    for (const key of ['max_num_seqs', 'block_size']) if (!explicit.includes(key)) explicit.push(key)
    return document
  })
}

const dashboard = useDashboard()
const together = useDashboard()
test.beforeAll(async ({ own, request }) => {
  const base = read(own)
  const lonely = variant(base, { name: 'tp1', tensor_parallel_size: 1, max_concurrency: 64, gpu_name: 'NVIDIA H200' })
  lonely.environment.engine = { ...lonely.environment.engine, simulated: false, name: 'vllm', version: AFTER }
  await upload(request, dashboard().url, [...history(base, 5), lonely])
  await upload(request, together().url, moved(base))
})

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const parts = (page: Page) => page.getByRole('navigation', { name: 'Parts of Trends' })
const map = (page: Page) => page.getByRole('table', { name: /^Change of / })

async function open(page: Page, query = '') {
  await page.goto(`${dashboard().url}/trends?show=releases${query}`)
  await expect(map(page)).toBeVisible()
}

test('a long version does not widen the page of a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  const long = `0.31.0+${'g'.repeat(200)}`
  await page.route('**/api/analysis/releases', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { a: { name: string } }
    body.a.name = long
    await route.fulfill({ response, json: body })
  })
  await open(page)
  await expect(page.getByText(`${long}: `)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
})

test('two releases: the newest two, a sentence per metric, and the configurations of one only', async ({ page }) => {
  await page.goto(`${dashboard().url}/trends`)
  await parts(page).getByRole('link', { name: 'Two releases' }).click()
  await expect(page).toHaveURL(/show=releases/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two releases')
  const values = page.getByRole('group', { name: 'Compared values' })
  await expect(values.getByRole('combobox', { name: 'Baseline A' })).toHaveValue(BEFORE)
  await expect(values.getByRole('combobox', { name: 'Candidate B' })).toHaveValue(AFTER)
  await expect(page.getByRole('main').getByText('4 matched configurations')).toBeVisible()

  const summary = region(page, 'Summary')
  await expect(summary).toContainText(
    /P99 TTFT: 0\.32\.0 is better in \d and worse in \d of 4 configurations, \+\d+\.\d\s% on average \([+−][\d.]+\s…\s\+[\d.]+\s% at 95\s%\): no clear difference\. Wilcoxon p = 0\.\d+, sign test p = [01]\.\d+\./,
  )
  const row = summary.getByRole('row', { name: /^P99 TTFT/ })
  await expect(row.getByRole('cell').nth(5)).toHaveText('4')
  await expect(region(page, 'Unmatched configurations')).toContainText(`Only ${AFTER}`)
  await expect(region(page, `Only ${AFTER}`).getByRole('row').nth(1)).toContainText(`of ${BEFORE} differs in`)
  expect(await soundness(page)).toEqual([])

  // another metric; the address has it
  await summary.getByRole('link', { name: 'Output throughput', exact: true }).click()
  await expect(page).toHaveURL(/metric=results.output_throughput/)
  await expect(summary).toContainText(`Output throughput: ${AFTER} is better in`)
  await page.reload()
  await expect(region(page, 'Configurations').getByRole('heading', { level: 2 })).toHaveText('Output throughput')
})

test('a cell of the heat map leads to Compare and to both experiments, by keyboard', async ({ page }) => {
  await open(page)
  const cells = map(page).getByRole('link')
  await expect(cells).toHaveCount(4)
  await cells.first().focus()
  const first = await cells.first().evaluate((element) => element.closest('td')?.dataset['cell'])
  await page.keyboard.press('ArrowRight')
  const second = await page.evaluate(() => document.activeElement?.closest('td')?.dataset['cell'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect([first, second].every((at) => at !== undefined)).toBe(true)
  // one stop of Tab
  await expect(map(page).locator('a[tabindex="0"]')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/cell=/)
  const opened = page.getByRole('group', { name: 'Opened cell' })
  await expect(opened.getByRole('heading', { name: '1 configuration in the opened cell' })).toBeVisible()
  await expect(map(page).locator('a[aria-current=true]')).toHaveCount(1)
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  const here = page.url()
  const href = await opened.getByRole('link', { name: `Newest experiment of ${AFTER}` }).getAttribute('href')
  const answer = await page.request.get(`${dashboard().url}/api/data${href ?? ''}`)
  expect(JSON.stringify(await answer.json())).toContain(AFTER)
  await opened.getByRole('link', { name: 'Compare' }).press('Enter')
  await expect(page).toHaveURL(/\/compare\?/)
  await expect(page.getByRole('main')).toContainText(BEFORE)
  await expect(page.getByRole('region', { name: 'Metrics', exact: true })).toContainText('P99 TTFT')
  await page.goBack()
  await expect(page).toHaveURL(here)
  await expect(opened).toBeVisible()
})

test('the heat map has chosen axes, and is a table with t', async ({ page }) => {
  await open(page)
  const part = region(page, 'Configurations')
  await part.getByRole('combobox', { name: 'Rows' }).selectOption('none')
  await expect(page).toHaveURL(/axes=[\w.]+$/)
  await expect(map(page).getByRole('row')).toHaveCount(3)
  await part.getByRole('combobox', { name: 'Columns' }).selectOption('benchmark.max_concurrency')
  await expect(page).toHaveURL(/axes=benchmark\.max_concurrency/)
  await expect(map(page).getByRole('link')).toHaveCount(2)
  await map(page)
    .getByRole('link', { name: /3 configurations/ })
    .click()
  await expect(region(page, 'Opened configurations').getByRole('row')).toHaveCount(4)
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('t')
  await expect(page).toHaveURL(/table=1/)
  const table = region(page, 'Configurations table')
  await expect(table.getByRole('row')).toHaveCount(5)
  await expect(table.getByRole('row', { name: /TP 4/ }).getByRole('link')).toHaveText([
    'Compare',
    new RegExp(BEFORE),
    new RegExp(AFTER),
  ])
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await part.getByRole('button', { name: 'Show as heat map' }).click()
  await expect(map(page)).toBeVisible()
})

test('any two values of any field are compared, and swapped', async ({ page }) => {
  await open(page)
  const values = page.getByRole('group', { name: 'Compared values' })
  await values.getByRole('button', { name: 'Swap' }).click()
  await expect(page).toHaveURL(new RegExp(`a=${AFTER}&b=${BEFORE}`))
  await expect(region(page, 'Summary')).toContainText(`P99 TTFT: ${BEFORE} is better in`)
  await page.goto(`${dashboard().url}/trends?show=releases&version=server.tensor_parallel_size&a=4&b=8&vary=run.name`)
  await expect(values.getByRole('combobox', { name: 'Candidate B' })).toHaveValue('8')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two releases')
  await page.goto(`${dashboard().url}/trends?show=releases&environment.engine.version=${AFTER}`)
  await expect(page.getByRole('main')).toContainText(`have one value of Engine version: ${AFTER}.`)
  await page.getByRole('main').getByRole('button', { name: 'Clear filter' }).first().click()
  await expect(map(page)).toBeVisible()
})

// without @long, a long version is the harder case of the same page
test('the page of two releases fits a phone', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('a watch is stored, has states, opens its question, and is deleted', async ({ page, complaints }) => {
  complaints.allow.push(/409/)
  await page.goto(`${dashboard().url}/trends?mode=sensitive&server.tensor_parallel_size=4`)
  await parts(page).getByRole('link', { name: 'Watches' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Watches')
  const adder = page.getByRole('form', { name: 'Add a watch' })
  await expect(region(page, 'Add a watch')).toContainText('all headline metrics, by Engine version, sensitive')
  await adder.getByRole('button', { name: 'Save' }).click()
  await expect(adder.getByRole('alert')).toHaveText('Enter a name.')
  await adder.getByLabel('Name', { exact: true }).fill('nightly tp4')
  await adder.getByLabel('Your name').fill('cy')
  await adder.getByLabel('Name', { exact: true }).press('Enter')
  const watch = page.getByRole('listitem', { name: 'nightly tp4' })
  await expect(watch).toContainText('by cy')
  await expect(watch.locator('[data-state=regression]')).toBeVisible({ timeout: 20_000 })
  await expect(watch).toContainText('failed')
  await watch.locator('summary').click()
  await expect(watch.getByRole('listitem').last()).toContainText(/regression, failed \d+ regressions?, /)
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  // a second one with the name is refused
  await adder.getByLabel('Name', { exact: true }).fill('Nightly TP4')
  await adder.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Could not store the watch.')

  await watch.getByRole('link', { name: 'nightly tp4' }).click()
  await expect(page).toHaveURL(/mode=sensitive/)
  await expect(region(page, 'Chart').locator('[data-line]')).toHaveCount(1)
  await page.goBack()
  await watch.getByRole('button', { name: 'Delete watch nightly tp4' }).click()
  await expect(watch).toHaveCount(0)
})

test('an annotation for one value of a field is drawn only at lines with that value', async ({ page }) => {
  const { url } = dashboard()
  await page.goto(`${url}/trends`)
  const chart = region(page, 'Chart')
  const notes = region(page, 'Annotations')
  await notes.getByRole('button', { name: 'Add annotation' }).click()
  await notes.getByLabel('Version', { exact: true }).last().fill(AFTER)
  await notes.getByLabel('Text').fill('only here')
  await notes.getByRole('combobox', { name: 'Only lines with' }).fill('tensor_parallel_size')
  await page
    .getByRole('option', { name: /server\.tensor_parallel_size/ })
    .first()
    .click()
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('alert')).toHaveText('Enter the value of the lines.')
  await notes.getByLabel('Value of the lines').fill('4')
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('listitem')).toContainText('only here')
  await expect(chart.locator('[data-flag="1"]')).toHaveCount(1)
  const of = await chart.locator('[data-flag="1"]').getAttribute('data-of')
  await expect(region(page, 'Annotations')).toContainText('only lines with server.tensor_parallel_size 4')
  await page.goto(`${url}/trends?series=${encodeURIComponent(of ?? '')}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/TP 4/)
  await expect(chart.locator('[data-flag="1"]')).toHaveCount(1)
  await page.getByRole('complementary', { name: 'Verdicts' }).locator('summary', { hasText: 'Stable' }).click()
  await page.getByRole('complementary', { name: 'Verdicts' }).getByRole('link', { name: /TP 2/ }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/TP 2/)
  await expect(chart.getByRole('slider')).toBeVisible()
  await expect(chart.locator('[data-flag]')).toHaveCount(0)
})

test('fields that changed together have a plan of runs that separates them', async ({ page }) => {
  await page.goto(
    `${together().url}/trends?by=time&vary=server.max_num_seqs,server.block_size&metrics=results.p99_ttft_ms`,
  )
  await page
    .getByRole('complementary', { name: 'Verdicts' })
    .getByRole('link', { name: /regression.*P99 TTFT/ })
    .click()
  const causes = region(page, 'Also changed at this place')
  await causes.getByRole('button', { name: 'Plan 20 runs that separate them' }).click()
  const plan = causes.getByRole('group', { name: 'Plan' })
  await expect(plan.getByText('4 combinations, 5 runs of each, in mixed order')).toBeVisible()
  await expect(plan.locator('pre').last()).toContainText('profllm sweep run --repeats 5 --order interleaved')
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  // the file is one that the program takes
  const saved = page.waitForEvent('download')
  await plan.getByRole('button', { name: 'Save separate.yaml' }).click()
  const path = (await (await saved).path()) as string
  const { combinations } = JSON.parse(
    execFileSync(program('profllm'), ['config', 'expand', '--json', path], { encoding: 'utf8' }),
  ) as { combinations: { parameters: object }[] }
  expect(combinations.map(({ parameters }) => parameters)).toEqual(
    [
      [128, 16],
      [128, 32],
      [256, 16],
      [256, 32],
    ].map(([seqs, size]) => ({ 'server.max_num_seqs': seqs, 'server.block_size': size })),
  )
})
