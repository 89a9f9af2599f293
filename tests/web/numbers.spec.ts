// Units and digits: a field has one unit everywhere, for any values.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { chips, counted, expect, filters, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

// from 3 ms to 80 s, so both a rule by the median and a rule by the largest value would change the unit under a filter
const P99 = Array.from({ length: 40 }, (_, i) => Number((3 * 1.3 ** i).toFixed(4)))
const below = (limit: number) => P99.filter((value) => value <= limit).length

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  P99.forEach((p99, i) => {
    const document = variant(base, {
      name: `run-${i}`,
      p99_ttft_ms: p99,
      output_throughput: 1234.5678 + i,
      verdict: 'trusted',
    })
    Object.assign(document.results, {
      p99_ttft_ms_ci95: [-p99, 3 * p99],
      median_ttft_ms: p99 / 2,
      p90_ttft_ms: p99 * 0.9,
      p99_e2el_ms: 20_000 + p99,
    })
    document.system.hardware_info.gpu_memory_gb = 85.017493504 + (i % 2)
    write(folder, `run-${i}.json`, document)
  })
  store.import(folder)
})

const facet = (page: Page, name: string) => filters(page).getByRole('group', { name, exact: true })
const bound = (page: Page, name: string, end: 'from' | 'to') =>
  facet(page, name).getByRole('textbox', { name: new RegExp(`${end}$`) })
const LATENCIES = ['P99 TTFT', 'P99 E2EL', 'Median TTFT']
const unitsShown = async (page: Page) => {
  await expect(facet(page, 'P99 TTFT')).toBeVisible()
  const inPanel = await Promise.all(
    LATENCIES.map((name) => facet(page, name).locator('input + span, label + span').last().innerText()),
  )
  const inHeads = await page
    .getByRole('columnheader', { name: /TTFT|E2EL/ })
    .locator('small')
    .allInnerTexts()
  return [...inPanel, ...inHeads].map((text) => /[a-z]+/.exec(text)?.[0])
}

