// Every kind of chart on unusual data: one run, no run, endless names, two hundred groups, equal, infinite and negative
// values. The chart draws exactly the data of the answer, each item at a place on the screen, and counts what it does
// not plot.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { type Form, KINDS } from '../../web/src/chart/kind-rows'
import { CHART_KINDS, type ChartKind } from '../../web/src/url/chart'
import { expect, test, useDashboard } from './fixtures'
import { little, write } from './results'

const LONG = 'a model whose name has no end '.repeat(11).slice(0, 300)
const MODEL = 'server.model'
const LOAD = 'benchmark.max_concurrency'
const USUAL = ['results.p99_ttft_ms', 'results.output_throughput'] as const

interface Run {
  model?: string
  verdict?: string
  simulated?: boolean
  kind?: string
  latency?: number
  ttft?: number
  load?: number
  p99?: number
  output?: number
  rate?: number | string
  delta?: number
}
// Two models with four rates each; two rates are shared.
const HALVES: Run[] = ['left', 'right'].flatMap((model, side) =>
  [1, 2, 4, 8].map((rate) => ({ model, rate: rate * 4 ** side, p99: 10 * rate + side, output: 100 * rate })),
)
// Two models with the same loads and rates, but without a common combination.
const CROSSED: Run[] = ['left', 'right'].flatMap((model, side) =>
  [1, 2].map((load) => ({
    model,
    load,
    rate: side === 0 ? load : 3 - load,
    p99: 10 * load + side,
    output: 100 * load,
  })),
)
// Two models whose best results are not trusted, and a simulated result that beats all of them; the third run of each
// is on no frontier.
const JUDGED: Run[] = ['left', 'right', 'right'].flatMap((model, side) =>
  [
    ['trusted', 10, 100],
    ['trusted', 20, 200],
    ['trusted', 30, 150],
    ['degraded', 40, 400],
    [undefined, 15, 160],
  ].map(
    ([verdict, p99, output], i): Run => ({
      model: side === 2 ? `few-${i % 2}` : model,
      ...(verdict !== undefined && { verdict: verdict as string }),
      p99: (p99 as number) + side,
      output: (output as number) * (1 + side),
    }),
  ),
)
// The data of the first chart: results without a GPU count, one simulated result, and results of offline benchmarks.
const FIRST: Record<string, Run[]> = {
  'first-serve': [
    { ttft: 3, output: 90 },
    { ttft: 5, output: 120 },
  ],
  'first-one': [{ ttft: 3, output: 90, simulated: true }],
  'first-latency': [
    { kind: 'latency', latency: 7.4 },
    { kind: 'latency', latency: 7.1 },
  ],
}
interface Case {
  runs: Run[]
  of?: readonly [string, string]
  notDrawn?: Record<string, string>
}

const numbered = (count: number, run: (i: number) => Run) => Array.from({ length: count }, (_, i) => run(i))
const CASES: Record<string, Case> = {
  one: { runs: [{ p99: 12.5, output: 900 }] },
  none: { runs: [] },
  long: { runs: numbered(6, (i) => ({ model: `${LONG.slice(0, 296)} ${i}`, p99: i * 7 + 1, output: 1e12 / (i + 1) })) },
  many: { runs: numbered(200, (i) => ({ model: `model-${i}`, load: 2 ** (i % 9), p99: 1 + i / 3, output: 500 + i })) },
  equal: { runs: numbered(5, () => ({ p99: 5, output: 5 })) },
  infinite: {
    runs: numbered(4, (i) => ({ rate: 'inf', output: 100 + i })),
    of: ['benchmark.request_rate', 'results.output_throughput'],
    notDrawn: { scatter: '4 results not plotted: with an infinite request rate', parallel: '4 gaps in lines' },
  },
  negative: { runs: numbered(8, (i) => ({ delta: -100 - i, output: i })), of: ['tags.delta', 'tags.delta'] },
}

