// The share of the window that each part takes, and that no content leaves its box.
import type { Locator, Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const RUNS = 40

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (let i = 0; i < RUNS; i++) {
    const document = variant(base, {
      name: `layout-${i}`,
      tensor_parallel_size: 2 ** (i % 4),
      max_concurrency: 2 ** (i % 7),
      gpu_name: i % 2 ? 'NVIDIA H200' : 'NVIDIA B200',
      output_throughput: 900 + i * 37,
      p99_ttft_ms: 100 + i * 11,
      verdict: i % 5 ? 'trusted' : 'degraded',
    })
    write(folder, `${i}.json`, document)
  }
  store.import(folder)
})

async function explore(page: Page, query = '') {
  await page.goto(`${dashboard().url}/${query}`)
  await expect(counted(page)).toContainText('experiments')
  await expect(page.getByTestId('plot')).toBeVisible()
}

// The maximum and the current scroll position of the document.
const scrolled = (page: Page) =>
  page.evaluate(() => ({
    extra: document.documentElement.scrollHeight - window.innerHeight,
    top: Math.round(window.scrollY),
  }))
const STILL = { extra: 0, top: 0 }

test('Explore itself never scrolls: not by the wheel, a key, a skip or the focus of a hidden box', async ({ page }) => {
  await explore(page, '?fields=all')
  expect(await scrolled(page)).toEqual(STILL)
  await page.getByTestId('plot').hover()
  await page.mouse.wheel(0, 4000)
  for (const key of ['Space', 'End']) await page.locator('body').press(key)
  await page.getByRole('complementary', { name: 'Filters' }).getByRole('checkbox').last().focus()
  expect(await scrolled(page)).toEqual(STILL)
  await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
  expect(await scrolled(page)).toEqual(STILL)
  await expect(page.getByTestId('plot')).toBeInViewport({ ratio: 1 })
})

test('the first screen has eleven whole rows, with TTFT and TPOT', async ({ page }) => {
  await explore(page)
  const table = page.getByRole('region', { name: 'Experiments table' })
  for (const head of [/^P99 TTFT/, /^Median TPOT/])
    await expect(table.getByRole('columnheader', { name: head })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('note', { name: 'About this chart' })).toBeVisible()
  const whole = await table.evaluate((element) => {
    const box = element.getBoundingClientRect()
    return [...element.querySelectorAll('tr[data-row]')].filter(
      (row) => row.getBoundingClientRect().bottom <= Math.min(box.bottom, window.innerHeight),
    ).length
  })
  expect(whole).toBeGreaterThanOrEqual(11)
})

// Returns the content that is visible outside a dialog, and whether the whole dialog is on the screen.
const outside = (page: Page, name: string) =>
  page.getByRole('dialog', { name }).evaluate((dialog) => {
    const frame = (dialog.closest('[data-trigger]') ?? dialog.parentElement) as HTMLElement
    const box = frame.getBoundingClientRect()
    const found =
      box.left < 0 || box.top < 0 || box.right > window.innerWidth || box.bottom > window.innerHeight
        ? ['the window itself']
        : []
    for (const element of frame.querySelectorAll<HTMLElement>('*')) {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      const seen = { left, top, right, bottom }
      for (
        let around = element.parentElement;
        around && around !== frame.parentElement;
        around = around.parentElement
      ) {
        if (getComputedStyle(around).overflowY === 'visible') continue
        const cut = around.getBoundingClientRect()
        Object.assign(seen, {
          left: Math.max(seen.left, cut.left),
          top: Math.max(seen.top, cut.top),
          right: Math.min(seen.right, cut.right),
          bottom: Math.min(seen.bottom, cut.bottom),
        })
      }
      const isSeen = seen.right > seen.left && seen.bottom > seen.top && right - left > 1
      if (
        isSeen &&
        (seen.left < box.left - 1 ||
          seen.top < box.top - 1 ||
          seen.right > box.right + 1 ||
          seen.bottom > box.bottom + 1)
      )
        found.push(element.outerHTML.slice(0, 90))
    }
    return found
  })

