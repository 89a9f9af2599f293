// The tray and Compare: the sides, their differences and their certainty; the address holds the whole state.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'
import { failedLaunch } from './states'

const SIZES = [256, 256, 1024]
const BEGIN_NS = 1e12
const HOUR_S = 3600
const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  // three runs at two settings; the third has no percentiles at all
  SIZES.forEach((size, i) => {
    const document = variant(base, {
      name: `run-${i + 1}`,
      verdict: 'trusted',
      p99_ttft_ms: 100 + 50 * i,
      output_throughput: 1000 - 100 * i,
    })
    document.config.server.max_num_seqs = size
    if (i === 2) document.config.server.quantization = 'fp8'
    document.config.benchmark.dataset_sha256 = (i === 2 ? 'ab' : 'cd').repeat(32)
    document.environment.memory_bytes = i === 2 ? 2e9 : 9e8
    document.results.p99_ttft_ms_ci95 = [90 + 50 * i, 110 + 50 * i]
    document.series = {
      ...document.series,
      measured_begin_ns: BEGIN_NS,
      measured_end_ns: BEGIN_NS + HOUR_S * 1e9,
      interval_ms: 1000,
    }
    if (i === 2)
      for (const key of Object.keys(document.results))
        if (/^(p\d|median|mean|std)/.test(key)) delete document.results[key]
    write(folder, `${i}.json`, document)
  })
  store.import(folder)
})

const failing = useDashboard((store, own) => {
  store.import(own, failedLaunch(store.folder))
})

const tray = (page: Page) => page.getByRole('region', { name: 'Tray' })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const ids = async (page: Page) => {
  const { rows } = await (
    await page.request.post(`${dashboard().url}/api/filters/apply`, {
      data: { columns: ['run.name'], sort: [{ field: 'run.name', dir: 'asc' }] },
    })
  ).json()
  return (rows as { id: number }[]).map(({ id }) => id)
}
const compared = async (page: Page, query: string) => {
  await page.goto(`${dashboard().url}/compare?${query}`)
  await expect(part(page, 'Metrics').getByRole('table')).toBeVisible()
}

