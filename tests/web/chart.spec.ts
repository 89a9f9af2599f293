// The chart: it draws only marks of the server's response, and pointer, keys, table and files show the same values.
import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { chips, counted, expect, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const RUNS = 40
const LONG = 'a name without an end '.repeat(14).slice(0, 300)
const X = 'results.p99_ttft_ms'
const Y = 'results.output_throughput'
const TP = 'server.tensor_parallel_size'
const AXES = `x=${X}&y=${Y}&color=${TP}`

// one has more digits than the drawing; p99 is missing in every other run, and zero in one; of the runs of size 8 all
// have none
const hasP99 = (i: number) => i % 2 === 0 && i % 4 !== 2
const runs = Array.from({ length: RUNS }, (_, i) => ({
  name: i === 4 ? LONG : `run-${i + 1}`,
  size: [1, 2, 4, 8][i % 4] as number,
  p99: hasP99(i) ? i * 10 : undefined,
  output: i === 12 ? 620.123456789 : 500 + i * 10,
  verdict: i % 8 === 0 ? 'degraded' : 'trusted',
}))

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  runs.forEach((run, i) => {
    const document = variant(base, {
      name: run.name,
      tensor_parallel_size: run.size,
      output_throughput: run.output,
      max_concurrency: i % 8 === 0 ? 16 : 8,
      verdict: run.verdict,
      p99_ttft_ms: run.p99 ?? 1,
    })
    if (run.p99 === undefined) delete document.results.p99_ttft_ms
    for (const key of Object.keys(document.results)) if (/_ci95$/.test(key)) document.results[key] = null
    write(folder, `${i}.json`, document)
  })
  store.import(folder)
})

const plot = (page: Page) => page.getByTestId('plot')
const reading = (page: Page) => page.getByRole('complementary', { name: 'Reading' })
const said = (page: Page) => page.getByRole('status', { name: 'Chart reading' })
const open = async (page: Page, query: string) => {
  await page.goto(`${dashboard().url}/?${query}`)
  await expect(counted(page)).toBeVisible()
}
const points = async (page: Page, question: object) =>
  await (await page.request.post(`${dashboard().url}/api/data/points`, { data: question })).json()

interface Mark {
  values: number[]
  at: number[]
}
interface Series {
  subType: string
  getData: () => { count: () => number; getValues: (at: number) => (number | string)[] }
}
interface Shape {
  shape?: { at?: Float32Array; sizes?: Float32Array }
}
interface Drawn {
  getModel: () => { getSeries: () => Series[] }
  getZr: () => { storage: { getDisplayList: (isFresh: boolean) => Shape[] } }
  convertToPixel: (finder: object, value: number[]) => number[]
  convertFromPixel: (finder: object, at: number[]) => number[]
}

const inDrawing = <T, Of>(page: Page, ask: (host: Element, of: Of) => T, of: Of) =>
  plot(page)
    .locator('> div')
    .first()
    .evaluate(ask as (host: Element, of: unknown) => T, of)

// Returns the values of the drawing, per series, with their places on the screen. A scatter paints its marks itself:
// returns the values at the painted places.
const marksOf = (page: Page, type: string): Promise<Mark[]> =>
  inDrawing(
    page,
    (host, kind) => {
      const { chart } = host as unknown as { chart: Drawn }
      const painted = chart
        .getZr()
        .storage.getDisplayList(true)
        .flatMap(({ shape: { at = [], sizes = [] } = {} }) =>
          Array.from(sizes, (_, i) => [at[i * 2] as number, at[i * 2 + 1] as number]),
        )
      if (kind === 'custom' && painted.length > 0)
        return painted.map((at) => ({
          values: chart.convertFromPixel({ gridIndex: 0 }, at).map((value) => Number(value.toFixed(2))),
          at,
        }))
      return chart
        .getModel()
        .getSeries()
        .filter((series) => series.subType === kind)
        .flatMap((series) => {
          const data = series.getData()
          return Array.from({ length: data.count() }, (_, i) => data.getValues(i).map(Number)).map((values) => ({
            values,
            at: chart.convertToPixel({ gridIndex: 0 }, values.slice(0, 2)),
          }))
        })
    },
    type,
  )