test('pop-overs and windows fit 1440 × 900, 1280 × 720, a zoom of 200 % and a phone', async ({ page }) => {
  const button = (name: string | RegExp) => () => page.getByRole('button', { name }).click()
  const beside: [string, () => Promise<void>][] = [
    ['Columns', () => page.keyboard.press('c')],
    ['Axis y', button(/^Axis y/)],
    ['Chart options', button('Chart options')],
    ['Save the chart', button('Save the chart')],
  ]
  const windows: typeof beside = [
    ['Export', () => page.keyboard.press('e')],
    ['Help and keys', () => page.keyboard.press('?')],
    ['Find an experiment, a field or a value', () => page.keyboard.press('/')],
  ]
  const sizes: [number, number, typeof beside][] = [
    [1440, 900, beside],
    [1280, 720, beside],
    [720, 450, [...beside, ...windows]],
    [390, 844, [...beside, ...windows, ['Sort', button(/^Sort:/)]]],
  ]
  await explore(page)
  for (const [width, height, open] of sizes) {
    await page.setViewportSize({ width, height })
    for (const [name, act] of open) {
      await act()
      await expect(page.getByRole('dialog', { name })).toBeVisible()
      if (name.startsWith('Find')) {
        await page.keyboard.type('a')
        await expect(page.getByRole('option').first()).toBeVisible()
      }
      await expect.poll(() => outside(page, name), { message: `${name} at ${width} × ${height}` }).toEqual([])
      await page.keyboard.press('Escape')
      if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog', { name })).toHaveCount(0)
    }
  }
})

test('the reading of a point keeps its actions in view and its text uncut', async ({ page }) => {
  await explore(page)
  const reading = page.getByRole('complementary', { name: 'Reading' })
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1280, height: 720 },
    { width: 1100, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await page.getByTestId('plot').focus()
    for (const key of ['Home', 'Enter']) await page.keyboard.press(key)
    await expect(reading).toContainText('Differences from')
    for (const action of [
      reading.getByRole('link', { name: 'Open experiment' }),
      reading.getByRole('button', { name: /^Pin to compare/ }),
    ])
      await expect(action).toBeInViewport({ ratio: 1 })
    // a line of a term holds at least its longest word
    const broken = await reading.locator('dt').evaluateAll((terms) =>
      terms
        .filter((term) => {
          const range = document.createRange()
          const text = term.firstChild as Text
          return [...(text?.data ?? '').matchAll(/[^\s_]+/g)].some(({ index, 0: word }) => {
            range.setStart(text, index)
            range.setEnd(text, index + word.length)
            return range.getClientRects().length > 1
          })
        })
        .map((term) => term.textContent),
    )
    expect(broken, `${viewport.width}`).toEqual([])
    await page.keyboard.press('Escape')
  }
})

// Returns the elements that are wider than the paper or cut by their own box.
const cut = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main, main *')]
      .filter((element) => {
        const { right, width } = element.getBoundingClientRect()
        return width > 1 && right > window.innerWidth + 1
      })
      .map((element) => element.outerHTML.slice(0, 90)),
  )
const LANDSCAPE = 1200 // A4 at a scale of 0.87, to which the browser shrinks what is wider than its 1,047 px
const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length

test('with a selection, the sort order of the table is readable at 1024 px', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 })
  await explore(page, '?select=1,2&sort=-results.output_throughput')
  const [sort] = await page.getByText('Output, best first').all()
  const { scrolls, wide } = await (sort as Locator).evaluate((element) => ({
    scrolls: element.scrollWidth - element.clientWidth,
    wide: element.clientWidth,
  }))
  expect(scrolls, `${wide} px`).toBeLessThanOrEqual(0)
})