const dashboard = useDashboard((store) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  let at = 0
  const documents = Object.entries<Pick<Case, 'runs'>>({
    ...CASES,
    halves: { runs: HALVES },
    crossed: { runs: CROSSED },
    judged: { runs: [...JUDGED, { model: 'left', verdict: 'trusted', simulated: true, p99: 1, output: 9999 }] },
    ...Object.fromEntries(Object.entries(FIRST).map(([suite, runs]) => [suite, { runs }])),
  }).flatMap(([suite, { runs }]) =>
    runs.map(({ model = 'model', load = 8, p99, output, rate, delta, verdict, simulated, kind, latency, ttft }) => ({
      ...little(++at),
      suite,
      name: `run ${at}`,
      config: {
        server: { model, ...(!['halves', 'crossed'].includes(suite) && { tensor_parallel_size: 1 + (at % 3) }) },
        benchmark: {
          max_concurrency: load,
          ...(rate !== undefined && { request_rate: rate }),
          ...(kind !== undefined && { kind }),
        },
      },
      results: {
        ...(p99 !== undefined && { p99_ttft_ms: p99 }),
        ...(output !== undefined && { output_throughput: output }),
        ...(latency !== undefined && { avg_latency: latency }),
        ...(ttft !== undefined && { median_ttft_ms: ttft }),
      },
      ...(verdict !== undefined && { quality: { verdict } }),
      ...(simulated && { environment: { engine: { simulated } } }),
      ...(delta !== undefined && { tags: { delta } }),
    })),
  )
  write(folder, 'runs.json', documents)
  store.import(join(folder, 'runs.json'))
})

// Address, request, values per mark in the drawing, number of marks in the response.
type Answer = Record<string, Record<string, (number | null)[]>> & {
  lines?: { id: number[] }
  bins?: { counts: number[][] }
}
const withNumber = ({ groups }: Answer) => (groups?.['n'] ?? []).filter((n) => (n ?? 0) > 0).length
const groups = (_: string, y: string) => ({ form: 'groups', x: MODEL, y })
interface Shown {
  address: (x: string, y: string) => string
  asks: (x: string, y: string) => object
  values: number
  marks: (answer: Answer) => number
}
const FORMS: Record<Form, Shown> = {
  points: {
    address: (x, y) => `x=${x}&y=${y}&color=${MODEL}`,
    asks: (x, y) => ({ x, y }),
    values: 2,
    marks: ({ marks }) => marks?.['id']?.length ?? 0,
  },
  groups: { address: (_, y) => `x=${MODEL}&y=${y}&color=&spread=none`, asks: groups, values: 2, marks: withNumber },
  bins: {
    address: (x) => `x=${x}&color=`,
    asks: (x) => ({ form: 'bins', x }),
    values: 3,
    marks: ({ bins }) => (bins?.counts[0] ?? []).filter((n) => n > 0).length,
  },
  grid: {
    address: (_, y) => `x=${MODEL}&y=${LOAD}&value=${y}`,
    asks: (_, y) => ({ form: 'grid', x: MODEL, y: LOAD, value: y }),
    values: 4,
    marks: ({ grid }) => grid?.['n']?.length ?? 0,
  },
  parallel: {
    address: (x, y) => `axes=${MODEL},${x},${y}&color=${LOAD}`,
    asks: (x, y) => ({ form: 'parallel', axes: [MODEL, x, y] }),
    values: 5,
    marks: ({ lines }) => lines?.id.length ?? 0,
  },
}
const VALUES: Partial<Record<ChartKind, number>> = { box: 6 } // of one mark, where they are not those of its form

interface Drawn {
  getModel: () => {
    getSeries: () => {
      subType: string
      getData: () => { count: () => number; getValues: (at: number) => (number | string)[] }
    }[]
  }
  convertToPixel: (finder: object, value: number[]) => number[]
  getWidth: () => number
  getHeight: () => number
  getZr: () => {
    storage: { getDisplayList: (isFresh: boolean) => { shape?: { at?: Float32Array; sizes?: Float32Array } }[] }
  }
}