const sorted = (pairs: number[][]) =>
  pairs.toSorted((a, b) => (a[0] as number) - (b[0] as number) || (a[1] as number) - (b[1] as number))

test('the chart draws only points of the server; missing values are counted and never zero', async ({ page }) => {
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  const { marks, excluded } = await points(page, { x: X, y: Y, color: TP })
  const wanted = runs.filter(({ p99 }) => p99 !== undefined)
  expect(sorted(marks.x.map((x: number, i: number) => [x, marks.y[i]]))).toEqual(
    wanted.map(({ p99, output }) => [p99, output]),
  )
  const drawn = await marksOf(page, 'custom')
  expect(sorted(drawn.map(({ values }) => values.slice(0, 2)))).toEqual(
    wanted.map(({ p99, output }) => [p99, Number(output.toFixed(2))]),
  )
  // larger values are further right and further up: each mark is at its place
  const places = drawn.toSorted((a, b) => (a.values[0] as number) - (b.values[0] as number)).map(({ at }) => at)
  for (const [i, at] of places.entries())
    if (i > 0)
      expect(
        (at[0] as number) > (places[i - 1]?.[0] as number) && (at[1] as number) < (places[i - 1]?.[1] as number),
      ).toBe(true)
  expect(excluded).toEqual({ x_missing: RUNS - wanted.length })
  await expect(page.getByRole('note', { name: 'About this chart' })).toContainText(
    `${RUNS - wanted.length} results not plotted: without P99 TTFT`,
  )
})

for (const kind of ['line', 'bar', 'box'] as const) {
  test(`${kind}: figures of groups, and a gap where there is none`, async ({ page }) => {
    await open(page, `chart=${kind}&x=${TP}&y=${X}&color=&spread=range`)
    await expect(plot(page)).toBeVisible()
    const { groups, x } = await points(page, { form: 'groups', x: TP, y: X })
    expect(x.kinds.kinds.map((one: { value: number }) => one.value)).toEqual([1, 2, 4, 8])
    expect(groups.n[0]).toBeGreaterThan(0)
    expect(groups.n.slice(1)).toEqual([0, 0, 0])
    const there = groups.x
      .map((at: number, i: number) => [at, groups.p50[i], groups.min[i], groups.p25[i], groups.p75[i], groups.max[i]])
      .filter(([, p50]: [number, number | null]) => p50 !== null)
    if (kind === 'line')
      expect((await marksOf(page, 'custom')).map(({ values }) => values)).toEqual(
        there.map(([at, p50]: number[]) => [[1, 2, 4, 8][at as number], p50]),
      )
    if (kind === 'bar')
      expect((await marksOf(page, 'custom')).map(({ values }) => values)).toEqual([
        ...there.map((one: number[]) => one.slice(0, 2)),
        ...there.map((one: number[]) => [one[0], one[2], one[5]]),
      ])
    if (kind === 'box')
      expect((await marksOf(page, 'custom')).map(({ values }) => values)).toEqual(
        there.map(([at, p50, min, p25, p75, max]: number[]) => [at, min, p25, p50, p75, max]),
      )
    await expect(
      page.getByText(kind === 'box' ? 'whiskers: minimum to maximum' : 'error bars: minimum to maximum'),
    ).toBeVisible()
    await expect(page.getByRole('note', { name: 'About this chart' })).toContainText(
      `${RUNS - groups.n[0]} results not plotted: without P99 TTFT`,
    )
    await plot(page).focus()
    await page.keyboard.press('Home')
    await expect(plot(page)).toContainText('median P99 TTFT over runs')
    await expect(plot(page)).toContainText('not independent samples')
    await page.getByRole('button', { name: 'Show as a table' }).click()
    await expect(
      page
        .getByRole('group', { name: /^Table of the chart/ })
        .getByRole('row')
        .nth(2),
    ).toContainText('–')
  })
}