test('by keyboard: pin three, compare, find the differing inputs, copy the comparison, reload it', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${dashboard().url}/?sort=run.name`)
  await expect(counted(page)).toBeVisible()
  for (const key of ['j', 'p', 'j', 'p', 'j', 'p']) await page.keyboard.press(key)
  await expect(tray(page).getByRole('listitem')).toHaveText([/run-1/, /run-2/, /fp8/])
  await page.reload()
  await expect(tray(page).getByRole('listitem')).toHaveCount(3)
  await page.keyboard.press('v')
  await expect(page).toHaveURL(/\/compare\?side=\d+&side=\d+&side=\d+$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 experiments, A is the baseline')
  const row = part(page, 'Differing inputs').getByRole('row', { name: /^Max num seqs/ })
  await expect(row.getByRole('cell')).toHaveText(['256', '= same as A: 256', '1024'])
  await expect(part(page, 'Cautions')).toContainText(
    'Caution: the sides differ in dataset and precision, which may cause the differences below.',
  )
  await expect(part(page, 'Cautions')).toContainText('All runs are simulated')
  // the second becomes the baseline with Alt and an arrow, and the focus follows it
  await page.getByRole('listitem', { name: /^B: run-2/ }).focus()
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(page.getByRole('listitem', { name: /^A: run-2.* \(baseline\)$/ })).toBeFocused()
  const [one, two, three] = await ids(page)
  expect(page.url()).toContain(`/compare?side=${two}&side=${one}&side=${three}`)
  await page.getByRole('button', { name: 'Copy as Markdown' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Copied')).toBeVisible()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(text).toContain('- **A** (baseline): run-2: quantization unset, 1 run, 1 simulated')
  expect(text).toContain('| `server.max_num_seqs` | 256 | 256 | 1024 |')
  expect(text).toContain('| `environment.memory_bytes` (GB) | 0.9 | 0.9 | 2.0 |')
  await page.reload()
  await expect(row.getByRole('cell')).toHaveText(['256', '= same as A: 256', '1024'])
  await page.keyboard.press('[')
  await expect(page.getByRole('listitem', { name: /^A: run-1.* \(baseline\)$/ })).toBeVisible()
})

test('numbers are those of the server; a missing value is a dash and is counted', async ({ page }) => {
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${two}&side=${three}`)
  const answer = await (
    await page.request.post(`${dashboard().url}/api/data/compare`, {
      data: { sides: [one, two, three].map((id) => ({ ids: [id] })) },
    })
  ).json()
  const p99 = answer.metrics.find(({ field }: { field: string }) => field === 'results.p99_ttft_ms')
  expect(p99.ratios.map(({ finding }: { finding: string }) => finding)).toEqual(['worse', 'no_value'])
  const cells = part(page, 'Metrics')
    .getByRole('row', { name: /^P99 TTFT/ })
    .getByRole('cell')
  await expect(cells.nth(0)).toContainText('10090 – 110')
  await expect(cells.nth(1)).toContainText('+50.0 % worse in these runsby more than 5 %')
  // two single runs: no p-value of a difference between configurations
  await expect(cells.nth(1)).not.toContainText(', p ')
  // one axis for all metrics, in the head of each candidate
  await expect(part(page, 'Metrics').locator('thead svg')).toHaveCount(2)
  await expect(part(page, 'Metrics').locator('thead svg').first().locator('text')).toHaveText([
    /^(−33 %|×1\/2)$/,
    /^(\+50 %|×2)$/,
    '0',
  ])
  await expect(part(page, 'Metrics').locator('tbody svg text')).toHaveCount(0)
  await expect(cells.nth(0).locator('svg')).toHaveCount(0)
  await expect(part(page, 'Summary')).toContainText(
    'Single runs: these counts compare the runs, not their configurations.',
  )
  await expect(cells.nth(1)).toContainText(/\+[\d.]+ … \+[\d.]+ %/)
  await expect(cells.nth(2)).toHaveText(/^C–.*n 0 of 1: 1 not recorded nothing to compare$/)
  // a curve has the points that the answer has, and none for what is missing
  const family = answer.families.find(({ key }: { key: string }) => key === 'ttft_ms')
  const figure = part(page, 'Percentile curves').getByRole('figure').first()
  for (const [at, letter] of ['A', 'B', 'C'].entries())
    await expect(figure.locator(`[data-side="${letter}"] > g`)).toHaveCount(
      family.sides[at].value.filter((value: number | null) => value !== null).length,
    )
  await part(page, 'Percentile curves').getByRole('button', { name: 'Show as a table' }).click()
  await expect(part(page, 'Percentile curves').getByRole('row', { name: /^p99 / }).first()).toContainText('–')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const csv = readFileSync(await (await download).path(), 'utf8')
  await expect(part(page, 'Over time')).toContainText('No telemetry was uploaded with A, B, C.')
  expect(csv).toMatch(/^input,environment\.memory_bytes,[^,]*,B,C,run-3,2000000000,/m)
  expect(csv).toContain(`metric,results.p99_ttft_ms,P99 TTFT,ms,B,run-2,150,1,140,160,${p99.ratios[0].ratio},`)
  expect(await soundness(page)).toEqual([])
})

