// A table with more than one page, and Back through it.
import type { Page } from '@playwright/test'
import { join } from 'node:path'

import { chips, counted, expect, filters, names, test, useDashboard } from './fixtures'
import { little, write } from './results'

const MANY = 230
const dashboard = useDashboard((store) => {
  for (let i = 0; i < MANY; i++) write(join(store.folder, 'many'), `${i}.json`, little(i))
  store.import(join(store.folder, 'many'))
})

// The history of a page has at most 50 entries, and a used one is full. A test here counts its entries.
test.use({ reuseContext: false })

const table = (page: Page) => page.getByRole('region', { name: 'Experiments table' })
const scrolled = (page: Page) => table(page).evaluate((element) => [element.scrollTop, element.scrollLeft])
const search = (page: Page) => new URL(page.url()).search
const run = (number: number) => `run_${String(number).padStart(3, '0')}`

test('a table with more than one page loads and renders only visible rows', async ({ page }) => {
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms`)
  await expect(counted(page)).toHaveText(`${MANY} of ${MANY} experiments`)
  await expect(page.getByText(/^Rows 1–\d+ of 230$/)).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Experiments' })).toHaveAttribute('aria-rowcount', String(MANY + 1))
  await expect(page.getByRole('link', { name: run(199) })).toHaveCount(0)
  // the legend of the chart above may take a line more when its answer comes, and the table's end moves with it
  await expect(async () => {
    await table(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(page.getByRole('link', { name: run(229) })).toBeVisible({ timeout: 2000 })
    await expect(page.getByText(/^Rows \d+–230 of 230$/)).toBeVisible({ timeout: 1000 })
  }).toPass()
  expect(await page.getByRole('row').count()).toBeLessThan(80)
  // without a focus, the keys that scroll a page scroll the table
  const top = async () => (await scrolled(page))[0] as number
  await page.keyboard.press('Home')
  await expect.poll(top).toBe(0)
  await page.keyboard.press('Space')
  await expect.poll(top).toBeGreaterThan(100)
  const screen = await top()
  await page.keyboard.press('PageDown')
  await expect.poll(top).toBeGreaterThan(1.8 * screen)
  await page.keyboard.press('Shift+Space')
  await page.keyboard.press('PageUp')
  await expect.poll(top).toBeLessThan(0.2 * screen)
  await page.keyboard.press('End')
  await expect(page.getByRole('link', { name: run(229) })).toBeVisible()
  await page.getByRole('link', { name: run(228) }).focus()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: run(229) })).toBeFocused()
})

test('columns are pinned, moved and widened by keyboard; rows are selected and copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms&columns=run.suite,run.status,results.p99_ttft_ms`)
  await expect(counted(page)).toBeVisible()
  const heads = async () =>
    (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.split('\n')[0]?.trim())
  await page.keyboard.press('c')
  const picker = page.getByRole('dialog', { name: 'Columns' })
  const press = async (row: string, name: string) => {
    await picker.getByRole('row', { name: row }).focus()
    const button = picker.getByRole('button', { name })
    for (let i = 0; i < 6 && !(await button.evaluate((element) => element === document.activeElement)); i++)
      await page.keyboard.press('ArrowRight')
    await expect(button).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await press('P99 TTFT', 'Pin P99 TTFT')
  await expect(picker.getByRole('grid', { name: /^Pinned/ }).getByRole('row')).toHaveCount(1)
  await press('Status', 'Move Status up')
  await page.keyboard.press('Escape')
  await expect.poll(heads).toEqual(['Experiment', 'P99 TTFT', 'Status', 'Suite'])
  expect(search(page)).toContain('pin=1')
  // what is pinned stays where it is
  const head = page.getByRole('columnheader', { name: /P99 TTFT/ })
  const suite = page.getByRole('columnheader', { name: 'Suite' })
  const wide = async () => Math.round((await suite.boundingBox())?.width ?? 0)
  const before = await wide()
  await suite.getByRole('button').focus()
  for (let i = 0; i < 40; i++) await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(wide).toBe(before + 640)
  for (let i = 0; i < 16; i++) await page.keyboard.press('Shift+ArrowRight')
  const left = (await head.boundingBox())?.x
  await table(page).evaluate((element) => element.scrollTo(200, 0))
  await expect.poll(async () => (await scrolled(page))[1]).toBeGreaterThan(20)
  expect((await head.boundingBox())?.x).toBe(left)
  await page.reload() // this browser remembers
  await expect.poll(wide).toBe(Math.min(900, before + 640 + 256))
  await suite.getByRole('button').focus()
  await page.keyboard.press('w') // fits
  await expect.poll(wide).toBe(before)

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.getByRole('checkbox', { name: run(1) })).toBeChecked()
  await page.getByRole('checkbox', { name: run(3) }).check()
  await expect(page.getByRole('status').filter({ hasText: '2 selected' })).toBeVisible()
  await page.goto(page.url().replace('sort=results', 'sort=-results')) // they are not on the first page now
  await page.getByRole('button', { name: /^Copy as Markdown/ }).click()
  await expect(page.getByText('Copied 2 rows')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    [
      '| Experiment | P99 TTFT (ms) | Status | Suite |',
      '| --- | ---: | --- | --- |',
      '| run\\_001 | 1 | completed | many |',
      '| run\\_003 | 3 | completed | many |',
    ].join('\n'),
  )
  // the selection leads to a comparison, also from Compare itself
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await page.getByRole('link', { name: 'Compare 2 selected' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 experiments, A is the baseline')
  const compared = page.url()
  await page.goBack()
  await page.goBack()
  await page.getByRole('toolbar', { name: 'Table tools' }).getByRole('link', { name: 'Compare 2' }).click()
  await expect(page).toHaveURL(compared)
})

test('the server searches the values of a field with more values than a list shows', async ({ page }) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await filters(page).getByRole('searchbox').first().fill('run.run_id')
  const ids = filters(page).getByRole('group', { name: 'Run ID', exact: true })
  await expect(ids.getByText('50 of 230; type to filter')).toBeVisible()
  await ids.getByRole('searchbox').fill('N_22')
  await expect(ids.getByRole('checkbox')).toHaveCount(10)
  await ids.getByText(run(227)).click()
  await expect(counted(page)).toHaveText(`1 of ${MANY} experiments`)
  await ids.getByText(run(220)).click()
  await expect.poll(async () => (await names(page)).toSorted()).toEqual([run(220), run(227)])
  await ids.getByRole('searchbox').fill('')
  await ids.getByRole('button', { name: 'Show more' }).click()
  await expect(ids.getByText('200 of 230; type to filter')).toBeVisible()
})