test('the table of a chart shows both ends of a long name', async ({ page }) => {
  await open(page, `${AXES}&as=table`)
  const link = page.getByRole('group', { name: /^Table of the chart/ }).getByTitle(LONG.trim())
  await expect(link).toHaveText(/^a name.*….+$/)
  expect((await link.innerText()).length).toBeLessThanOrEqual(44)
  expect(LONG.trim().endsWith((await link.innerText()).split('…')[1] as string)).toBe(true)
})

test('histogram: every run is in one bin', async ({ page }) => {
  await open(page, `chart=histogram&x=${Y}&color=`)
  await expect(plot(page)).toBeVisible()
  const { bins } = await points(page, { form: 'bins', x: Y })
  const drawn = (await marksOf(page, 'custom')).map(({ values }) => values)
  expect(drawn).toEqual(
    bins.counts[0].map((n: number, i: number) => [i + 0.5, 0, n]).filter(([, , n]: number[]) => (n as number) > 0),
  )
  expect(drawn.reduce((sum, [, low, high]) => sum + (high as number) - (low as number), 0)).toBe(RUNS)
  // a region within one bin is that bin
  const [left = 0, right = 0] = await inDrawing(
    page,
    (host) =>
      [0.1, 0.45].map(
        (at) => (host as unknown as { chart: Drawn }).chart.convertToPixel({ gridIndex: 0 }, [at, 0])[0] as number,
      ),
    null,
  )
  const wide = (await plot(page).boundingBox())?.width ?? 1
  await dragAcross(page, [left / wide, 0.2], [right / wide, 0.6])
  await page.mouse.move(2, 2)
  await expect(counted(page)).toHaveText(
    `${runs.filter(({ output }) => output <= bins.edges[1]).length} of ${RUNS} experiments`,
  )
})

const CONCURRENCY = 'benchmark.max_concurrency'

test('heat map: one cell per pair of values, no color without a number, and a region filters', async ({ page }) => {
  await open(page, `chart=heat&x=${TP}&y=${CONCURRENCY}&value=${X}`)
  await expect(plot(page)).toBeVisible()
  const { grid, x, y } = await points(page, { form: 'grid', x: TP, y: CONCURRENCY, value: X })
  const cells = grid.n.map((_: number, i: number) => [grid.x[i], grid.y[i], grid.p50[i] ?? NaN, grid.failed[i]])
  expect(cells.length).toBeLessThan(x.kinds.kinds.length * y.kinds.kinds.length)
  expect(grid.n.filter((n: number) => n === 0).length).toBeGreaterThan(0)
  const drawn = await marksOf(page, 'custom')
  expect(drawn.map(({ values }) => values)).toEqual(cells)
  const legend = page.getByRole('group', { name: 'Legend' })
  await expect(legend).toContainText('median P99 TTFT ms')
  await expect(legend).toContainText(`no number ${grid.n.filter((n: number) => n === 0).length}`)
  await plot(page).focus()
  await page.keyboard.press('ArrowRight')
  await expect(said(page)).toHaveText(/^1, 8: median P99 TTFT over runs [\d.]+ ms, quartiles/)
  const withP99 = runs.filter(({ p99 }) => p99 !== undefined).length
  const drawing = (await saved(page, 'Save as SVG')).bytes.toString()
  for (const words of [
    'Heat map: median P99 TTFT by tensor parallel size',
    'Filter: none',
    `n = ${withP99} of ${RUNS}`,
    `not plotted: ${RUNS - withP99} without P99 TTFT`,
    'data version',
    'median P99 TTFT ms',
    `no number  ${grid.n.filter((n: number) => n === 0).length}`,
  ])
    expect(drawing).toContain(words)
  await dragAcross(page, [0.12, 0.1], [0.45, 0.85])
  await page.mouse.move(2, 2)
  await expect(chips(page)).toHaveCount(2)
  await expect(counted(page)).toHaveText(`${runs.filter(({ size }) => size < 4).length} of ${RUNS} experiments`)
})