test('the list of equal parameters has groups and a search, and keeps the names of differing ones', async ({
  page,
}) => {
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${two}&side=${three}`)
  const heads = part(page, 'Differing inputs').getByRole('rowheader')
  const before = await heads.allInnerTexts()
  await page.getByRole('button', { name: /^Show [\d,]+ equal parameters$/ }).click()
  const equal = page.getByRole('region', { name: 'Equal parameters' })
  await expect(equal).toBeVisible()
  await expect(heads).toHaveText(before)
  await expect(equal.getByRole('heading', { name: 'Model', exact: true })).toBeVisible()
  expect(await equal.locator('dt').count()).toBeGreaterThan(100)
  await page.getByRole('textbox', { name: 'Search equal parameters' }).fill('tensor parallel')
  await expect(equal.locator('dt', { hasText: /^Tensor parallel size/ }).first()).toBeVisible()
  expect(await equal.locator('dt').count()).toBeLessThan(20)
  // Hide is above the list
  const [hide, list] = [
    await page.getByRole('button', { name: 'Hide equal parameters' }).boundingBox(),
    await equal.boundingBox(),
  ]
  expect(hide?.y).toBeLessThan(list?.y ?? 0)
})

test('numbers have units, marks and heads show their certainty, and the arrow of the baseline is in its box', async ({
  page,
}) => {
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${two}&side=${three}`)
  const differs = part(page, 'Differing inputs')
  await expect(differs.getByRole('row', { name: /^Host memory/ })).toContainText('GB0.9= same as A: 0.92.0')
  const hash = differs
    .getByRole('row', { name: /^Dataset SHA-256/ })
    .getByRole('cell')
    .last()
  await expect(hash).toHaveText('abababababab…')
  await expect(hash).toHaveAttribute('title', 'ab'.repeat(32))
  const metrics = part(page, 'Metrics')
  await expect(
    metrics
      .getByRole('row', { name: /^P99 TTFT/ })
      .getByRole('cell')
      .nth(1)
      .locator('[data-look]'),
  ).toHaveAttribute('data-look', 'filled')
  await expect(
    metrics
      .getByRole('row', { name: /^Output throughput/ })
      .first()
      .getByRole('cell')
      .nth(1)
      .locator('[data-look]'),
  ).toHaveAttribute('data-look', 'dashed')
  await expect(metrics).toContainText('95 % CIs do not include run-to-run variation')
  const base = page.getByRole('combobox', { name: /^Baseline/ })
  const [box, arrow] = [await base.boundingBox(), await base.locator('xpath=following-sibling::*').boundingBox()]
  expect((arrow?.x ?? Infinity) + (arrow?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
  await expect(
    part(page, 'Percentile curves')
      .getByRole('figure')
      .first()
      .locator('text', { hasText: /^percentile$/ }),
  ).toHaveCount(1)
})

test('a phone shows eight sides and the certainty of a difference', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [one, two, three] = await ids(page)
  await compared(
    page,
    `side=${one}&side=${two}&side=${three}&side=${one},${two}&side=${one},${three}&side=${two},${three}&side=${one},${two},${three}&side=${two},${one}`,
  )
  await expect(part(page, 'Cautions')).toContainText('abababababab…')
  await expect(part(page, 'Quality').getByRole('row', { name: /^Verdict/ })).toContainText('2 trusted')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.setViewportSize({ width: 1280, height: 800 })
  const cards = await page
    .getByRole('list', { name: 'Compared' })
    .getByRole('listitem')
    .evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right] as const),
    )
  expect(cards).toHaveLength(8)
  for (const [i, [left]] of cards.entries())
    if (i > 0) expect(left).toBeGreaterThanOrEqual((cards[i - 1]?.[1] ?? 0) - 0.5)
  await page.setViewportSize({ width: 390, height: 844 })
  const card = part(page, 'Metrics').locator('tr', { hasText: 'P99 TTFT' }).locator('td').nth(1)
  expect(await card.innerText()).toMatch(/\+50\.0 %\s+worse in these runs\s[\s\S]*\+[\d.]+ … \+[\d.]+ %/)
  // a sentence about all sides has the width of the page
  expect((await part(page, 'Summary').locator('p').last().boundingBox())?.width).toBeGreaterThan(300)
})