test('Back restores the row and the scroll position', async ({ page }) => {
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms`)
  await expect(counted(page)).toBeVisible()
  await table(page).evaluate((element) => element.scrollTo(40, 3000))
  await page.getByRole('link', { name: run(105) }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(run(105))
  // leaves before the browser has reported the scroll
  await page.evaluate(() => {
    window.scrollTo(0, 30)
    history.back()
  })
  await expect(page.getByRole('link', { name: run(105) })).toBeFocused()
  expect(await scrolled(page)).toEqual([3000, 40])
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: run(106) })).toBeFocused()

  // each history entry keeps its scroll position, also after a reload
  await page.goForward()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(run(105))
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(30)
  await page.goBack()
  await expect(page.getByRole('link', { name: run(106) })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('link', { name: run(106) })).toBeFocused()
  expect(await scrolled(page)).toEqual([3000, 40])
  await page
    .getByRole('columnheader', { name: /P99 TTFT/ })
    .getByRole('button')
    .click()
  await expect.poll(async () => (await names(page))[0]).toBe(run(229))
  expect((await scrolled(page))[0]).toBe(0)
})

test('on a phone, where the page itself scrolls, too', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms`)
  await expect(counted(page)).toBeVisible()
  await page.getByRole('link', { name: run(60) }).scrollIntoViewIfNeeded()
  // at the place where it was left: the chart above the rows loads after them, and the browser keeps the rows in place
  await page.evaluate(() =>
    addEventListener(
      'click',
      () => {
        sessionStorage['top'] = String(window.scrollY)
      },
      true,
    ),
  )
  await page.getByRole('link', { name: run(60) }).tap()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(run(60))
  const top = Number(await page.evaluate(() => sessionStorage['top'] as string))
  expect(top).toBeGreaterThan(844)
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.goBack()
  await expect(page.getByRole('link', { name: run(60) })).toBeFocused()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(top)
  await context.close()
})

