// Charts of missing, equal and few values, and charts while an answer is awaited: gaps, error bars of several lines,
// places that are not numbers, results at one point, the table, many axes on a phone, a server that does not respond.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, test, useDashboard } from './fixtures'
import { little, write } from './results'

const OUTPUT = 'results.output_throughput'
const LOAD = 'benchmark.max_concurrency'
const AXES = ['server.model', 'server.quantization', LOAD, 'benchmark.request_rate', 'results.p99_ttft_ms', OUTPUT]

interface Run {
  model: string
  load: number | null
  output: number | null
  p99: number
}
// 'whole' has results at all loads, 'part' none at 32; one result has no load; two have equal values; one of 'empty'
// has no output.
const RUNS: Run[] = [
  ...['whole', 'part']
    .flatMap((model, side) =>
      [16, 32, 64].flatMap((load) =>
        [0, 1, 2].map((i): Run => ({ model, load, output: load * 10 + i * 50 + side * 20, p99: load + i })),
      ),
    )
    .filter(({ model, load }) => model === 'whole' || load !== 32),
  { model: 'whole', load: null, output: 700, p99: 5 },
  { model: 'twin', load: 16, output: 300, p99: 80 },
  { model: 'twin', load: 16, output: 300, p99: 80 },
  { model: 'empty', load: 16, output: null, p99: 9 },
  { model: 'alone', load: 64, output: 420, p99: 11 },
]
const ROWS = RUNS.length

const dashboard = useDashboard((store) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  write(
    folder,
    'runs.json',
    RUNS.map(({ model, load, output, p99 }, at) => ({
      ...little(at + 1),
      name: `a name that is as long as names of runs often are, and longer ${at}`,
      config: {
        server: { model, tensor_parallel_size: 1, quantization: at % 2 ? 'fp8' : 'a-quantization-with-a-long-name' },
        benchmark: { max_concurrency: load, request_rate: 1 + (at % 3) },
      },
      results: { p99_ttft_ms: p99, ...(output !== null && { output_throughput: output }) },
      quality: { verdict: 'trusted' },
      environment: { engine: { simulated: model === 'twin' } },
    })),
  )
  store.import(join(folder, 'runs.json'))
})

const plot = (page: Page) => page.getByTestId('plot')
const about = (page: Page) => page.getByRole('note', { name: 'About this chart' })
const open = async (page: Page, query: string) => {
  await page.goto(`${dashboard().url}/?${query}`)
  await expect(counted(page)).toBeVisible()
}

interface Painted {
  type: string
  shape?: { at?: number[]; sizes?: number[]; x1?: number; x2?: number; y1?: number; y2?: number }
  style: { fill?: string | null; stroke?: string | null; opacity?: number; text?: string; lineDash?: unknown }
}

const painted = (page: Page) =>
  plot(page)
    .locator('> div')
    .first()
    .evaluate((host) =>
      (
        host as unknown as { chart: { getZr: () => { storage: { getDisplayList: (isFresh: boolean) => Painted[] } } } }
      ).chart
        .getZr()
        .storage.getDisplayList(true)
        .map(({ type, shape, style }) => ({
          type,
          text: style.text ?? '',
          color: style.stroke ?? '',
          fill: style.fill ?? '',
          opacity: style.opacity ?? 1,
          isDashed: Array.isArray(style.lineDash) && style.lineDash.length > 0,
          at: Array.from(shape?.at ?? []),
          marks: Array.from(shape?.sizes ?? []).length,
          x1: shape?.x1 ?? NaN,
          x2: shape?.x2 ?? NaN,
          y1: shape?.y1 ?? NaN,
          y2: shape?.y2 ?? NaN,
        })),
    )
type Shapes = Awaited<ReturnType<typeof painted>>

// The points of each line that is drawn, piece by piece.
const pieces = (shapes: Shapes) =>
  shapes
    .filter(({ at, marks }) => at.length > 0 && marks === 0)
    .map(({ at }) =>
      at
        .reduce<number[]>(
          (sizes, x, i) =>
            i % 2 ? sizes : Number.isNaN(x) ? [...sizes, 0] : [...sizes.slice(0, -1), (sizes.at(-1) ?? 0) + 1],
          [0],
        )
        .filter((size) => size > 0),
    )

const LINES = `chart=line&x=${LOAD}&y=${OUTPUT}&color=server.model&spread=range&server.model=whole,part`

test('a line ends at a missing value, which the note names; error bars of two lines are next to each other', async ({
  page,
}) => {
  await open(page, LINES)
  await expect(plot(page)).toBeVisible()
  const shapes = await painted(page)
  // the three places of one line are connected, and none of the two of the other
  expect(pieces(shapes)).toEqual([[3]])
  await expect(about(page)).toContainText('1 gap in lines')
  await about(page).getByRole('button', { name: 'Details' }).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Details of the chart' })).toContainText('part: no value at 32')
  await page.keyboard.press('Escape')
  await expect(page.getByText('error bars: minimum to maximum, next to each other where lines meet')).toBeVisible()
  // the upright strokes of error bars: five of them, no two at one place
  const upright = shapes
    .filter(({ type, x1, x2, y1, y2, isDashed }) => type === 'line' && x1 === x2 && y1 !== y2 && !isDashed)
    .map(({ x1 }) => x1)
  expect(upright).toHaveLength(5)
  expect(
    Math.min(
      ...upright
        .toSorted((a, b) => a - b)
        .slice(1)
        .map((x, i) => x - (upright.toSorted((a, b) => a - b)[i] as number)),
    ),
  ).toBeGreaterThan(4)
})