test('two and eight sides have heads on one line, one axis, and uncut notes on the number of needed runs', async ({
  page,
}) => {
  const [one, two, three] = await ids(page)
  const metrics = part(page, 'Metrics')
  for (const sides of [
    `side=${one},${two}&side=${one},${three}`,
    Array.from(
      { length: 8 },
      (_, i) =>
        `side=${[one, two, three, `${one},${two}`, `${one},${three}`, `${two},${three}`, `${two},${one}`, `${three},${one}`][i]}`,
    ).join('&'),
  ]) {
    await compared(page, sides)
    const tops = await metrics.locator('thead th').evaluateAll((heads) =>
      heads.map((head) => {
        const range = document.createRange()
        range.selectNodeContents(head.querySelector('span') ?? head)
        return Math.round(range.getBoundingClientRect().top)
      }),
    )
    expect(new Set(tops).size, `tops of the heads: ${tops.join(', ')}`).toBe(1)
    const axes = await metrics
      .locator('tbody td:nth-of-type(2) svg[aria-hidden]')
      .filter({ has: page.locator('line') })
      .evaluateAll((all) =>
        all
          .filter((one) => !one.parentElement?.closest('svg'))
          .map((one) => one.getBoundingClientRect())
          .filter(({ width }) => width > 20)
          .map(({ left, width }) => `${Math.round(left)} ${Math.round(width)}`),
      )
    expect(axes.length).toBeGreaterThan(3)
    expect([...new Set(axes)]).toHaveLength(1)
  }
  await compared(page, `side=${one},${two}&side=${one},${three}`)
  const notes = metrics.getByText(/needs \d[\d,]* more runs? per side$/)
  expect(await notes.count()).toBeGreaterThan(0)
  expect(
    await notes.evaluateAll((all) =>
      all.filter((note) => note.scrollWidth > note.clientWidth && note.clientWidth > 0).map((note) => note.textContent),
    ),
  ).toEqual([])
})