test('parallel axes: a run is a line, broken where a value is missing; a range of an axis filters', async ({
  page,
}) => {
  await open(page, `chart=parallel&axes=${TP},${X},${Y}&color=${CONCURRENCY}`)
  await expect(plot(page)).toBeVisible()
  const { lines, axes, gaps } = await points(page, { form: 'parallel', axes: [TP, X, Y] })
  expect(lines.id.length).toBe(RUNS)
  expect(gaps).toEqual([{}, { missing: runs.filter(({ p99 }) => p99 === undefined).length }, {}])
  const share = (axis: { min: number; max: number }, at: number | null) =>
    at === null ? NaN : (at - axis.min) / (axis.max - axis.min)
  const drawn = (await marksOf(page, 'custom')).map(({ values }) => values).filter((values) => values.length > 2)
  expect(drawn.map((values) => values.slice(2).map((at) => at.toFixed(6)))).toEqual(
    lines.id.map((_: number, i: number) =>
      axes.map((axis: { min: number; max: number }, k: number) => share(axis, lines.at[k][i]).toFixed(6)),
    ),
  )
  await expect(page.getByRole('note', { name: 'About this chart' })).toContainText(`${gaps[1].missing} gaps in lines`)
  await plot(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(reading(page)).toContainText('run-40')
  await page.keyboard.press('Escape')
  const drawing = (await saved(page, 'Save as SVG')).bytes.toString()
  for (const words of [
    `Parallel axes of ${RUNS} experiments`,
    'Filter: none',
    `n = ${RUNS} of ${RUNS}`,
    'data version',
    'Broken lines',
  ])
    expect(drawing).toContain(words)
  // the upper part of the last axis
  const box = await plot(page).boundingBox()
  const x = 1 - 64 / (box?.width ?? 1)
  await dragAcross(page, [x, 0.1], [x, 0.5])
  await expect(chips(page)).toHaveCount(1)
  await expect(counted(page)).not.toHaveText(`${RUNS} of ${RUNS} experiments`)
  const kept = (
    await points(page, {
      form: 'parallel',
      axes: [TP, X, Y],
      filter: { field: Y, op: 'ge', value: Number(/output_throughput=(\d+(?:\.\d+)?)/.exec(page.url())?.[1]) },
    })
  ).drawn
  await expect(counted(page)).toHaveText(`${kept} of ${RUNS} experiments`)
})

async function dragAcross(page: Page, [fromX, fromY]: [number, number], [toX, toY]: [number, number]) {
  const box = await plot(page).boundingBox()
  if (!box) throw new Error('there is no plot')
  await page.mouse.move(box.x + box.width * fromX, box.y + box.height * fromY)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * toX, box.y + box.height * toY, { steps: 4 })
  await page.mouse.up()
}