test('a position that is not a number follows a break of the axis', async ({ page }) => {
  await open(page, LINES)
  await expect(plot(page)).toBeVisible()
  const shapes = await painted(page)
  const edge = shapes.find(({ type, isDashed, x1, x2 }) => type === 'line' && isDashed && x1 === x2)?.x1 as number
  const label = (text: string) =>
    plot(page)
      .locator('> div')
      .first()
      .evaluate((host, word) => {
        const list = (
          host as unknown as {
            chart: {
              getZr: () => {
                storage: { getDisplayList: () => { type: string; style: { text?: string }; transform?: number[] }[] }
              }
            }
          }
        ).chart
          .getZr()
          .storage.getDisplayList()
        return list.find(({ type, style }) => type === 'tspan' && style.text === word)?.transform?.[4] ?? NaN
      }, text)
  const [last, unset] = [await label('64'), await label('unset')]
  expect(edge).toBeGreaterThan(last)
  expect(edge).toBeLessThan(unset)
  // a name without such a position is not drawn
  await open(page, `${LINES}&${LOAD}=..1000`)
  await expect(plot(page)).toBeVisible()
  expect((await painted(page)).filter(({ type, isDashed }) => type === 'line' && isDashed)).toEqual([])
})

test('boxes: a group without a value takes no room, and a single result is a mark in the middle', async ({ page }) => {
  await open(page, `chart=box&x=server.model&y=${OUTPUT}&color=server.quantization&simulated=1`)
  await expect(plot(page)).toBeVisible()
  const shapes = await painted(page)
  const texts = shapes.filter(({ type }) => type === 'tspan').map(({ text }) => text)
  expect(texts).toContain('alone')
  expect(texts).not.toContain('empty')
  expect(shapes.filter(({ marks }) => marks === 1).length).toBeGreaterThan(0)
  await expect(about(page)).toContainText('1 result not plotted: without output throughput')
})

test('results at one point are counted there, and simulated ones are fainter than measured ones', async ({ page }) => {
  await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=&simulated=1`)
  await expect(plot(page)).toBeVisible()
  await expect(page.getByRole('group', { name: 'Legend' })).toContainText('faint: simulated 2')
  await expect(page.getByText('×n: n results with equal values')).toBeVisible()
  const shapes = await painted(page)
  expect(shapes.filter(({ text }) => text === '×2')).toHaveLength(1)
  const [faint, full] = [2, RUNS.filter(({ output }) => output !== null).length - 2].map(
    (count) => shapes.find(({ marks }) => marks === count)?.opacity,
  )
  expect(faint).toBeLessThan(full as number)
  // without other marks they are equally faint
  await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=&simulated=1&server.model=twin`)
  await expect(plot(page)).toBeVisible()
  expect((await painted(page)).find(({ marks }) => marks === 2)?.opacity).toBe(faint)
  await plot(page).focus()
  await page.keyboard.press('Home')
  await expect(page.getByRole('status', { name: 'Chart reading' })).toContainText('at this point 2 results')
})

test('the name of a frontier has the sign of its line on its own line of text', async ({ page }) => {
  await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=server.quantization&server.model=whole,part`)
  const names = plot(page).getByTitle(/^Frontier of /)
  await expect(names.first()).toBeVisible()
  for (const name of await names.all()) {
    const [text, sign] = [await name.boundingBox(), await name.locator('svg').boundingBox()]
    expect(text?.height).toBeLessThanOrEqual(16)
    // to the left of the words: above them it would look like a result
    expect([
      (sign?.y ?? 0) >= (text?.y ?? 0) - 1,
      (sign?.x ?? 0) < (text?.x ?? 0) + 8,
      (sign?.width ?? 0) > (sign?.height ?? 0),
    ]).toEqual([true, true, true])
  }
})

test('the table of a chart uses the names of the table below, fills the chart, and its button is pressed', async ({
  page,
}) => {
  await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=&as=table`)
  const table = page.getByRole('group', { name: /^Table of the chart/ })
  await expect(table.getByRole('link')).toHaveCount(
    RUNS.filter(({ model, output }) => output !== null && model !== 'twin').length,
  )
  const names = await table
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => [link.getAttribute('href')?.split('/').at(-1), link.textContent]))
  for (const [id, name] of names) {
    const row = page.locator(`#main tr[data-id="${id}"]`)
    if (await row.count()) await expect(row.getByRole('rowheader')).toContainText(name as string)
  }
  expect(await page.locator('#main tr[data-id]').count()).toBeGreaterThan(5)
  const button = page.getByRole('button', { name: 'Show the drawing' })
  const ground = () =>
    page
      .getByRole('toolbar', { name: 'Chart tools' })
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((one) => getComputedStyle(one).backgroundColor))
  await expect(button).toHaveAttribute('aria-pressed', 'true')
  const [save, pressed] = await ground()
  expect(pressed).not.toBe(save)
  // nothing can be selected, so the table has the room of the reading, too
  await expect(page.getByRole('complementary', { name: 'Reading' })).toHaveCount(0)
  const [wide, chart] = [
    await table.boundingBox(),
    await page.getByRole('region', { name: 'Chart', exact: true }).boundingBox(),
  ]
  expect(wide?.width).toBeGreaterThan((chart?.width ?? 0) - 40)
})