test('pages print in light colors and uncut', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await explore(page, '?select=1,2')
  const address = dashboard().url
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.setViewportSize({ width: LANDSCAPE, height: 700 })
  await expect(page.getByRole('complementary', { name: 'Filters' })).toBeHidden()
  expect(await cut(page)).toEqual([])
  // dark text on white, in the drawing, too
  const inks = () =>
    page.evaluate(() => {
      const host = document.querySelector('[data-testid=plot] > div') as HTMLElement & {
        chart: { getOption: () => { xAxis: { axisLabel: { color: string } }[] } }
      }
      return [getComputedStyle(document.body).color, host.chart.getOption().xAxis[0]?.axisLabel.color]
    })
  await expect.poll(inks).toEqual(['rgb(26, 28, 31)', 'rgb(102, 107, 115)'])
  // the first hundred rows, not only those on the screen
  const rows = Math.min(
    100,
    Number((await page.getByRole('grid', { name: 'Experiments' }).getAttribute('aria-rowcount')) ?? 0) - 1,
  )
  await expect(page.getByRole('rowheader')).toHaveCount(rows)
  expect(rows).toBeGreaterThan(20)
  expect(pagesOf(await page.pdf({ format: 'A4' }))).toBeLessThanOrEqual(3)

  // also with the widest state and value that a check can have: whether a run has them depends on how busy its host was
  await page.route('**/api/data/experiments/1', async (route) => {
    const answer = await route.fetch()
    const experiment = (await answer.json()) as { document: { quality: { checks: object[] } } }
    const { checks } = experiment.document.quality
    expect(checks.length).toBeGreaterThan(20)
    for (const [at, check] of checks.entries())
      Object.assign(
        check,
        at % 3 === 0
          ? { status: 'over_limit', effect: 'client_limited', value: 123456.789, limit: 98765.4321 }
          : at % 3 === 1
            ? { status: 'over_limit', value: 0.001234, limit: 0.5678 }
            : { status: 'passed', value: 1234567 },
      )
    await route.fulfill({ response: answer, json: experiment })
  })
  for (const [place, width] of [
    ['/compare?side=1&side=2&side=3', LANDSCAPE],
    ['/experiments/1', 718],
    ['/pareto', LANDSCAPE],
    ['/scaling', LANDSCAPE],
  ] as const) {
    await page.goto(address + place)
    await expect(page.getByRole('main').getByRole('table').first()).toBeVisible()
    await page.setViewportSize({ width, height: 1000 })
    expect(await cut(page), place).toEqual([])
    for (const head of await page.locator('thead th').all())
      expect((await head.boundingBox())?.height, await head.innerText()).toBeLessThanOrEqual(48)
  }
})

test('with forced colors a choice, a bar, a hollow mark and the focus can be seen', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.request.post(`${dashboard().url}/api/filters/presets`, {
    data: { name: 'Trusted', filter: { field: 'quality.verdict', op: 'eq', value: 'trusted' }, sort: [] },
  })
  await explore(page, '?server.tensor_parallel_size=2')
  const look = (selector: string, property: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
  const ground = await look('body', 'background-color')
  const chosen: [string, string, string][] = [
    ['nav[aria-label=Pages] a[aria-current]', 'nav[aria-label=Pages] a:not([aria-current])', 'background-color'],
    ['nav[aria-label=Presets] a[aria-current]', 'nav[aria-label=Presets] a:not([aria-current])', 'border-bottom-color'],
    ['[role=radiogroup] > [data-selected]', '[role=radiogroup] > :not([data-selected])', 'background-color'],
    ['aside label[data-selected]:has(small)', 'aside label:not([data-selected]):has(small)', 'background-color'],
  ]
  for (const [is, not, property] of chosen) expect(await look(is, property), is).not.toBe(await look(not, property))
  expect(await look('aside label i', 'background-color')).not.toBe(ground)
  const hollow = page
    .getByRole('group', { name: 'Legend' })
    .locator('span', { hasText: /^hollow/ })
    .locator('path')
    .first()
  expect(await hollow.getAttribute('fill')).not.toBe(await hollow.getAttribute('stroke'))
  await page.keyboard.press('f')
  expect(await look('aside label:focus-within', 'outline-style')).toBe('solid')
})