test('a drawn region filters by both fields; Back undoes it', async ({ page }) => {
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  const all = await marksOf(page, 'custom')
  const box = await plot(page).boundingBox()
  // the chart is requested first, and drawn before the table, which arrives later
  const points = page.waitForResponse('**/api/data/points')
  await page.route(
    '**/api/filters/apply',
    async (route) => {
      await points
      await route.continue()
    },
    { times: 1 },
  )
  const marksAtCount = counted(page).evaluate(
    (count) =>
      new Promise<number>((resolve) => {
        const before = count.querySelector('b')?.textContent
        new MutationObserver((_, watch) => {
          if (count.querySelector('b')?.textContent === before) return
          watch.disconnect()
          const { chart } = document.querySelector('[data-testid=plot] > div') as unknown as { chart: Drawn }
          resolve(
            chart
              .getZr()
              .storage.getDisplayList(true)
              .reduce((sum, { shape }) => sum + (shape?.sizes?.length ?? 0), 0),
          )
        }).observe(count, { subtree: true, childList: true, characterData: true })
      }),
  )
  await dragAcross(page, [0.1, 0.02], [0.5, 0.85])
  await expect(chips(page)).toHaveCount(2)
  const inside = all.filter(
    ({ at: [x = 0, y = 0] }) =>
      x > (box?.width ?? 0) * 0.1 &&
      x < (box?.width ?? 0) * 0.5 &&
      y > (box?.height ?? 0) * 0.02 &&
      y < (box?.height ?? 0) * 0.85,
  )
  expect(inside.length).toBeGreaterThan(1)
  expect(inside.length).toBeLessThan(all.length)
  await expect(counted(page)).toHaveText(`${inside.length} of ${RUNS} experiments`)
  expect(await marksAtCount).toBe(inside.length)
  await expect
    .poll(async () => sorted((await marksOf(page, 'custom')).map(({ values }) => values.slice(0, 2))))
    .toEqual(sorted(inside.map(({ values }) => values.slice(0, 2))))
  await page.goBack()
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
})

// A promise that the test resolves.
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

test('a new filter redraws the chart when its answer arrives, and neither chart nor table waits for the other', async ({
  page,
}) => {
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  const hold = async (path: string) => {
    const { open: let_, opened } = gate()
    await page.route(
      path,
      async (route) => {
        await opened
        await route.continue()
      },
      { times: 1 },
    )
    return let_
  }
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const press = (size: number) =>
    page
      .getByRole('group', { name: 'Tensor parallel size' })
      .getByRole('checkbox', { name: new RegExp(` ${size}, `) })
      .press('Space')
  const remember = () =>
    inDrawing(
      page,
      (host) => {
        ;(window as unknown as { model: unknown }).model = (host as unknown as { chart: Drawn }).chart.getModel()
      },
      null,
    )
  const isSame = () =>
    inDrawing(
      page,
      (host) =>
        (window as unknown as { model: unknown }).model === (host as unknown as { chart: Drawn }).chart.getModel(),
      null,
    )
  const count = async () => (await marksOf(page, 'custom')).length
  const of = (...sizes: number[]) => runs.filter(({ size }) => sizes.includes(size))
  const drawn = (list: typeof runs) => list.filter(({ p99 }) => p99 !== undefined).length

  await remember()
  const letChart = await hold('**/api/data/points')
  await press(1)
  await expect(counted(page)).toHaveText(`${of(1).length} of ${RUNS} experiments`)
  await expect(region('Experiments')).toHaveAttribute('aria-busy', 'false')
  await expect(region('Chart')).toHaveAttribute('aria-busy', 'true')
  expect(await isSame()).toBe(true)
  letChart()
  await expect(region('Chart')).toHaveAttribute('aria-busy', 'false')
  expect(await count()).toBe(drawn(of(1)))

  const letTable = await hold('**/api/filters/apply')
  await press(2)
  await expect.poll(count).toBe(drawn(of(1, 2)))
  await expect(region('Chart')).toHaveAttribute('aria-busy', 'false')
  await expect(region('Experiments')).toHaveAttribute('aria-busy', 'true')
  await expect(counted(page)).toContainText(`${of(1).length} of ${RUNS} experiments`)
  await remember()
  letTable()
  await expect(counted(page)).toHaveText(`${of(1, 2).length} of ${RUNS} experiments`)
  await expect(region('Experiments')).toHaveAttribute('aria-busy', 'false')
  expect(await isSame()).toBe(true)
})

test('typed numbers filter like a drawn region', async ({ page }) => {
  await open(page, AXES)
  await page.getByRole('button', { name: 'Chart options' }).click()
  const from = page.getByRole('textbox', { name: /^x: P99 TTFT, from/ })
  await from.fill('100')
  await from.press('Enter')
  await expect(counted(page)).toHaveText(`${runs.filter(({ p99 }) => (p99 ?? 0) >= 100).length} of ${RUNS} experiments`)
  expect(page.url()).toContain(`${X}=100..`)
})