test('one unit per field: a filter changes none, inputs read other units, a reversed range is not sent', async ({
  page,
}) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${P99.length} of ${P99.length} experiments`)
  await page.keyboard.press('f')
  await page.keyboard.type('ttft')
  await expect(facet(page, 'P99 TTFT')).toBeVisible()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Backspace')
  const before = await unitsShown(page)
  expect(new Set(before)).toEqual(new Set(['ms']))

  await bound(page, 'P99 TTFT', 'to').fill('500')
  await expect(counted(page)).toHaveText(`${below(500)} of ${P99.length} experiments`)
  await expect(chips(page)).toHaveText([/^P99 TTFT≤ 500 ms/])
  expect(await unitsShown(page)).toEqual(before)

  for (const [typed, ms] of [
    ['0.25 s', 250],
    ['2k', 2000],
    ['900us', 0.9],
    ['1.2 min', 72_000],
  ] as const) {
    await bound(page, 'P99 TTFT', 'to').fill(typed)
    await page.keyboard.press('Enter')
    await expect(chips(page)).toHaveText([new RegExp(`^P99 TTFT≤ ${ms.toLocaleString('en')} ms`)])
    expect(new URL(page.url()).searchParams.get('results.p99_ttft_ms')).toBe(`..${ms}`)
  }

  await bound(page, 'P99 TTFT', 'to').fill('5 GB')
  await expect(facet(page, 'P99 TTFT').getByRole('alert')).toHaveText(
    'Found the unit “GB”, expected us, ms, s, min or h.',
  )
  await bound(page, 'P99 TTFT', 'to').fill('900')
  await expect(counted(page)).toHaveText(`${below(900)} of ${P99.length} experiments`)
  await bound(page, 'P99 TTFT', 'to').fill('100')
  await expect(chips(page)).toHaveText([/≤ 100 ms/])
  const sent: string[] = []
  page.on('request', (request) => {
    if (`${request.url()}${request.postData() ?? ''}`.includes('900')) sent.push(request.url())
  })
  await bound(page, 'P99 TTFT', 'from').fill('900')
  await page.keyboard.press('Enter')
  await expect(facet(page, 'P99 TTFT').getByRole('alert')).toHaveText('The range is reversed: 900 is above 100 ms.')
  await expect(bound(page, 'P99 TTFT', 'from')).toHaveAttribute('aria-invalid', 'true')
  await page.waitForTimeout(400) // longer than the pause after which a bound is sent
  expect(sent).toEqual([])
  await expect(chips(page)).toHaveText([/^P99 TTFT≤ 100 ms/])
})

const SIGNIFICANT = (text: string) =>
  text
    .replace(/[^\d.]/g, '')
    .replace(/^[0.]+/, '')
    .replace('.', '').length
const isLong = (text: string) => /\d\.\d/.test(text) && SIGNIFICANT(text) > 4

test('numbers have at most four significant digits, histograms have numbers along their axis', async ({ page }) => {
  await page.goto(
    `${dashboard().url}/?columns=results.p99_ttft_ms,results.output_throughput,system.hardware_info.gpu_memory_gb`,
  )
  await expect(page.getByRole('rowheader').first()).toBeVisible()
  const cells = await page.getByRole('main').getByRole('gridcell').allInnerTexts()
  expect(cells.filter((text) => /\d/.test(text)).length).toBeGreaterThan(20)
  expect(cells.filter(isLong)).toEqual([])
  expect(cells).toContain('85.02')
  // the decimal points of a column align
  await page.goto(`${page.url()}&sort=results.p99_ttft_ms`)
  await expect(page.getByRole('rowheader').first()).toHaveText(/run-0/)
  const points = await page
    .getByRole('row')
    .locator('td:nth-child(2) bdi')
    .evaluateAll((list) =>
      list.flatMap((bdi) => {
        const at = bdi.textContent?.indexOf('.') ?? -1
        if (at < 0 || !bdi.firstChild) return []
        const range = document.createRange()
        range.setStart(bdi.firstChild, at)
        range.setEnd(bdi.firstChild, at + 1)
        return [Math.round(range.getBoundingClientRect().left)]
      }),
    )
  expect(points.length).toBeGreaterThan(3)
  expect(Math.max(...points) - Math.min(...points)).toBeLessThanOrEqual(1)

  const ticks = await facet(page, 'P99 TTFT').locator('[aria-hidden="true"] span').allInnerTexts()
  expect(ticks.length).toBeGreaterThan(3)
  for (const tick of ticks) expect(tick).toMatch(/^(0|[125]0*k?)$/)
  await page.keyboard.press('f')
  await page.keyboard.type('gpu_memory_gb')
  await expect(filters(page).locator('label', { hasText: '85' }).first()).toContainText('85.02 GB')

  await page.getByRole('rowheader').first().getByRole('link').click()
  const metrics = page.getByRole('region', { name: 'Metrics', exact: true })
  await expect(metrics.getByRole('row').nth(8)).toBeVisible()
  const shown = [
    ...(await metrics.getByRole('cell').allInnerTexts()),
    ...(await page
      .getByRole('region', { name: 'Quality checks', exact: true })
      .locator('td:nth-child(3)')
      .allInnerTexts()),
  ]
  expect(shown.flatMap((text) => text.split(' – ')).filter(isLong)).toEqual([])
})

test('an axis over two decades is logarithmic by default; a drawn region has no bound below zero', async ({ page }) => {
  const scale = (axis: 'x' | 'y') => page.getByRole('button', { name: `log scale of ${axis}` })
  await page.goto(`${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput`)
  await expect(scale('x')).toHaveAttribute('aria-pressed', 'true')
  await expect(scale('y')).toHaveAttribute('aria-pressed', 'false')
  const type = () =>
    page
      .getByTestId('plot')
      .locator('> div')
      .first()
      .evaluate(
        (host) =>
          (host as unknown as { chart: { getOption: () => { xAxis: { type: string }[] } } }).chart.getOption().xAxis[0]
            ?.type,
      )
  expect(await type()).toBe('log')
  // fewer decades, and the axis is linear by itself again
  await page.goto(
    `${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput&results.p99_ttft_ms=1000..9000`,
  )
  await expect(scale('x')).toHaveAttribute('aria-pressed', 'false')
  // a chosen scale stays, even if the values would select another
  await page.goto(`${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput`)
  await scale('x').click()
  await expect(page).toHaveURL(/log=-x/)
  await expect.poll(type).toBe('value')
  await page.reload()
  await expect(scale('x')).toHaveAttribute('aria-pressed', 'false')
  await expect.poll(type).toBe('value')
  // from left of the axis and below it
  const box = await page.getByTestId('plot').boundingBox()
  if (!box) throw new Error('no plot')
  await page.mouse.move(box.x + 40, box.y + box.height - 8)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 4 })
  await page.mouse.up()
  await expect(chips(page).filter({ hasText: 'TTFT' })).toHaveText(/P99 TTFT\s*0\b.* ms/)
  expect(decodeURIComponent(page.url())).not.toMatch(/[=.]-\d/)
  await page.getByRole('button', { name: /^Axis x/ }).click()
  await page
    .getByRole('combobox', { name: /^Search fields by/ })
    .last()
    .fill('P90 TTFT')
  await page
    .getByRole('option', { name: /^P90 TTFT/ })
    .first()
    .click()
  await expect(page).not.toHaveURL(/log=/)
})

test('dates are in ISO form, and no time has a bound below zero', async ({ page }) => {
  await page.goto(`${dashboard().url}/?run.timestamp=2026-11-01T00:00:00Z..`)
  const started = facet(page, 'Started')
  await expect(page.getByRole('rowheader').first()).toBeVisible()
  await page.keyboard.press('f')
  await page.keyboard.type('run.timestamp')
  await expect(started).toBeVisible()
  await expect(page.locator('input[type="date"]')).toHaveCount(0)
  const from = started.getByRole('textbox', { name: /from/ })
  await expect(from).toHaveValue('2026-11-01')
  await from.fill('11/02/2026')
  await from.press('Enter')
  await expect(started.getByRole('alert')).toContainText('Enter a time as 2026-11-19')
  await from.fill('2026-11-01 00:10')
  await expect(chips(page)).toHaveText([/≥ 2026-11-01 00:10/])
  await expect(started.getByRole('alert')).toHaveCount(0)
  await started.getByRole('textbox', { name: /to/ }).fill('2026-10-30')
  await from.focus()
  await expect(started.getByRole('alert')).toHaveText('The range is reversed: 2026-11-01 00:10 is after 2026-10-30.')

  const belowZero = /[-−]\d/
  await page.goto(`${dashboard().url}/experiments/1`)
  await expect(page.locator('dl[aria-label^="Key"]')).toContainText('0')
  expect(
    (await page.locator('dl[aria-label^="Key"] dd, [aria-label="Metrics"] td:nth-child(4)').allInnerTexts()).filter(
      (text) => belowZero.test(text),
    ),
  ).toEqual([])
  // the mean of two runs at 3 ms and two at 80 s has an interval that reaches far below zero
  await page.goto(`${dashboard().url}/compare?side=1,2,39,40&side=3,4,37,38`)
  const metrics = page.getByRole('region', { name: 'Metrics', exact: true })
  await expect(metrics.getByRole('row', { name: /P99 TTFT/ }).first()).toBeVisible()
  expect(await metrics.locator('b[title*="95 % CI"]').count()).toBeGreaterThan(5)
  await expect(metrics.locator('b[title*="CI −"], b[title*="CI -"]')).toHaveCount(0)
  expect((await metrics.innerText()).match(/[-−][\d.,]+ – /g)).toBeNull()
})
