// Trends: a release got slower. 30 results of each of two releases are uploaded; the verdict, its reasons and its place
// are read, compared and decided on, with the keyboard alone.
import type { APIRequestContext, Page } from '@playwright/test'
import { readFileSync } from 'node:fs'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { AFTER, BEFORE, history } from './history'
import { read, variant } from './results'

const AT_ONCE = 20 // results of one upload

async function upload(request: APIRequestContext, url: string, documents: unknown[]) {
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const answer = await request.post(`${url}/api/upload/batch`, { data: documents.slice(at, at + AT_ONCE) })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
}

const dashboard = useDashboard()
const decided = useDashboard()
test.beforeAll(async ({ own, request }) => {
  await upload(request, dashboard().url, history(read(own)))
  await upload(request, decided().url, history(read(own), 2))
})

const verdicts = (page: Page) => page.getByRole('complementary', { name: 'Verdicts' })
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const SLOWER = /regression.*P99 TTFT.*TP 4/
const title = (page: Page) => page.getByRole('heading', { level: 1 })

async function open(page: Page, url: string, entry: RegExp) {
  await page.goto(`${url}/trends`)
  await verdicts(page).getByRole('link', { name: entry }).click()
  await expect(region(page, 'Reasons')).toBeVisible()
  await expect(region(page, 'Chart').getByRole('slider')).toBeVisible()
}

test('a release got slower: verdict, reasons, place, comparison and decision by keyboard', async ({ page }) => {
  const { url } = decided()
  await page.goto(`${url}/trends`)
  await expect(verdicts(page).getByRole('status')).toHaveText(/^\d+ of \d+ series changed$/)
  await expect(verdicts(page)).toContainText('regressions')
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  // j walks the list, Enter opens an entry
  const wanted = verdicts(page).getByRole('link', { name: SLOWER })
  await expect(wanted).toBeVisible()
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('j')
    if (await wanted.evaluate((element) => element === document.activeElement)) break
  }
  await expect(wanted).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(/^P99 TTFT, TP 4/)
  await expect(wanted).toHaveAttribute('aria-current', 'true')
  await expect(page.getByText('at 95 %, over runs')).toBeVisible()

  // reasons and causes
  const reasons = region(page, 'Reasons')
  await expect(reasons).toContainText('From run 31 on, P99 TTFT is higher in most pairs of runs.')
  await expect(reasons).toContainText('The change exceeds the minimum effect.')
  await expect(reasons).toContainText('The last 3 analyses found it at this place.')
  await expect(region(page, 'Also changed at this place').getByRole('row', { name: /PyTorch version/ })).toContainText(
    '2.9.1',
  )
  await expect(region(page, 'Same place, other series').getByRole('row', { name: /TP 8.*P99 TTFT/ })).toBeVisible()

  // the chart is read with the arrow keys
  const chart = region(page, 'Chart').getByRole('slider')
  await chart.focus()
  await page.keyboard.press('End')
  await expect(chart).toHaveAttribute('aria-valuetext', new RegExp(`^run 60, .* ms, ${AFTER}, .*gpu-`))
  await page.keyboard.press('Home')
  await expect(chart).toHaveAttribute('aria-valuetext', new RegExp(`^run 1, .* ms, ${BEFORE}, `))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/experiments\/\d+$/)
  await page.goBack()

  // the same as a table
  await expect(chart).toBeVisible()
  await page.keyboard.press('t')
  const table = region(page, 'Runs table')
  await expect(table.getByRole('row')).toHaveCount(61)
  await expect(table.getByRole('row', { name: /change before this run/ })).toContainText(AFTER)
  await page.keyboard.press('t')

  // before and after
  const opened = page.url()
  await page.getByRole('link', { name: 'Compare before and after' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/compare\?/)
  await expect(page.getByRole('main')).toContainText(`before ${AFTER}`)
  await expect(page.getByRole('region', { name: 'Metrics', exact: true })).toContainText('P99 TTFT')
  await page.goBack()
  await expect(page).toHaveURL(opened)

  // expected: a new history begins, and the author and the comment are stored
  await page.getByLabel('Your name').fill('ann')
  await page.getByLabel('Comment').fill('1 is a digit of this comment')
  await page.getByLabel('Comment').press('Tab')
  await page.getByLabel('Your name').press('Tab')
  await page.keyboard.press('1')
  const decisions = page.getByText('1 decision on this series')
  await expect(decisions).toBeVisible()
  await expect(verdicts(page).getByRole('link', { name: SLOWER })).toHaveCount(0)

  // the address is the state, and the name is kept in the browser
  await page.reload()
  await expect(title(page)).toHaveText(/^P99 TTFT, TP 4/)
  await expect(decisions).toBeVisible()
  await expect(page.getByText('1 is a digit of this comment')).toBeVisible()
  await expect(page.locator('details', { has: decisions })).toContainText('expected')
  await expect(page.locator('details', { has: decisions })).toContainText('ann')
  expect(await soundness(page)).toEqual([])

  // withdrawn: found again
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await expect(verdicts(page).getByRole('link', { name: SLOWER })).toBeVisible()
  await expect(page.getByText('2 decisions on this series')).toBeVisible()
})