const press = async (page: Page, mark: Mark) =>
  plot(page).click({ position: { x: mark.at[0] as number, y: mark.at[1] as number } })

test('a press pins a point: the reading shows its name, values and differences, and the address keeps it', async ({
  page,
}) => {
  await open(page, AXES)
  const mark = (await marksOf(page, 'custom')).find(({ values }) => values[0] === 80) as Mark
  await plot(page).hover({ position: { x: mark.at[0] as number, y: mark.at[1] as number } })
  await expect(plot(page)).toContainText('run-9')
  await press(page, mark)
  await expect(reading(page)).toContainText('run-9')
  await expect(reading(page)).toContainText('580')
  await expect(reading(page)).toContainText('Differences from the 9 nearest resultsMax concurrency16')
  const url = page.url()
  expect(url).toMatch(/point=\d+/)
  await page.goto('about:blank')
  await page.goto(url)
  await expect(reading(page)).toContainText('run-9')
  await plot(page).focus()
  await page.keyboard.press('Escape')
  await expect(reading(page)).not.toContainText('run-9')
  expect(page.url()).not.toContain('point=')
})

test('by keyboard: arrows move along x, Enter pins, the live region has the reading, the link opens it', async ({
  page,
}) => {
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  await plot(page).focus()
  await page.keyboard.press('ArrowRight')
  await expect(said(page)).toHaveText(/^run-1: Output throughput 500\.0 tok\/s, P99 TTFT 0 ms/)
  await page.keyboard.press('ArrowRight')
  await expect(said(page)).toHaveText(/^a name/)
  await page.keyboard.press('End')
  await expect(said(page)).toHaveText(/^run-37/)
  await page.keyboard.press('Enter')
  await reading(page).getByRole('link', { name: 'Open experiment' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('run-37')
})

const rings = (page: Page) => plot(page).locator('circle')

test('row and point are linked both ways', async ({ page }) => {
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  await expect(rings(page)).toHaveCount(0)
  await page.getByRole('rowheader').filter({ hasText: 'run-37' }).hover()
  await expect(rings(page)).toHaveCount(1)
  const mark = (await marksOf(page, 'custom')).find(({ values }) => values[0] === 360) as Mark
  const ring = rings(page).first()
  expect(Math.abs(Number(await ring.getAttribute('cx')) - (mark.at[0] as number))).toBeLessThan(1)
  await plot(page).hover({ position: { x: mark.at[0] as number, y: mark.at[1] as number } })
  await expect(page.locator('tr[data-linked]')).toContainText('run-37')
})

test('a logarithmic axis is refused with a reason if a value is zero, and accepted if none is', async ({ page }) => {
  await open(page, `${AXES}&log=x,y`)
  await expect(page.getByRole('note', { name: 'About this chart' })).toContainText(
    'x is not logarithmic: 1 value is at or below zero',
  )
  await open(page, `${AXES}&log=x,y&${X}=1..`)
  await expect(plot(page)).toBeVisible()
  await expect(page.getByRole('note', { name: 'About this chart' })).not.toContainText('not logarithmic')
})

test('a field is chosen for an axis by its name, and the address has it', async ({ page }) => {
  await open(page, AXES)
  await page.getByRole('button', { name: /^Axis x/ }).click()
  await page
    .getByRole('combobox', { name: /^Search fields by/ })
    .last()
    .fill('tensor parallel')
  await page.getByRole('option', { name: 'Tensor parallel size', exact: true }).first().click()
  await expect(page.getByRole('button', { name: 'Axis x TP' })).toBeVisible()
  expect(page.url()).toContain(`x=${TP}`)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Axis x P99 TTFT' })).toBeVisible()
})

test('the chart can be hidden and stays hidden', async ({ page }) => {
  await open(page, AXES)
  await page.getByRole('button', { name: 'Hide the chart' }).click()
  await expect(plot(page)).toHaveCount(0)
  await page.reload()
  await page.getByRole('button', { name: 'Show the chart' }).click()
  await expect(plot(page)).toBeVisible()
})

async function saved(page: Page, words: string) {
  await page.getByRole('button', { name: 'Save the chart' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: words }).click(),
  ])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

test('files contain the filter, n, units, time, data version and every point', async ({ page, context }) => {
  await open(page, `${AXES}&${TP}=1,2`)
  await expect(plot(page)).toBeVisible()
  const svg = await saved(page, 'Save as SVG')
  expect(svg.name).toMatch(/\.svg$/)
  const drawing = svg.bytes.toString()
  for (const words of [
    'Filter: TP',
    'n = 10 of 20',
    'data version',
    'P99 TTFT ms',
    'Output throughput tok/s',
    'SIMULATED',
  ])
    expect(drawing).toContain(words)
  // in a page whose policy does not forbid it
  const elsewhere = await context.newPage()
  expect(
    await elsewhere.evaluate(
      (text) =>
        new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror')?.textContent ?? 'sound',
      drawing,
    ),
  ).toBe('sound')
  await elsewhere.close()
  const png = await saved(page, 'Save as PNG')
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(png.bytes.readUInt32BE(16)).toBe(1920)
  const csv = (await saved(page, 'Save table as CSV')).bytes
    .toString()
    .split('\r\n')
    .filter((line) => line && !line.startsWith('#'))
  expect(csv[0]).toBe('experiment,P99 TTFT [ms],Output throughput [tok/s],Tensor parallel size,verdict,id')
  expect(sorted(csv.slice(1).map((line) => line.split(',').slice(1, 3).map(Number)))).toEqual(
    runs.filter(({ size }) => size === 1).map(({ p99, output }) => [p99, output]),
  )
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Save the chart' }).click()
  await page.getByRole('menuitem', { name: 'Copy table as Markdown' }).click()
  await expect(page.getByText('Copied', { exact: true })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('| run-9 | 80 | 580.0 | 1 | degraded |')
})

test('a chart without data explains the reason', async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  await open(page, `x=benchmark.nothing_such&y=${Y}`)
  await expect(page.getByRole('region', { name: 'Chart' }).getByRole('alert')).toHaveText(
    /^This link draws a field that does not exist: benchmark\.nothing_such\./,
  )
  await page.getByRole('button', { name: 'Remove from the link' }).click()
  await expect(plot(page)).toBeVisible()
  expect(page.url()).not.toContain('nothing_such')
})

async function serious(page: Page, of?: Locator) {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .include(of ? '[role=dialog]' : 'section[aria-label="Chart"]')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map((node) => node.html)
          .slice(0, 3)
          .join(' | ')}`,
    )
}

for (const colorScheme of ['light', 'dark'] as const) {
  // without @long, states.spec.ts checks the dark colors of a chart
  test(`axe finds nothing serious, ${colorScheme}`, { tag: colorScheme === 'dark' ? '@long' : [] }, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme })
    for (const kind of ['scatter', 'line', 'bar', 'box', 'histogram', 'heat', 'parallel']) {
      await open(page, `chart=${kind}&x=${kind === 'histogram' || kind === 'scatter' ? X : TP}&y=${Y}&color=${TP}`)
      await expect(plot(page)).toBeVisible()
      expect(await serious(page)).toEqual([])
    }
    await page.getByRole('button', { name: 'Show as a table' }).click()
    expect(await serious(page)).toEqual([])
    await page.getByRole('button', { name: 'Chart options' }).click()
    const dialog = page.getByRole('dialog', { name: 'Chart options' })
    await expect(dialog).toBeVisible()
    expect(await serious(page, dialog)).toEqual([])
  })
}

test('on a phone the page does not scroll sideways, and a point can be read', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, AXES)
  await expect(plot(page)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  const mark = (await marksOf(page, 'custom')).find(({ values }) => values[0] === 80) as Mark
  await press(page, mark)
  await expect(reading(page)).toContainText('run-9')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