// Counts the marks with that many values on and off the screen. A scatter paints its marks itself, with two values
// each.
const marksOn = (page: Page, length: number) =>
  page
    .getByTestId('plot')
    .locator('> div')
    .first()
    .evaluate((host, size) => {
      const chart = (host as unknown as { chart: Drawn }).chart
      const count = { inside: 0, outside: 0 }
      const place = (x: number, y: number) => {
        count[x >= 0 && x <= chart.getWidth() && y >= 0 && y <= chart.getHeight() ? 'inside' : 'outside']++
      }
      for (const { shape: { at = [], sizes = [] } = {} } of size === 2
        ? chart.getZr().storage.getDisplayList(true)
        : [])
        for (let i = 0; i < sizes.length; i++) place(at[i * 2] as number, at[i * 2 + 1] as number)
      if (count.inside + count.outside > 0) return count
      for (const series of chart.getModel().getSeries()) {
        const data = series.getData()
        for (let i = 0; i < data.count(); i++) {
          const values = data.getValues(i).map(Number)
          if (values.length !== size || Number.isNaN(values[1])) continue
          const [x = NaN, y = NaN] = chart.convertToPixel({ gridIndex: 0 }, values.slice(0, 2))
          place(x, y)
        }
      }
      return count
    }, length)

// Navigates within the page, as a link does; the page is loaded once.
const show = (page: Page, query: string) =>
  page.evaluate((search) => {
    history.pushState(null, '', `/?${search}`)
    window.dispatchEvent(new PopStateEvent('popstate'))
  }, query)

async function holds(page: Page, name: string, { runs, of = USUAL, notDrawn }: Case) {
  const about = page.getByRole('note', { name: 'About this chart' })
  const filter = { field: 'run.suite', op: 'eq', value: name }
  for (const kind of CHART_KINDS) {
    const { address, asks, values: usual, marks } = FORMS[KINDS[kind].form]
    const values = VALUES[kind] ?? usual
    const answer = (await (
      await page.request.post(`${dashboard().url}/api/data/points`, { data: { ...asks(...of), filter } })
    ).json()) as Answer
    expect([name, kind, answer['count']]).toEqual([name, kind, runs.length])
    await show(page, `chart=${kind}&${address(...of)}&run.suite=${name}`)
    const wanted = marks(answer)
    if (wanted === 0)
      await expect(
        page.getByRole('note', { name: 'No chart' }).or(page.getByRole('heading', { name: /^No experiment matches/ })),
      ).toBeVisible()
    else
      await expect
        .poll(async () => [name, kind, (await page.getByTestId('plot').isVisible()) && (await marksOn(page, values))], {
          intervals: [50],
        })
        .toEqual([name, kind, { inside: wanted, outside: 0 }])
    if (notDrawn && kind in notDrawn) await expect(about).toContainText(notDrawn[kind] as string)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    )
  }
}

// One page serves all cases, without a reload.
test('every kind of chart is usable and correct on unusual data', async ({ page }) => {
  await page.goto(`${dashboard().url}/?chart=off`)
  await expect(page.getByRole('button', { name: 'Show the chart' })).toBeVisible()
  for (const [name, one] of Object.entries(CASES)) await holds(page, name, one)
})

