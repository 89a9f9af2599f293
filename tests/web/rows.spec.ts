// Rows that load during a scroll, and more rows than the maximum height of an element.
import type { Page, Route } from '@playwright/test'
import { join } from 'node:path'

import { counted, expect, test, useDashboard } from './fixtures'
import { little, write } from './results'

const ROWS = 230
const MILLIONS = 5_000_000
const dashboard = useDashboard((store) => {
  for (let i = 0; i < ROWS; i++) write(join(store.folder, 'rows'), `${i}.json`, little(i))
  store.import(join(store.folder, 'rows'))
})

const table = (page: Page) => page.getByRole('region', { name: 'Experiments table' })
const open = async (page: Page, count: number) => {
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms&chart=off`)
  const all = count.toLocaleString('en-GB')
  await expect(counted(page)).toHaveText(`${all} of ${all} experiments`)
}
const rowsNow = (page: Page) =>
  page
    .locator('tbody tr[data-row]')
    .evaluateAll((rows) =>
      rows.map(
        (row) => [Number((row as HTMLElement).dataset['row']), row.querySelector('a')?.textContent ?? ''] as const,
      ),
    )

test('pages loaded after a new result begin after the last row of the previous page', async ({ page }) => {
  // as if a new result were first: an offset from the first row would return the previous row
  await page.route('**/api/filters/apply', async (route) => {
    const asked = route.request().postDataJSON()
    await route.continue({ postData: { ...asked, ...(asked.offset > 0 && { offset: asked.offset - 1 }) } })
  })
  await open(page, ROWS)
  const seen = new Map<number, string>()
  for (let last = -1; last < ROWS - 1; ) {
    await table(page).evaluate((element, top) => element.scrollTo(0, top), Math.max(0, last - 2) * 30)
    await expect
      .poll(async () => (await rowsNow(page)).some(([index]) => index > last || index === ROWS - 1))
      .toBe(true)
    await expect(page.locator('tbody tr[aria-busy]')).toHaveCount(0)
    for (const [index, name] of await rowsNow(page)) seen.set(index, name)
    last = Math.max(...seen.keys())
  }
  expect([...seen].toSorted(([a], [b]) => a - b).map(([, name]) => name)).toEqual(
    Array.from({ length: ROWS }, (_, i) => `run_${String(i).padStart(3, '0')}`),
  )
})

// A server with five million rows.
async function pretend(route: Route) {
  const asked = route.request().postDataJSON()
  const first = asked.cursor === undefined ? Number(asked.offset ?? 0) : Number(asked.cursor)
  const { cursor: _, ...others } = asked
  const answer = await route.fetch({ postData: { ...others, offset: 0 } })
  const body = await answer.json()
  const count = Math.min(asked.limit, MILLIONS - first)
  const rows = Array.from({ length: count }, (_row, i) => ({
    ...body.rows[i],
    id: first + i + 1,
    cells: { ...body.rows[i].cells, 'run.name': `row ${first + i}` },
  }))
  await route.fulfill({
    response: answer,
    json: {
      ...body,
      rows,
      count: MILLIONS,
      total: MILLIONS,
      next_cursor: first + count < MILLIONS ? String(first + count) : null,
    },
  })
}

test('each of five million rows can be scrolled to', async ({ page }) => {
  await page.route('**/api/filters/apply', pretend)
  await open(page, MILLIONS)
  const link = (at: number) => page.getByRole('link', { name: `row ${at}`, exact: true })
  const scroll = (by: number) => table(page).evaluate((element, px) => element.scrollBy(0, px), by)
  const firstSeen = async () =>
    Number((await page.getByText(/^Rows .* of 5,000,000$/).innerText()).replace(/^Rows |–.*/g, '').replaceAll(',', ''))
  await table(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(link(MILLIONS - 1)).toBeInViewport()
  await expect(page.getByText(/–5,000,000 of 5,000,000$/)).toBeVisible()
  // dragged to the middle, then scrolled by the wheel row by row
  await table(page).evaluate((element) => {
    element.scrollTop = element.scrollHeight / 2
  })
  await expect.poll(async () => Math.abs((await firstSeen()) - MILLIONS / 2)).toBeLessThan(100)
  await expect(page.locator('tbody tr[aria-busy]')).toHaveCount(0)
  const middle = await firstSeen()
  for (let i = 1; i <= 3; i++) {
    await scroll(300)
    await expect.poll(firstSeen).toBe(middle + 10 * i)
  }
  await scroll(-600)
  await expect.poll(firstSeen).toBe(middle + 10)
  // by keyboard, too, from a row that has the focus
  await link(middle + 12).focus()
  for (let i = 0; i < 3; i++) await page.keyboard.press('j')
  await expect(link(middle + 15)).toBeFocused()
  await table(page).evaluate((element) => element.scrollTo(0, 0))
  await expect(link(0)).toBeInViewport()
  await expect.poll(firstSeen).toBe(1)
})