test('the controls of a chart do not move when its answer arrives', async ({ page }) => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/data/points', async (route) => {
    await held
    await route.continue()
  })
  await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=server.model`)
  const chart = page.getByRole('region', { name: 'Chart', exact: true })
  const controls = () =>
    chart
      .getByRole('button')
      .filter({ visible: true })
      .evaluateAll((buttons) =>
        buttons.flatMap((one) => {
          const { left, top, bottom } = one.getBoundingClientRect()
          const tools = one.closest('[role=toolbar]')
          return tools
            ? [
                [
                  one.getAttribute('aria-label') ?? one.textContent,
                  Math.round(left),
                  Math.round(top),
                  Math.round(bottom),
                ],
              ]
            : []
        }),
      )
  await expect(chart).toBeVisible()
  const before = await controls()
  expect(before.map(([name]) => name)).toContain('log scale of x')
  answer()
  await expect(plot(page)).toBeVisible()
  expect(await controls()).toEqual(before)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('parallel axes without room are on another page of axes, and a region applies to the shown axis', async ({
    page,
  }) => {
    await open(page, `chart=parallel&axes=${AXES.join(',')}&color=server.model`)
    const pages = page.getByRole('group', { name: 'Shown axes' })
    await expect(pages).toContainText(/^Axes 1–[2-4] of 6$/)
    const titles = async () => (await painted(page)).filter(({ type }) => type === 'tspan').map(({ text }) => text)
    expect(await titles()).toContain('Model')
    const last = Number(/–(\d)/.exec(await pages.innerText())?.[1])
    await pages.getByRole('button', { name: 'Next axes' }).click()
    await expect(pages).toContainText(new RegExp(`^Axes ${last}–`))
    expect(await titles()).not.toContain('Model')
    for (let i = 0; i < 6 && (await pages.getByRole('button', { name: 'Next axes' }).isEnabled()); i++)
      await pages.getByRole('button', { name: 'Next axes' }).click()
    await expect(pages).toContainText('–6 of 6')
    await expect(pages.getByRole('button', { name: 'Next axes' })).toBeDisabled()
    // the last axis, at its right end
    const box = await plot(page).boundingBox()
    if (!box) throw new Error('there is no plot')
    const x = box.x + box.width - 48
    await page.mouse.move(x, box.y + box.height * 0.3)
    await page.mouse.down()
    await page.mouse.move(x, box.y + box.height * 0.6, { steps: 4 })
    await page.mouse.up()
    await expect(page).toHaveURL(new RegExp(`[?&]${OUTPUT}=`))
  })

  test('the table of a chart is as high as its rows, and its first column is not cut', async ({ page }) => {
    await open(page, `x=results.p99_ttft_ms&y=${OUTPUT}&color=&as=table`)
    const table = page.getByRole('group', { name: /^Table of the chart/ })
    await expect(table).toBeVisible()
    expect((await table.boundingBox())?.height).toBeGreaterThan(400)
    expect(
      await table
        .getByRole('link')
        .evaluateAll((links) =>
          links.every((link) => (link.closest('td')?.scrollWidth ?? 1) <= (link.closest('td')?.clientWidth ?? 0)),
        ),
    ).toBe(true)
  })
})

test('a chart whose script loads after the server stopped shows the last response', async ({ page, complaints }) => {
  complaints.allow.push(/Failed to load resource|net::ERR/)
  let script = () => {}
  const held = new Promise<void>((resolve) => {
    script = resolve
  })
  await page.route('**/assets/panel-*.js', async (route) => {
    await held
    await route.continue()
  })
  const first = page.waitForResponse('**/api/data/points')
  await page.goto(`${dashboard().url}/`)
  await expect(counted(page)).toHaveText(`${ROWS} of ${ROWS} experiments`)
  await (await first).finished()
  await page.route('**/api/**', (route) => route.abort('connectionrefused'))
  await page
    .getByRole('complementary', { name: 'Filters' })
    .getByRole('group', { name: 'Model' })
    .getByText('whole')
    .click()
  await expect(page.locator('[data-away]')).toBeVisible()
  script()
  await expect(plot(page)).toBeVisible()
  await expect(page.getByText('Could not load the chart.')).toHaveCount(0)
  await page.unroute('**/api/**')
  await expect(page.getByRole('application', { name: / of (9|10) experiments/ })).toBeVisible()
  await expect(page.locator('[data-away]')).toHaveCount(0)
})