test('one press matches other inputs, and the address says so', async ({ page }) => {
  const about = page.getByRole('note', { name: 'About this chart' })
  const address = `x=results.p99_ttft_ms&y=results.output_throughput&color=${MODEL}&run.suite=halves`
  await page.goto(`${dashboard().url}/?${address}`)
  await expect(about).toContainText('Mixed: 6 loads')
  await expect(page.getByTestId('plot')).toBeVisible()
  const details = page.getByRole('dialog', { name: 'Details of the chart' })
  await about.getByRole('button', { name: 'Details' }).press('Enter')
  await expect(details.getByRole('term')).toHaveText(['Loads: Request rate [1/s]'])
  await expect(details.getByRole('definition')).toHaveText(['4 (2), 8 (2), 1 (1), 16 (1), 2 (1), 32 (1)'])
  await page.keyboard.press('Escape')
  await expect(details).toBeHidden()
  await about.getByRole('button', { name: 'Keep only comparable results (4)' }).press('Enter')
  await expect(about).toContainText('Matched: 2 combinations of inputs occur in all 2 groups')
  await expect(page.getByRole('application', { name: /of 4 experiments/ })).toBeVisible()
  await expect(page).toHaveURL(/[?&]match=1/)
  await page.goto(`${dashboard().url}/?${address}&match=1&as=table`)
  await about.getByRole('button', { name: 'Details' }).press('Enter')
  await expect(details).toContainText(
    '2 combinations of inputs occur in all 2 groups. 4 results do not match and are not plotted.Matched inputs: Request rate.Compared inputs: Model.',
  )
  await page.keyboard.press('Escape')
  await about.getByRole('button', { name: 'Use all results' }).click()
  await expect(page).not.toHaveURL(/match=/)
  await expect(about).not.toContainText('Matched')
  // if no combination of inputs occurs in all groups, the button is disabled; a link that matches anyway gets the
  // reason
  await show(page, 'x=results.p99_ttft_ms&y=results.output_throughput&color=server.model&run.suite=crossed')
  await expect(about.getByRole('button', { name: 'Keep only comparable results (0)' })).toBeDisabled()
  await show(page, 'x=results.p99_ttft_ms&y=results.output_throughput&color=server.model&run.suite=crossed&match=1')
  const nothing = page.getByRole('note', { name: 'No chart' })
  await expect(nothing).toContainText('No combination of the other inputs occurs in all 2 groups.')
  await nothing.getByRole('button', { name: 'Use all results' }).click()
  await expect(page.getByTestId('plot')).toBeVisible()
  // a part that was not computed in time is requested again
  let isFirst = true
  await page.route('**/api/data/points', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as object
    await route.fulfill({ response, json: isFirst ? { ...answer, incomplete: ['color'] } : answer })
    isFirst = false
  })
  await show(page, `x=results.p99_ttft_ms&y=results.output_throughput&color=${MODEL}&run.suite=one`)
  await expect(about).toContainText('not computed in time: color')
  await about.getByRole('button', { name: 'Retry' }).press('Enter')
  await expect(about).toHaveCount(0)
  await page.unroute('**/api/data/points')
  // rows of one kind cause no caution, whatever other rows exist
  await show(page, `x=results.p99_ttft_ms&y=results.output_throughput&color=${MODEL}&run.suite=equal`)
  await expect(about).toHaveCount(0)
  // without groups nothing can be matched, and the page explains it
  await page.goto(`${dashboard().url}/?${address.replace(MODEL, '')}&match=1`)
  await about.getByRole('button', { name: 'Details' }).press('Enter')
  await expect(details).toContainText('The inputs are not matched: matching needs 2 to 50 groups, by color.')
})

test('the first chart draws what the results have, and an empty one offers axes that would draw', async ({ page }) => {
  const chart = page.getByRole('region', { name: 'Chart' })
  const picked = async () =>
    [
      await chart.getByRole('button', { name: /^Axis y/ }).innerText(),
      await chart.getByRole('button', { name: /^Axis x/ }).innerText(),
    ].map((text) => text.replace(/^.*\n/, '').trim())
  const draws = async (suite: string, axes: [string, string], marks: number) => {
    await page.goto(`${dashboard().url}/?run.suite=${suite}`)
    await expect
      .poll(async () => (await page.getByTestId('plot').isVisible()) && (await marksOn(page, 2)))
      .toEqual({ inside: marks, outside: 0 })
    expect([suite, ...(await picked())]).toEqual([suite, ...axes.map((axis) => expect.stringContaining(axis))])
  }
  await draws('first-one', ['Output', 'Median TTFT'], 1)
  await expect(page.getByRole('note', { name: 'About this chart' })).toContainText('All simulated')
  await draws('first-latency', ['latency', 'Kind'], 2)
  await draws('first-serve', ['Output', 'Median TTFT'], 2)
  await page.goto(
    `${dashboard().url}/?run.suite=first-serve&y=derived.output_throughput_per_gpu&x=derived.tokens_per_s_per_user`,
  )
  const nothing = page.getByRole('note', { name: 'No chart' })
  await expect(nothing).toContainText('2 without output per user')
  await nothing.getByRole('button', { name: 'Output throughput against median TTFT (2 of 2)' }).click()
  await expect(page.getByTestId('plot')).toBeVisible()
  await expect(page).toHaveURL(/x=results\.median_ttft_ms&y=results\.output_throughput/)
})