test('on a phone, an opened series comes before the list, which is closed', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${dashboard().url}/trends`)
  await verdicts(page).getByRole('link', { name: SLOWER }).focus()
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(/^P99 TTFT, TP 4/)
  await expect(title(page)).toBeFocused()
  await expect(title(page)).toBeInViewport()
  await expect(verdicts(page)).toHaveCount(0)
  await expect(region(page, 'Chart').getByRole('slider')).toBeVisible()
  const list = page.locator('details', { has: page.locator('summary', { hasText: /^\d+ changed series$/ }) })
  const other = list.getByRole('link', { name: /regression.*P99 TTFT.*TP 8/ })
  await expect(other).toBeHidden()
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  // j opens the list, and the entry opened from it closes it
  await page.keyboard.press('j')
  await list.getByRole('button', { name: /^Show \d+ more$/ }).click()
  await expect(other).toBeVisible()
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await other.click()
  await expect(title(page)).toHaveText(/^P99 TTFT, TP 8/)
  await expect(title(page)).toBeFocused()
  await expect(other).toBeHidden()

  // back at the list, the entry that was open has the focus
  await page.getByRole('main').getByRole('link', { name: 'Trends', exact: true }).press('Enter')
  await expect(verdicts(page).getByRole('link', { name: /regression.*P99 TTFT.*TP 8/ })).toBeFocused()
  await expect(verdicts(page).getByRole('link', { name: /regression.*P99 TTFT.*TP 8/ })).toBeInViewport()
})

test('the list is grouped by incident, with the first cause and three series each', async ({ page }) => {
  const { url } = dashboard()
  await page.goto(`${url}/trends`)
  await expect(verdicts(page)).toContainText(/\d+ regressions in \d+ incidents?/)
  await expect(verdicts(page).getByRole('heading', { name: 'Engine version 0.31.0 → 0.32.0' })).toBeVisible()
  const incident = verdicts(page).getByRole('list', { name: 'Engine version 0.31.0 → 0.32.0' })
  await expect(verdicts(page).getByText(/^incident of \d+ series$/)).toBeVisible()
  await expect(incident.getByRole('link')).toHaveCount(3)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await verdicts(page)
    .getByRole('button', { name: /^Show \d+ more$/ })
    .click()
  await expect(incident.getByRole('link', { name: /P99 TTFT.*TP 8/ })).toBeVisible()
  await verdicts(page).getByRole('combobox', { name: 'Group' }).selectOption('none')
  await expect(page).toHaveURL(/group=none/)
  await expect(incident).toHaveCount(0)
  await expect(verdicts(page).getByRole('link', { name: SLOWER })).toContainText(
    /since 0\.32\.0 · incident of \d+ series/,
  )
  await page.reload()
  await expect(verdicts(page).getByRole('combobox', { name: 'Group' })).toHaveValue('none')
})

test('the list has one direction or both, and suspects in sensitive mode', async ({ page }) => {
  await page.goto(`${dashboard().url}/trends`)
  const list = verdicts(page).getByRole('list', { name: 'Changed series' })
  await expect(list.getByRole('link', { name: SLOWER })).toBeVisible()
  await verdicts(page).getByText('Better', { exact: true }).click()
  await expect(page).toHaveURL(/direction=better/)
  await expect(list.getByRole('link', { name: SLOWER })).toHaveCount(0)
  await expect(verdicts(page)).toContainText('No series became better.')
  await verdicts(page).getByText('All', { exact: true }).click()
  await verdicts(page).getByRole('combobox', { name: 'Mode' }).selectOption('sensitive')
  await expect(page).toHaveURL(/mode=sensitive/)
  await expect(verdicts(page)).toContainText('Expect more false alarms.')
  await expect(list.getByRole('link', { name: SLOWER })).toBeVisible()
  // larger than any change of these results
  await page.goto(`${dashboard().url}/trends?effect=0.9`)
  const effect = verdicts(page).getByRole('combobox', { name: 'Minimum effect' })
  await expect(effect).toHaveValue('0.9')
  await expect(list.getByRole('link', { name: SLOWER })).toHaveCount(0)
  await effect.selectOption('that of each metric')
  await expect(page).toHaveURL(/trends$/)
  await expect(list.getByRole('link', { name: SLOWER })).toBeVisible()
})

test('quiet series say how many runs would show a change, or how many are missing', async ({ page }) => {
  const { url } = dashboard()
  await page.goto(`${url}/trends`)
  await verdicts(page).locator('summary', { hasText: 'Stable' }).click()
  await expect(
    verdicts(page)
      .getByText(/^To see a 5 % change here: about \d+ more runs?\.$/)
      .first(),
  ).toBeVisible()
  await verdicts(page).locator('summary', { hasText: 'Insufficient data' }).click()
  await expect(verdicts(page).getByText('4 more runs are needed.').first()).toBeVisible()
  // runs without a value are counted in the legend and marked at the axis
  await verdicts(page)
    .getByRole('link', { name: /^P99 TTFT · TP 2/ })
    .click()
  const chart = region(page, 'Chart')
  await expect(chart.getByText('1 run without a value')).toBeVisible()
  await expect(chart.locator('svg text', { hasText: 'without a value' })).toHaveCount(0)
  await expect(chart.locator('[data-gaps]')).toHaveAttribute('d', /^M[\d.]+ [\d.]+v-6$/)
  await page.goto(`${url}/trends?benchmark.max_concurrency=16`)
  await expect(page.getByRole('main')).toContainText('No series has enough runs for a verdict.')
  await page.goto(`${url}/trends?server.model=none`)
  await page.getByRole('button', { name: 'Clear filter' }).first().click()
  await expect(region(page, 'Chart').getByRole('slider')).toBeVisible()
})

test('the overview draws all series by version and by time, as small charts and as a table', async ({ page }) => {
  await page.goto(`${dashboard().url}/trends`)
  const chart = region(page, 'Chart')
  await expect(chart.locator('[data-line]')).toHaveCount(4)
  await expect(chart.getByRole('list', { name: 'Series' }).getByRole('listitem')).toHaveCount(4)
  await chart.getByRole('slider').focus()
  await page.keyboard.press('End')
  await expect(chart.getByRole('slider')).toHaveAttribute('aria-valuetext', new RegExp(`^${AFTER}, 2026-`))
  await chart.getByRole('combobox', { name: 'Order' }).selectOption('time')
  await expect(page).toHaveURL(/by=time/)
  await expect(chart.locator(`[data-release="${AFTER}"]`)).toHaveCount(1)
  await chart.getByRole('combobox', { name: 'Values' }).selectOption('median')
  await chart.getByRole('combobox', { name: 'Band' }).selectOption('minmax')
  await expect(chart).toContainText('band: minimum to maximum of the runs of a day')
  await chart.getByText('One chart per series').click()
  await expect(chart.getByRole('figure')).toHaveCount(4)
  await chart.getByRole('button', { name: 'Show as table' }).click()
  await expect(region(page, 'Lines table').getByRole('row', { name: /TP 4/ }).first()).toBeVisible()
  await chart.getByRole('combobox', { name: 'Metric' }).selectOption('results.median_tpot_ms')
  await expect(page).toHaveURL(/metric=results.median_tpot_ms/)
  await page.reload()
  await expect(region(page, 'Lines table')).toContainText('Median TPOT')
})

test('the filter of Explore is that of Trends, and back', async ({ page }) => {
  const { url } = dashboard()
  await page.goto(`${url}/?server.tensor_parallel_size=8`)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Trends' }).click()
  await expect(page).toHaveURL(/\/trends\?server\.tensor_parallel_size=8$/)
  await expect(region(page, 'Chart').locator('[data-line]')).toHaveCount(2)
  await page.getByRole('link', { name: 'Change filter in Explore' }).click()
  await expect(page).toHaveURL(/\/\?server\.tensor_parallel_size=8$/)
})

test('annotations are added, edited and deleted, and flagged on the chart', async ({ page }) => {
  const { url } = dashboard()
  await open(page, url, SLOWER)
  const notes = region(page, 'Annotations')
  await notes.getByRole('button', { name: 'Add annotation' }).click()
  await expect(notes.getByLabel('Version', { exact: true }).last()).toHaveValue(AFTER)
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('alert')).toHaveText('Enter a text.')
  await notes.getByLabel('Text').fill('chunked prefill by default')
  await notes.getByLabel('Your name').fill('bo')
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('listitem')).toContainText(`${AFTER}chunked prefill by default`)
  await expect(region(page, 'Chart').locator('[data-flag="1"]')).toHaveCount(1)
  await notes.getByRole('button', { name: 'Edit annotation 1' }).click()
  await notes.getByLabel('Text').fill('chunked prefill is on')
  await notes.getByLabel('Text').press('Enter')
  await expect(notes.getByRole('listitem')).toContainText('chunked prefill is on')
  await page.reload()
  await expect(notes.getByRole('listitem')).toContainText('chunked prefill is on')
  await notes.getByRole('button', { name: 'Delete annotation 1' }).click()
  await expect(notes.getByRole('listitem')).toHaveCount(0)
  await expect(region(page, 'Chart').locator('[data-flag]')).toHaveCount(0)

  // each of two is edited with its own text, and Escape of suggestions keeps it
  for (const text of ['new driver', 'new host']) {
    await notes.getByRole('button', { name: 'Add annotation' }).click()
    await notes.getByLabel('Text').fill(text)
    await notes.getByRole('button', { name: 'Save' }).click()
    await expect(notes.getByRole('list')).toContainText(text)
  }
  await notes.getByRole('button', { name: 'Edit annotation 1' }).click()
  await expect(notes.getByLabel('Text')).toHaveValue('new driver')
  await notes.getByRole('button', { name: 'Edit annotation 2' }).click()
  await expect(notes.getByLabel('Text')).toHaveValue('new host')
  await notes.getByLabel('Text').fill('another host')
  const lines = notes.getByRole('combobox', { name: 'Only lines with' })
  await lines.focus()
  await expect(lines).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Escape')
  await expect(lines).toHaveAttribute('aria-expanded', 'false')
  await expect(notes.getByLabel('Text')).toHaveValue('another host')
  await page.keyboard.press('Escape')
  await expect(notes.getByLabel('Text')).toHaveCount(0)
  for (const left of [1, 0]) {
    await notes.getByRole('button', { name: 'Delete annotation 1' }).click()
    await expect(notes.getByRole('listitem')).toHaveCount(left)
  }
})

test('the verdicts are saved as CSV and JSON, and newer results are shown on request', async ({
  page,
  own,
  request,
}) => {
  const { url } = dashboard()
  await page.goto(`${url}/trends`)
  for (const [kind, pattern] of [
    ['CSV', /regression,worse,60,3,0,regression,/],
    ['JSON', /"analysis_version": 1/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: kind }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/^profllm-trends-.*\.(csv|json)$/)
    expect(readFileSync((await download.path()) as string, 'utf8')).toMatch(pattern)
  }

  const experiments = page.getByRole('main').getByText(/^\d+ experiments$/)
  const before = await experiments.innerText()
  const extra = variant(read(own), { name: 'late' })
  extra.environment.engine = { ...extra.environment.engine, simulated: false, name: 'vllm', version: AFTER }
  await upload(request, url, [extra])
  await page.getByRole('button', { name: 'Show newer results' }).click()
  await expect(experiments).not.toHaveText(before)
})
