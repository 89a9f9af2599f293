// The report of an experiment: "Share" downloads a file that opens from the disk, in light and dark, on a phone and on
// paper, without a script or a request.
import type { Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { program, read, variant, write } from './results'

const NAME = 'shared <img src=x onerror=alert(1)> "result"'

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  write(folder, 'one.json', variant(read(own), { name: NAME }))
  store.import(folder)
})

// Opens a file as a reader does who has nothing else.
async function open(page: Page, file: string) {
  await page.goto(pathToFileURL(file).href)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

// The report of a run with its artifacts, and a comparison, as the command writes them.
function reports(own: string, folder: string) {
  const paths = { result: join(folder, 'result.html'), comparison: join(folder, 'comparison.html') }
  const other = join(folder, 'other.json')
  writeFileSync(other, JSON.stringify(variant(read(own), { name: 'other', p99_ttft_ms: 9 })))
  execFileSync(program('profllm'), ['report', own, '-o', paths.result, '--overwrite'], { stdio: 'pipe' })
  execFileSync(program('profllm'), ['report', own, other, '-o', paths.comparison, '--overwrite'], { stdio: 'pipe' })
  return paths
}

test.beforeEach(({ complaints }) => {
  complaints.allow.push(/^asked file:/)
})

test('"Share" downloads the report, which shows the same metrics as the page', async ({ page, folder }) => {
  await page.goto(`${dashboard().url}/experiments/1`)
  const tile = page.getByLabel('Key metrics, with the 95 % CI within the run')
  const shown = /[\d,.]+/.exec(await tile.getByRole('definition').first().innerText())?.[0] as string
  const share = page.getByRole('link', { name: 'Share' })
  const [download] = await Promise.all([page.waitForEvent('download'), share.click()])
  expect(download.suggestedFilename()).toMatch(/^shared .*\.html$/)
  const file = join(folder, 'shared.html')
  await download.saveAs(file)
  await open(page, file)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(NAME)
  await expect(page.locator('.tiles')).toContainText(shown)
  expect(await page.locator('script, img').count()).toBe(0)
})

// each width, each theme and each kind of report, and in `make test-long` all combinations of them
for (const [title, width, colorScheme, tag, usual] of [
  ['light', 1280, 'light', [], 'result'],
  ['dark', 1280, 'dark', '@long', 'result'],
  ['a phone', 390, 'light', '@long', 'result'],
  ['a phone in the dark', 390, 'dark', [], 'comparison'],
] as const) {
  test(`a report and a comparison are sound: ${title}`, { tag: [tag].flat() }, async ({ page, own, folder }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const paths = reports(own, folder)
    for (const file of IS_LONG ? [paths.result, paths.comparison] : [paths[usual]]) {
      await open(page, file)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      expect(await soundness(page)).toEqual([])
      // the text of a chart is readable on a phone
      const sizes = await page
        .locator('figure svg text')
        .evaluateAll((texts) => texts.map((text) => text.getBoundingClientRect().height))
      expect(sizes.length).toBeGreaterThan(20)
      expect(Math.min(...sizes)).toBeGreaterThan(9)
    }
  })
}

test('each chart has a name, a description and a table, which the keyboard opens', async ({ page, own, folder }) => {
  await open(page, reports(own, folder).result)
  const charts = page.getByRole('figure')
  const count = await charts.count()
  expect(count).toBeGreaterThan(6)
  // one function writes all of them
  for (const i of IS_LONG ? Array(count).keys() : [0, count - 1]) {
    const title = await charts.nth(i).getByRole('heading').innerText()
    await expect(charts.nth(i).getByRole('img', { name: title })).toBeVisible()
    const summary = charts.nth(i).locator('summary')
    await summary.focus()
    await page.keyboard.press('Enter')
    expect(
      await charts
        .nth(i)
        .getByRole('table', { name: `${title} as a table` })
        .getByRole('row')
        .count(),
    ).toBeGreaterThan(1)
  }
})

test('the sections are reached from the top, and the colors follow the system', async ({ page, own, folder }) => {
  await open(page, reports(own, folder).result)
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Quality checks' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Quality checks' })).toBeInViewport()
  const paper = () => page.locator('main').evaluate((main) => getComputedStyle(main).backgroundColor)
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await paper()).toBe('rgb(255, 255, 255)')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await paper()).toBe('rgb(22, 24, 27)')
})

test('on paper the report is light, and has no controls', async ({ page, own, folder }) => {
  await open(page, reports(own, folder).result)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.getByRole('navigation')).toBeHidden()
  await expect(page.locator('summary').first()).toBeHidden()
  expect(await page.locator('h1').evaluate((title) => getComputedStyle(title).color)).toBe('rgb(26, 28, 31)')
  const pdf = await page.pdf({ format: 'A4' })
  expect(pdf.length).toBeGreaterThan(20_000)
  expect(readFileSync(reports(own, folder).result, 'utf8')).not.toMatch(/\ssrc=|url\(|@import/)
})