interface Painted {
  type: string
  shape?: { at?: number[]; sizes?: number[] }
  style: { lineDash?: number[] | null; fill?: string; text?: string }
  getBoundingRect: () => { x: number; y: number; width: number; height: number }
  transform: number[] | null
}

test('frontiers contain trusted results, one per model; the cautions fit one line; marks cover no axis label', async ({
  page,
}) => {
  const about = page.getByRole('note', { name: 'About this chart' })
  await page.goto(`${dashboard().url}/?run.suite=judged&x=results.p99_ttft_ms&y=results.output_throughput`)
  await expect(page.getByTestId('plot')).toBeVisible()
  const legend = page.getByRole('group', { name: 'Legend' })
  // the most frequent value first
  await expect(legend).toHaveText(
    /^left 5\s*right 5\s*few-0 3\s*few-1 2\s*hollow: not trusted 6\s*frontier of trusted results\s*frontier of all results$/,
  )
  const painted = () =>
    page
      .getByTestId('plot')
      .locator('> div')
      .first()
      .evaluate((host) => {
        const list = (
          host as unknown as { chart: { getZr: () => { storage: { getDisplayList: () => Painted[] } } } }
        ).chart
          .getZr()
          .storage.getDisplayList()
        const strands = list
          .filter(({ shape }) => shape?.at && !shape.sizes)
          .map(({ shape: { at = [] } = {}, style: { lineDash } }) => ({
            corners: (at.length / 2 + 1) / 2,
            isDashed: Boolean(lineDash?.length),
          }))
        const marks = list.flatMap(({ shape: { at = [], sizes = [] } = {} }) =>
          Array.from(sizes, (size, i) => [at[i * 2] as number, at[i * 2 + 1] as number, size / 2] as const),
        )
        const labels = list.flatMap((one) => {
          if (one.type !== 'tspan') return []
          const { x, y, width, height } = one.getBoundingRect()
          const [, , , , dx = 0, dy = 0] = one.transform ?? []
          return [{ text: one.style.text ?? '', x: x + dx, y: y + dy, width, height }]
        })
        const covered = labels.filter((box) =>
          marks.some(
            ([x, y, half]) =>
              x + half > box.x && x - half < box.x + box.width && y + half > box.y && y - half < box.y + box.height,
          ),
        )
        return { strands, labels: labels.length, covered: covered.map(({ text }) => text), marks: marks.length }
      })
  const drawn = await painted()
  // left, right and few-0: two trusted results each; dashed with those that are not trusted; the simulated one is on
  // none
  expect(
    drawn.strands
      .filter(({ isDashed }) => !isDashed)
      .map(({ corners }) => corners)
      .sort(),
  ).toEqual([2, 2, 2])
  expect(
    drawn.strands
      .filter(({ isDashed }) => isDashed)
      .map(({ corners }) => corners)
      .sort(),
  ).toEqual([2, 2, 4, 4])
  for (const query of ['', '&size=results.output_throughput']) {
    await show(page, `run.suite=judged&x=results.p99_ttft_ms&y=results.output_throughput${query}`)
    await expect.poll(async () => (await painted()).covered).toEqual([])
    expect((await painted()).labels).toBeGreaterThan(8)
  }
  for (const [width, most] of [
    [1440, 34],
    [390, 58],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect(about).toBeVisible()
    await expect(about.getByRole('button', { name: /^Keep only comparable results/ })).toBeVisible()
    expect((await about.boundingBox())?.height).toBeLessThanOrEqual(most)
  }
})

test('an SLO outside the axis, or on a field without an axis, is explained', async ({ page }) => {
  const slo = page.getByRole('group', { name: 'SLO', exact: true })
  const opens = (x: string, kind = '') =>
    page.goto(`${dashboard().url}/?run.suite=judged&x=${x}&y=${USUAL[1]}&slo=${USUAL[0]}:5000${kind}`)
  await opens(USUAL[0])
  await expect(page.getByRole('slider', { name: 'SLO of P99 TTFT' })).toHaveAttribute(
    'aria-valuetext',
    'at most 5,000 ms, outside this axis',
  )
  await opens('results.median_ttft_ms')
  await expect(slo).toHaveText(/^SLO: P99 TTFT ≤ 5,000 ms is not shown, because no axis has this field\.$/)
  await slo.getByRole('button', { name: 'Remove the SLO' }).click()
  await expect(slo).toHaveCount(0)
  expect(new URL(page.url()).searchParams.get('slo')).toBeNull()
})

test('the SLO: neither its handle nor its label covers the best result, and its field shows a long number', async ({
  page,
}) => {
  const best = 20
  await page.goto(
    `${dashboard().url}/?run.suite=judged&server.model=left&x=${USUAL[0]}&y=${USUAL[1]}&slo=${USUAL[0]}:${best}`,
  )
  const slider = page.getByRole('slider', { name: 'SLO of P99 TTFT' })
  const plot = page.getByTestId('plot')
  await expect(slider).toBeVisible()
  const [frame, handle, label] = [
    await plot.boundingBox(),
    await slider.boundingBox(),
    await slider.locator('span').boundingBox(),
  ]
  const [x = 0, y = 0] = await plot
    .locator('> div')
    .first()
    .evaluate(
      (host, at) =>
        (
          host as unknown as { chart: { convertToPixel: (finder: object, at: number[]) => number[] } }
        ).chart.convertToPixel({ gridIndex: 0 }, at),
      [best, 200],
    )
  for (const box of [handle, label]) {
    if (!box || !frame) throw new Error('the SLO is not drawn')
    const [left, top] = [box.x - frame.x, box.y - frame.y]
    expect(x < left - 4 || x > left + box.width + 4 || y < top - 4 || y > top + box.height + 4).toBe(true)
  }
  const input = page.getByRole('group', { name: 'SLO', exact: true }).getByRole('textbox')
  await input.fill('90,000,000')
  expect(await input.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
})

test('the SLO falls back to results without a verdict and reports it', async ({ page }) => {
  const best = page.getByRole('group', { name: 'SLO', exact: true }).getByRole('status')
  const opens = (above: number, slo: number) =>
    page.goto(
      `${dashboard().url}/?run.suite=judged&x=${USUAL[0]}&y=${USUAL[1]}&slo=${USUAL[0]}:${slo}&where=${encodeURIComponent(JSON.stringify({ field: USUAL[0], op: 'gt', value: above }))}`,
    )
  await opens(12, 18)
  await expect(best).toContainText(
    /^Best within SLO across 4 models: run \d+: 480 tok\/s, P99 TTFT [\d.]+ ms \(3 results without a verdict meet it\)/,
  )
  await opens(12, 45)
  await expect(best).toContainText(
    /^Best within SLO across 4 models: run \d+: 600 tok\/s, P99 TTFT [\d.]+ ms \(6 trusted results meet it\)/,
  )
  // only degraded results are within
  await opens(35, 45)
  await expect(best).toHaveText(/^No trusted result meets the SLO\. \d+ other results? (do|does)\.$/)
  await opens(12, 1)
  await expect(best).toHaveText(/^No result meets the SLO; the lowest P99 TTFT is [\d.]+ ms\.$/)
})