test('typing adds one history entry until it pauses', async ({ page }) => {
  const start = Date.UTC(2026, 10, 22)
  await page.clock.setFixedTime(start)
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${MANY} of ${MANY} experiments`)
  const entries = () => page.evaluate(() => history.length)
  const before = await entries()
  const to = filters(page).getByRole('group', { name: 'P99 TTFT', exact: true }).getByRole('textbox', { name: /to$/ })
  for (const typed of ['1', '12', '120']) {
    await to.fill(typed)
    await expect.poll(() => search(page)).toBe(`?results.p99_ttft_ms=..${typed}`)
  }
  expect(await entries()).toBe(before + 1)
  await page.clock.setFixedTime(start + 10_000)
  await to.fill('50')
  await expect.poll(() => search(page)).toBe('?results.p99_ttft_ms=..50')

  await filters(page).getByRole('searchbox').first().fill('run.timestamp')
  const from = filters(page).getByLabel(/, from, UTC$/)
  for (const day of ['2026-10-01', '2026-10-02']) {
    await from.fill(day)
    await expect.poll(() => search(page)).toBe(`?results.p99_ttft_ms=..50&run.timestamp=${day}T00:00:00Z..`)
  }
  expect(await entries()).toBe(before + 3)
  await page.goBack()
  await expect(chips(page)).toHaveCount(1)
  await expect(from).toHaveValue('')
  expect(search(page)).toBe('?results.p99_ttft_ms=..50')
  await page.goBack()
  await expect.poll(() => search(page)).toBe('?results.p99_ttft_ms=..120')
  await page.goBack()
  await expect(chips(page)).toHaveCount(0)
  await expect(counted(page)).toHaveText(`${MANY} of ${MANY} experiments`)
})

test('of 900 columns only the visible ones are rendered', async ({ page }) => {
  const answer = await (await page.request.get(`${dashboard().url}/api/fields`)).json()
  const columns = (answer.fields as { id: string; column: boolean }[])
    .filter((field) => field.column)
    .map(({ id }) => id)
    .slice(0, 900)
  expect(columns).toHaveLength(900)
  await page.goto(`${dashboard().url}/?columns=${columns.join(',')}`)
  await expect(page.getByRole('grid', { name: 'Experiments' })).toHaveAttribute('aria-colcount', '901')
  const drawn = async () => [await page.getByRole('columnheader').count(), await page.getByRole('gridcell').count()]
  const isBounded = async () => {
    const [heads = 0, cells = 0] = await drawn()
    return heads > 4 && heads < 40 && cells > 100 && cells < 2000
  }
  await expect.poll(isBounded).toBe(true)
  const head = (at: number) => page.locator(`th[aria-colindex="${at}"]`)
  await expect(head(2)).toBeVisible()
  await expect(head(901)).toHaveCount(0)
  await table(page).evaluate((element) => element.scrollTo(element.scrollWidth, 0))
  await expect(head(901)).toBeInViewport()
  await expect(head(2)).toHaveCount(0)
  await expect.poll(isBounded).toBe(true)
  // a cell is below its head
  const edges = (locator: ReturnType<Page['locator']>) =>
    locator.evaluate((element) => [element.getBoundingClientRect().left, element.getBoundingClientRect().right])
  expect(await edges(page.locator('td[aria-colindex="901"]').first())).toEqual(await edges(head(901)))
  await page.keyboard.press('c')
  const picker = page.getByRole('dialog', { name: 'Columns' })
  await expect(picker.getByRole('grid').getByRole('row')).toHaveCount(60)
  await expect(picker.getByRole('button', { name: 'Show 60 more of 900' })).toBeVisible()
})

test('on a phone, an address beyond the last page links to the last page', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms&page=9`)
  await expect(page.getByRole('heading', { name: 'Page 9 does not exist' })).toBeVisible()
  await expect(page.getByText('The 230 matching experiments are on 2 pages.')).toBeVisible()
  const entries = await page.evaluate(() => history.length)
  await page.getByRole('button', { name: 'Go to the last page' }).click()
  await expect(page.getByText('Rows 201–230 of 230')).toBeVisible()
  expect(search(page)).toBe('?sort=results.p99_ttft_ms&page=2')
  expect(await page.evaluate(() => history.length)).toBe(entries)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(page.getByText('Rows 1–200 of 230')).toBeVisible()
  await context.close()
})