test('the outline of the loading page has the position of its content', async ({ page }) => {
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/filters/*', async (route) => {
    await isAnswered
    await route.continue()
  })
  await page.goto(dashboard().url)
  const outline = page.getByRole('status', { name: 'Waiting for the first response' })
  const box = (locator: ReturnType<Page['locator']>) =>
    locator.evaluate((element) => JSON.stringify(element.getBoundingClientRect()))
  await expect(outline.locator('i').first()).toBeVisible()
  const [chart, rows] = [
    await box(outline.locator(':scope > :first-child')),
    await outline.locator(':scope > :last-child').evaluate((element) => element.getBoundingClientRect().top),
  ]
  answer()
  await expect(page.getByTestId('plot')).toBeVisible()
  expect(await box(page.getByRole('region', { name: 'Chart' }))).toBe(chart)
  expect(
    await page
      .getByRole('columnheader', { name: /^Experiment/ })
      .evaluate((element) => element.getBoundingClientRect().top),
  ).toBe(rows)
})

test('a link that sorts by several fields shows the number and direction of each, and the column of each metric', async ({
  page,
}) => {
  await explore(page, '?sort=server.tensor_parallel_size,-results.output_throughput,results.p99_tpot_ms&select=1,2')
  const table = page.getByRole('region', { name: 'Experiments table' })
  for (const [at, head] of ['TP 1', 'Output 2', 'P99 TPOT 3'].entries()) {
    const shown = page.getByText(head, { exact: true })
    await expect(table.getByRole('columnheader', { name: new RegExp(`sort key ${at + 1}`) })).toBeInViewport({
      ratio: 1,
    })
    const tool = shown.and(page.locator('[aria-hidden]'))
    await expect(tool.locator('svg')).toHaveAttribute('data-dir', at === 1 ? 'desc' : 'asc')
    const sorted = table.getByRole('columnheader', { name: new RegExp(`sort key ${at + 1}`) })
    for (const line of [tool, sorted.getByRole('button').locator(':scope > span')])
      expect((await line.boundingBox())?.height, `one line: ${head}`).toBeLessThan(22)
    expect(
      await tool.evaluate(
        (key) =>
          key.getBoundingClientRect().right <= (key.parentElement as HTMLElement).getBoundingClientRect().right + 1,
      ),
      head,
    ).toBe(true)
  }
  // sorting at a head moves no column
  const left = () =>
    table.getByRole('columnheader', { name: /^P99 TTFT/ }).evaluate((head) => head.getBoundingClientRect().left)
  const before = await left()
  await table
    .getByRole('columnheader', { name: /^P99 TTFT/ })
    .getByRole('button')
    .click()
  await expect(table.getByRole('columnheader', { name: /^P99 TTFT/ })).toHaveAttribute('aria-sort', 'ascending')
  expect(await left()).toBe(before)
})

test('on a phone, the first card fits the first screen, and the outline of loading content fits the window', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/filters/*', async (route) => {
    await isAnswered
    await route.continue()
  })
  await page.goto(`${dashboard().url}/`)
  const outline = page.getByRole('status', { name: 'Waiting for the first response' })
  await expect(outline.locator('i').first()).toBeVisible()
  expect(
    await outline.locator('i').evaluateAll((all) => Math.max(...all.map((bone) => bone.getBoundingClientRect().right))),
  ).toBeLessThanOrEqual(390)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  answer()
  await expect(page.getByTestId('plot')).toBeVisible()
  const card = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('link') })
    .first()
  await expect(card).toBeInViewport({ ratio: 1 })
  await context.close()
})

test('on a phone, areas that scroll sideways fade at the end with more content, and no keys are shown', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  const lengths = (locator: Locator) =>
    locator.evaluate((element) =>
      ['before', 'after'].map((end) => getComputedStyle(element).getPropertyValue(`--fade-${end}`)),
    )
  const toEnd = (locator: Locator) =>
    locator.evaluate((element) => {
      element.scrollLeft = element.scrollWidth
    })
  await page.goto(
    `${dashboard().url}/?system.hardware_info.gpu_name=NVIDIA H200,NVIDIA B200&server.tensor_parallel_size=1,2,4&results.p99_ttft_ms=..900&as=table`,
  )
  await expect(counted(page)).toContainText('experiments')
  const chips = page.locator('.fades', { has: page.getByRole('grid', { name: 'Active filters' }) })
  const table = page.getByRole('group', { name: /^Table of the chart/ })
  for (const area of [chips, table]) {
    await expect.poll(() => lengths(area)).toEqual(['0px', '32px'])
    await toEnd(area)
    await expect.poll(() => lengths(area)).toEqual(['32px', '0px'])
  }
  await page.getByRole('button', { name: /^Filters/ }).tap()
  await expect(page.getByRole('dialog').getByRole('searchbox').first()).toBeVisible()
  await expect(page.locator('kbd:visible')).toHaveCount(0)
  await context.close()
})