test('the header, the summary and all tables share columns, and the header and the labels stay in view', async ({
  page,
}) => {
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${two}&side=${three}`)
  const right = await page
    .getByRole('button', { name: 'Export' })
    .evaluate((button) => button.getBoundingClientRect().right)
  const lefts = (selector: string) =>
    page.locator(selector).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)))
  const columns = await lefts('ol[aria-label="Compared"] > li')
  expect(
    Math.abs(
      right - (await page.locator('ol[aria-label="Compared"]').evaluate((list) => list.getBoundingClientRect().right)),
    ),
  ).toBeLessThan(1)
  for (const table of ['Differing inputs', 'Metrics', 'Startup', 'Quality']) {
    const cells = await lefts(`section[aria-label="${table}"] tbody tr:last-child > td`)
    expect(
      cells.slice(0, 3).map((left, i) => Math.abs(left - (columns[i] ?? 0)) <= 1),
      table,
    ).toEqual([true, true, true])
  }
  const summary = part(page, 'Summary')
  const words = await part(page, 'Metrics')
    .locator('tbody td:nth-of-type(2)')
    .evaluateAll((cells) => cells.map((cell) => /better|worse|unclear/.exec(cell.textContent)?.[0]))
  const counted = (word: string) => words.filter((one) => one === word).length
  await expect(summary).toContainText(`${counted('worse')} worse`)
  await expect(summary).toContainText(`${counted('unclear')} ${counted('unclear') === 1 ? 'is' : 'are'} unclear`)
  await expect(summary).toContainText('P99 TTFT +50.0 %')
  // a difference of 50 % takes at least a sixth of its axis, whatever the other metrics do
  const away = await part(page, 'Metrics')
    .getByRole('row', { name: /^P99 TTFT/ })
    .getByRole('cell')
    .nth(1)
    .evaluate((cell) => {
      const [axis, mark] = [
        cell.querySelector('svg')?.getBoundingClientRect(),
        cell.querySelector('[data-look]')?.getBoundingClientRect(),
      ]
      return axis && mark ? ((mark.left + mark.right) / 2 - (axis.left + axis.right) / 2) / axis.width : 0
    })
  expect(away).toBeGreaterThan(1 / 6)
  // nine metrics fit below the header, each on one or two lines
  const heights = await part(page, 'Metrics')
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(Math.max(...heights)).toBeLessThanOrEqual(36)
  await part(page, 'Quality').scrollIntoViewIfNeeded()
  await expect(page.getByRole('listitem', { name: /^A: run-1/ })).toBeInViewport()
  // at 820 px the verdict of each difference is in view
  await page.setViewportSize({ width: 820, height: 1100 })
  const outside = await part(page, 'Metrics').evaluate(
    (section) =>
      [...section.querySelectorAll('tbody td span')].filter(
        (word) => /^(better|worse|unclear)$/.test(word.textContent) && word.getBoundingClientRect().right > 820,
      ).length,
  )
  expect(outside).toBe(0)
  // eight sides: at 1440 px nothing scrolls sideways, and the page has half its earlier height
  await page.setViewportSize({ width: 1440, height: 900 })
  await compared(
    page,
    `side=${one}&side=${two}&side=${three}&side=${one},${two}&side=${one},${three}&side=${two},${three}&side=${one},${two},${three}&side=${two},${one}`,
  )
  await expect(part(page, 'Quality').getByRole('row', { name: /^Verdict/ })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(5400)
  expect(
    await part(page, 'Metrics')
      .getByRole('region')
      .evaluate((box) => box.scrollWidth - box.clientWidth),
  ).toBe(0)
})

test('groups: pins a filter, compares only simulated runs, matches inputs, and counts only known inputs as equal', async ({
  page,
}) => {
  await page.goto(`${dashboard().url}/?server.max_num_seqs=256`)
  await expect(counted(page)).toContainText('2 of 3')
  await page.getByRole('button', { name: /^Pin as a group/ }).click()
  await page.goto(`${dashboard().url}/?server.max_num_seqs=1024`)
  await expect(counted(page)).toContainText('1 of 3')
  await expect(tray(page)).toContainText('256')
  await page.getByRole('button', { name: /^Pin as a group/ }).click()
  await tray(page).getByRole('link', { name: 'Compare 2' }).click()
  // included, although simulated, because all runs are simulated
  await expect(page.getByRole('listitem', { name: /^A/ })).toContainText('2 runs')
  await page.getByRole('button', { name: 'Keep only comparable results' }).click()
  await expect(part(page, 'Cautions')).toContainText('1 combination of inputs occurs')
  await expect(page).toHaveURL(/match=1$/)
  await page.getByRole('button', { name: 'Remove B' }).click()
  await expect(page.getByText('This comparison has one side')).toBeVisible()
  await page.keyboard.press('[')
  await expect(page.getByRole('listitem', { name: /^B/ })).toBeVisible()
  const [one, two] = await ids(page)
  await compared(page, `side=${one}&side=${two}`)
  await expect(part(page, 'Cautions')).toContainText(
    'Status, failed requests, verdict, dataset, lengths, output length, load form, precision, client, neighbors and model are the same on all sides.',
  )
  const empty = encodeURIComponent(JSON.stringify({ filter: { field: 'run.suite', op: 'eq', value: 'no-such-suite' } }))
  await compared(page, `side=${one}&side=${empty}`)
  await expect(part(page, 'Cautions')).toContainText('B has no run: its inputs cannot be checked.')
  await expect(part(page, 'Cautions')).not.toContainText('on all sides')
})

test('a side that failed to start shows its status, causes no caution, and its facts are not recorded', async ({
  page,
}) => {
  await page.goto(`${failing().url}/compare?side=1&side=2`)
  await expect(page.getByRole('listitem', { name: /^B/ })).toContainText('launch failed')
  await expect(part(page, 'Cautions')).toHaveText(/^B has no metrics: launch failed\.$/)
  await expect(part(page, 'Summary')).toContainText('nothing to compare')
  const differs = part(page, 'Differing inputs')
  await expect(
    differs
      .getByRole('row', { name: /^Engine version/ })
      .getByRole('cell')
      .last(),
  ).toHaveText('–')
  await expect(
    differs
      .getByRole('row', { name: /^Max concurrency/ })
      .getByRole('cell')
      .last(),
  ).toHaveText('unset')
})

test('if sides are stacked, a side moves up and down', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const [one, two] = await ids(page)
  await compared(page, `side=${one}&side=${two}`)
  await page.getByRole('button', { name: 'Move A down' }).click()
  await expect(page).toHaveURL(new RegExp(`side=${two}&side=${one}$`))
  await page.getByRole('button', { name: 'Move B up' }).click()
  await expect(page).toHaveURL(new RegExp(`side=${one}&side=${two}$`))
})

test('the tray, rows and points mark each other; a row can unpin itself', async ({ page, complaints }) => {
  complaints.allow.push(/status of (404|422)/)
  await page.goto(`${dashboard().url}/?sort=run.name`)
  await expect(counted(page)).toBeVisible()
  await page.getByRole('button', { name: 'Pin to compare: run-2' }).click()
  const item = tray(page).getByRole('listitem')
  await item.hover()
  await expect(page.getByRole('row', { name: /run-2/ })).toHaveAttribute('data-linked')
  await page.getByRole('row', { name: /run-1/ }).hover()
  await expect(item).not.toHaveAttribute('data-linked')
  await page.getByRole('button', { name: 'Unpin A: run-2' }).click()
  await expect(tray(page)).toHaveCount(0)
  await page.goto(`${dashboard().url}/compare?side=999999&side=1`)
  await expect(page.getByRole('alert')).toHaveText(
    /^Experiment 999999 does not exist or was deleted\. Remove it from the comparison$/,
  )
  // like the badge of the only side
  await expect(page.getByRole('main').getByText('simulated', { exact: true })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'run-1' })).toHaveAttribute('href', '/experiments/1')
  await page.getByRole('button', { name: 'Remove it from the comparison' }).click()
  await expect(page).toHaveURL(/\/compare\?side=1$/)
  // the sides that exist are compared
  await page.goto(`${dashboard().url}/compare?side=1&side=999998&side=2,999999&side=3`)
  await expect(page.getByRole('alert')).toHaveText(/^Experiments 999998, 999999 do not exist or were deleted\./)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 experiments, A is the baseline')
  await expect(page.getByRole('listitem', { name: /^[ABC]: / })).toHaveCount(3)
  await expect(part(page, 'Metrics').getByRole('table')).toBeVisible()
  await page.getByRole('button', { name: 'Remove them from the comparison' }).click()
  await expect(page).toHaveURL(/\/compare\?side=1&side=2&side=3$/)
})

test('tabs share the tray: no pin is lost, pins are named by differences, and eight is the limit', async ({
  page,
  context,
}) => {
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(`${dashboard().url}/?sort=run.name`)
    await expect(counted(tab)).toBeVisible()
  }
  await Promise.all([
    page.getByRole('button', { name: 'Pin to compare: run-1' }).click(),
    other.getByRole('button', { name: 'Pin to compare: run-3' }).click(),
  ])
  for (const tab of [page, other]) {
    await expect(tray(tab).getByRole('listitem')).toHaveCount(2)
    await expect(tray(tab)).toContainText('fp8')
    await expect(tray(tab).getByRole('listitem', { name: '' }).filter({ hasText: 'fp8' })).toHaveAttribute(
      'title',
      /run-3: .*fp8/,
    )
  }
  expect(await tray(page).getByRole('listitem').allInnerTexts()).toEqual(
    await tray(other).getByRole('listitem').allInnerTexts(),
  )
  await other.getByRole('button', { name: /^Unpin \w: run-1/ }).click()
  await expect(tray(page).getByRole('listitem')).toHaveText([/run-3/])
  await other.evaluate(() => {
    for (let i = 0; i < 7; i++)
      localStorage.setItem(
        `profllm.tray.{"field":"run.name","op":"eq","value":"run-${i}"}`,
        JSON.stringify({ name: `group ${i}`, at: i }),
      )
    localStorage.setItem('profllm.tray.not a side', 'nor JSON')
  })
  await expect(tray(page).getByRole('listitem')).toHaveCount(8)
  await page.getByRole('button', { name: 'Pin to compare: run-1' }).click()
  await expect(tray(page).getByRole('status')).toHaveText('8 sides can be compared; remove one first')
  await page.reload()
  await expect(tray(page).getByRole('listitem')).toHaveCount(8)
})

// Uploads an hour of telemetry per run, one sample every ten seconds.
async function sendSeries(page: Page, figures: ((i: number) => number)[]) {
  for (const [at, id] of (await ids(page)).slice(0, figures.length).entries()) {
    const { run_id } = await (await page.request.get(`${dashboard().url}/api/data/experiments/${id}`)).json()
    const lines = Array.from({ length: HOUR_S / 10 }, (_, i) =>
      JSON.stringify({ t_ns: BEGIN_NS + i * 1e10 + 1, source: 'gpu', id: null, values: { power_w: figures[at]?.(i) } }),
    )
    const sent = await page.request.put(`${dashboard().url}/api/upload/artifact/${run_id}/series/r.series.jsonl`, {
      data: Buffer.from(`${lines.join('\n')}\n`),
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(sent.ok()).toBe(true)
  }
}

test('a cursor on one curve reads them all, by pointer and by keys', async ({ page }) => {
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${two}&side=${three}`)
  const curves = part(page, 'Percentile curves')
  const { families } = await (
    await page.request.post(`${dashboard().url}/api/data/compare`, {
      data: { sides: [one, two, three].map((id) => ({ ids: [id] })) },
    })
  ).json()
  const told = (key: string, percentile: number, side: number): number =>
    families.find((family: { key: string }) => family.key === key).sides[side].value[
      families.find((family: { key: string }) => family.key === key).percentiles.indexOf(percentile)
    ]
  const ttft = curves.getByRole('slider', { name: /^TTFT by percentile/ })
  await expect(ttft).toHaveAttribute('aria-valuetext', /^no position/)
  await ttft.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  const said = await ttft.getAttribute('aria-valuetext')
  const percentile = Number(/^p([\d.]+):/.exec(said ?? '')?.[1])
  expect(said).toMatch(/^p[\d.]+: A [\d.,]+ ms, B [\d.,]+ ms, C no value$/)
  const numbers = [...(said ?? '').matchAll(/[AB] ([\d.,]+) ms/g)].map(([, text]) => Number(text?.replaceAll(',', '')))
  for (const side of [0, 1])
    expect(Math.abs((numbers[side] ?? 0) - told('ttft_ms', percentile, side))).toBeLessThanOrEqual(
      told('ttft_ms', percentile, side) * 0.01,
    )
  // it is within the drawing, which fills the available width
  for (const drawing of await curves.getByRole('slider').all())
    expect(await drawing.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  // a line in every drawing, and a reading below it
  const count = await curves.getByRole('figure').count()
  expect(count).toBeGreaterThan(1)
  await expect(curves.locator('[data-cursor]')).toHaveCount(count)
  await expect(curves.getByText(`p${percentile}`, { exact: true })).toHaveCount(count)
  expect(await soundness(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(curves.locator('[data-cursor]')).toHaveCount(0)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await expect(curves.locator('[data-cursor]')).toHaveCount(0)
  await curves.getByRole('slider').last().hover()
  await expect(curves.locator('[data-cursor]')).toHaveCount(count)
  await part(page, 'Metrics').getByRole('heading').hover()
  await expect(curves.locator('[data-cursor]')).toHaveCount(0)
})

test('telemetry of an hour is a line with a cursor; a logarithmic axis with zero is refused with the reason', async ({
  page,
}) => {
  await page.goto(`${dashboard().url}/`)
  await sendSeries(page, [(i) => 100 + i, (i) => (i === 4 ? 0 : 700)])
  const [one, two, three] = await ids(page)
  await compared(page, `side=${one}&side=${three}`)
  const time = part(page, 'Over time')
  await expect(time.locator('path[data-side="A"]')).toHaveAttribute('d', /^M[^M]*L[^M]*$/) // in one piece
  await time.getByRole('slider').focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await expect(time.getByRole('slider')).toHaveAttribute('aria-valuetext', /^18 s: A 102.0 W, B no value$/)
  const high = () => time.locator('path[data-side="A"]').getAttribute('d')
  const linear = await high()
  await time.getByRole('checkbox', { name: 'logarithmic' }).focus()
  await page.keyboard.press('Space')
  await expect(page).toHaveURL(/&logtime=1$/)
  await expect.poll(high).not.toBe(linear)
  await page.reload()
  await expect(time.getByRole('checkbox', { name: 'logarithmic' })).toBeChecked()
  await expect(time.locator('path[data-side="A"]')).not.toHaveAttribute('d', linear ?? '')
  await page.goto(`${dashboard().url}/compare?side=${one}&side=${two}&logtime=1&logcurves=1`)
  await expect(time).toContainText('No logarithmic axis: 1 value is at or below zero.')
  await expect(part(page, 'Percentile curves').getByRole('checkbox', { name: 'logarithmic' })).toBeChecked()
  // TTFT is above zero
  await expect(part(page, 'Percentile curves').getByRole('figure').first()).not.toContainText('No logarithmic axis')
  expect(await soundness(page)).toEqual([])
})
