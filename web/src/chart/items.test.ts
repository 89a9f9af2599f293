import { expect, it } from 'vitest'

import type { Field, PointsResponse } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { CHART, type ChartState } from '../url/chart'
import { beginOf, isLogScale } from './axes'
import { brushed } from './brush'
import { captionOf } from './caption'
import type { Colours } from './colours'
import { notesOf, sheetOf } from './files'
import { chartOf, drawnOf, linesOf, nameOf } from './items'
import { keysOf } from './keys'
import { type Answer, axesOf, leftOutOf, requestOf, spreadOf } from './model'
import { drawingOf } from './option'
import { columnsOf, csvOf, markdownOf } from './table'

const field = (id: string, label: string, part: Partial<Field> = {}): Field => ({
  id,
  label,
  help: '',
  group: '',
  unit: 'ms',
  type: 'number',
  direction: 'lower',
  role: 'output',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const catalogue = new Catalogue([
  field('results.p99_ttft_ms', 'P99 TTFT'),
  field('results.output_throughput', 'Output throughput', { unit: 'tok/s' }),
  field('server.model', 'Model', { type: 'text', unit: '' }),
  field('server.tensor_parallel_size', 'TP size', { type: 'count', unit: '', role: 'input' }),
])

const NOTHING = { missing: [0, 2], null: [0, 0], word: [0, 0], infinite: [0, 0], failed: [0, 1], std: [1, null] }
const figures = (value: number) => [value, null]
const answer = (part: Partial<Answer>): Answer => ({
  form: 'points',
  count: 5,
  total: 9,
  drawn: 3,
  simulated: 0,
  excluded: {},
  matched: null,
  cautions: [],
  shape: null,
  color: null,
  incomplete: [],
  elapsed_ms: 1,
  data_version: 4,
  at: 0,
  request: { form: 'points' } as Answer['request'],
  x: { field: 'results.p99_ttft_ms', kind: 'number', log: false, not_positive: 0, min: 1, max: 3, kinds: null },
  y: { field: 'results.output_throughput', kind: 'number', log: false, not_positive: 0, min: 10, max: 30, kinds: null },
  ...part,
})
const marks: NonNullable<PointsResponse['marks']> = {
  id: [7, 8],
  x: [1, 3],
  y: [10, 30],
  color: null,
  shape: null,
  count: [1, 2],
  verdict: ['trusted', 'degraded'],
  simulated: [false, true],
  labels: { 'run.name': ['=one', null] },
}
const groups = answer({
  form: 'groups',
  x: {
    field: 'server.tensor_parallel_size',
    kind: 'kinds',
    log: false,
    not_positive: 0,
    min: 0,
    max: 1,
    kinds: {
      field: 'server.tensor_parallel_size',
      kinds: [
        { state: 'value', value: 2, count: 3 },
        { state: 'null', count: 2 },
      ],
    },
  },
  groups: {
    x: [0, 1],
    color: null,
    n: [3, 0],
    ...NOTHING,
    mean: figures(20),
    min: figures(10),
    p5: figures(11),
    p25: figures(15),
    p50: figures(21),
    p75: figures(25),
    p95: figures(29),
    max: figures(30),
    low: figures(8),
    high: figures(32),
  },
})
const COLOURS: Colours = {
  series: ['#394bc1', '#b85404'],
  other: '#868b92',
  text: '#1a1c1f',
  text2: '#4b5057',
  text3: '#666b73',
  grid: '#ececE9',
  axis: '#b4b7bb',
  sheet: '#ffffff',
  accent: '#3347b8',
  quiet: '#868b92',
}
const state = (part: Partial<ChartState> = {}): ChartState => ({ ...CHART, ...part })

it('marks are what the answer has, each once', () => {
  const chart = chartOf(state(), answer({ marks }), catalogue)
  expect(chart.items.map(({ id, x, y, n, isHollow, isSimulated }) => [id, x, y, n, isHollow, isSimulated])).toEqual([
    [7, 1, 10, 1, false, false],
    [8, 3, 30, 2, true, true],
  ])
  expect(chart.items.map((item) => nameOf(chart, item))).toEqual(['=one', 'result 8'])
  expect(linesOf(chart, chart.items[1]!)).toEqual([
    ['Output throughput', '30 tok/s'],
    ['P99 TTFT', '3 ms'],
    ['represents', '2 results'],
  ])
})

it('a group without a number has no value, and says why', () => {
  const chart = chartOf(state({ kind: 'bar' }), groups, catalogue)
  expect(chart.items.map(({ y, low, high }) => [y, low, high])).toEqual([
    [21, 15, 25],
    [null, null, null],
  ])
  expect(linesOf(chart, chart.items[1]!)).toEqual([
    ['median output throughput over runs', '–'],
    ['experiments', '0'],
    ['not recorded', '2'],
    ['failed runs', '1'],
  ])
  expect(nameOf(chart, chart.items[1]!)).toBe('unset')
})

it('aggregate and spread are chosen after the fact; an interval of the mean is of the mean alone', () => {
  const of = (part: Partial<ChartState>) => chartOf(state({ kind: 'bar', ...part }), groups, catalogue).items[0]!
  expect(of({ stat: 'mean', spread: 'ci' })).toMatchObject({ y: 20, low: 8, high: 32 })
  expect(of({ stat: 'p95', spread: 'range' })).toMatchObject({ y: 29, low: 10, high: 30 })
  expect(of({ spread: 'none' })).toMatchObject({ y: 21, low: null })
  expect(spreadOf(state({ stat: 'median', spread: 'ci' }))).toBe('iqr')
})

it('bins are stacked', () => {
  const chart = chartOf(
    state({ kind: 'histogram' }),
    answer({
      form: 'bins',
      y: null,
      bins: {
        edges: [0, 1, 2],
        counts: [
          [2, 0],
          [1, 4],
        ],
      },
      color: {
        field: 'server.model',
        kinds: [
          { state: 'value', value: 'a', count: 2 },
          { state: 'value', value: 'b', count: 5 },
        ],
      },
    }),
    catalogue,
  )
  expect(chart.items.map(({ x, low, high, n, kind }) => [x, low, high, n, kind])).toEqual([
    [0, 0, 2, 2, 0],
    [0, 2, 3, 1, 1],
    [1, 0, 4, 4, 1],
  ])
})

it('shows the axes that the user chose, then those of the response', () => {
  expect(axesOf(state(), undefined, undefined)).toMatchObject({ x: '', y: '', color: '' })
  expect(axesOf(state({ y: 'a.b' }), undefined, answer({ color: { field: 'server.model', kinds: [] } }))).toMatchObject(
    { x: 'results.p99_ttft_ms', y: 'a.b', color: 'server.model' },
  )
  expect(axesOf(state({ kind: 'histogram', x: 'a.b', color: '' }), undefined, answer({}))).toMatchObject({
    x: 'a.b',
    y: '',
    color: '',
  })
})

it('the values choose the scale of an axis until the user does; bars keep their length', () => {
  const ask = (part: Partial<ChartState>) => {
    const { x_log: x, y_log: y } = requestOf(state(part), undefined, catalogue, undefined, [])
    return [x, y]
  }
  expect([
    ask({}),
    ask({ logX: true, logY: false }),
    ask({ kind: 'box' }),
    ask({ kind: 'bar' }),
    ask({ kind: 'bar', logY: true }),
    ask({ kind: 'histogram' }),
    ask({ kind: 'heat' }),
  ]).toEqual([
    ['auto', 'auto'],
    [true, undefined],
    [undefined, 'auto'],
    [undefined, undefined],
    [undefined, true],
    [undefined, undefined],
    [undefined, undefined],
  ])
})

it('the places of a line that are numbers have a scale, too, and kinds have none', () => {
  const of = (values: (number | string)[], part: Partial<ChartState> = {}) => {
    const x = {
      ...groups.x!,
      kinds: {
        field: 'server.tensor_parallel_size',
        kinds: values.map((value) => ({ state: 'value' as const, value, count: 1 })),
      },
    }
    return isLogScale(chartOf(state({ kind: 'line', ...part }), { ...groups, x }, catalogue), 'x')
  }
  expect([
    of([1, 256]),
    of([1, 8]),
    of([1, 8], { logX: true }),
    of([1, 256], { logX: false }),
    of([0, 256]),
    of(['a', 'b']),
  ]).toEqual([true, false, true, false, false, null])
  const scatter = chartOf(state(), answer({ marks, y: { ...answer({}).y!, log: true } }), catalogue)
  expect([isLogScale(scatter, 'x'), isLogScale(scatter, 'y')]).toEqual([false, true])
  expect(
    isLogScale(
      chartOf(
        state({ kind: 'histogram' }),
        answer({ form: 'bins', y: null, bins: { edges: [0, 1], counts: [[2]] } }),
        catalogue,
      ),
      'x',
    ),
  ).toBeNull()
})

it('a region has no bound below zero where no value is', () => {
  const region = (min: number, from: number, to: number) =>
    brushed(
      chartOf(
        state(),
        answer({ marks, x: { ...answer({}).x!, field: 'server.tensor_parallel_size', min } }),
        catalogue,
      ),
      {},
      { x: [from, to], y: [-4, 20] },
    )
  expect(region(1, -3, 2)).toEqual({
    'server.tensor_parallel_size': { range: [0, 2] },
    'results.output_throughput': { range: [0, 20] },
  })
  expect(region(-5, -3, 2)['server.tensor_parallel_size']?.range).toEqual([-3, 2])
})

it('lets the server choose between axes that exist, with those that the user chose', () => {
  const ask = (part: Partial<ChartState>) => requestOf(state(part), undefined, catalogue, undefined, [])
  expect(ask({})).toEqual({
    form: 'points',
    choices: [{ form: 'points', x: 'results.p99_ttft_ms', y: 'results.output_throughput' }],
    color_choices: ['server.model', 'server.tensor_parallel_size'],
    x_log: 'auto',
    y_log: 'auto',
    labels: ['run.name'],
    significant_digits: 7,
  })
  expect(ask({ kind: 'bar', y: 'results.p99_ttft_ms', color: '' })).toEqual({
    form: 'groups',
    choices: ['server.tensor_parallel_size', 'server.model'].map((x) => ({
      form: 'groups',
      x,
      y: 'results.p99_ttft_ms',
    })),
  })
  expect(ask({ kind: 'histogram' }).choices?.map(({ x }) => x)).toEqual([
    'results.p99_ttft_ms',
    'results.output_throughput',
  ])
})

it('asks for the form that the kind is made of', () => {
  const ask = (part: Partial<ChartState>) =>
    requestOf(
      state({ x: 'results.p99_ttft_ms', y: 'results.output_throughput', color: '', ...part }),
      undefined,
      catalogue,
      undefined,
      [3, 4],
    )
  expect(ask({ point: 4, logX: true })).toEqual({
    form: 'points',
    x: 'results.p99_ttft_ms',
    y: 'results.output_throughput',
    x_log: true,
    y_log: 'auto',
    labels: ['run.name'],
    significant_digits: 7,
    selected: [4, 3],
  })
  expect(ask({ kind: 'box' })).toEqual({
    form: 'groups',
    x: 'results.p99_ttft_ms',
    y: 'results.output_throughput',
    y_log: 'auto',
  })
  expect(ask({ kind: 'histogram' })).toEqual({ form: 'bins', x: 'results.p99_ttft_ms' })
})

it('says what is not drawn in words', () => {
  expect(
    leftOutOf(answer({ excluded: { x_missing: 2, y_infinite: 5 } }), catalogue).map(({ rows, words }) => [rows, words]),
  ).toEqual([
    [5, 'with an infinite output throughput'],
    [2, 'without P99 TTFT'],
  ])
})

it('of groups n is what their figures are of, and those without a number are named', () => {
  const chart = chartOf(state({ kind: 'bar' }), groups, catalogue)
  expect(drawnOf(chart)).toBe(3)
  expect(leftOutOf(groups, catalogue).map(({ rows, words }) => [rows, words])).toEqual([
    [2, 'without output throughput'],
  ])
  expect(notesOf(chart, catalogue, undefined)).toContain(
    'n = 3 of 5 that match the filter, 9 in total; not plotted: 2 without output throughput',
  )
  const color = { field: 'server.model', kinds: [{ state: 'value' as const, value: 'a', count: 5 }] }
  expect(
    keysOf(
      chartOf(state({ kind: 'bar' }), { ...groups, color, groups: { ...groups.groups!, color: [0, 0] } }, catalogue),
    ).map(({ words, count }) => [words, count]),
  ).toEqual([['a', 3]])
})

// so many colours at each of so many places
function crowd(places: number, kinds: number) {
  const at = Array.from({ length: places * kinds }, (_, i) => i)
  const same = (value: number) => at.map(() => value)
  const of = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ state: 'value' as const, value: i, count: 1 }))
  return answer({
    form: 'groups',
    x: {
      field: 'server.tensor_parallel_size',
      kind: 'kinds',
      log: false,
      not_positive: 0,
      min: 0,
      max: places - 1,
      kinds: { field: 'server.tensor_parallel_size', kinds: of(places) },
    },
    color: { field: 'server.model', kinds: of(kinds) },
    groups: {
      x: at.map((i) => Math.floor(i / kinds)),
      color: at.map((i) => i % kinds),
      n: at.map((i) => 1 + (i % kinds)),
      missing: same(0),
      null: same(0),
      word: same(0),
      infinite: same(0),
      failed: same(0),
      std: same(1),
      mean: same(1),
      min: same(1),
      p5: same(1),
      p25: same(1),
      p50: same(1),
      p75: same(1),
      p95: same(1),
      max: same(1),
      low: same(1),
      high: same(1),
    },
  })
}

it('colors that do not fit are excluded, those with the fewest results first, and the caption counts them', () => {
  const chart = chartOf(state({ kind: 'bar' }), crowd(2, 30), catalogue)
  expect(chart.items.length).toBe(48)
  expect(chart.beside.kinds).toEqual(Array.from({ length: 24 }, (_, i) => i + 6))
  expect(captionOf(chart)).toContain('6 of 30 colors do not fit: their bars (42 experiments) are not plotted')
  expect(drawnOf(chart)).toBe(930 - 42)
  expect(keysOf(chart).reduce((all, { count }) => all + (count ?? 0), 0)).toBe(930 - 42)
})

it('a color without a value has no room and no line in the legend, which is in the order of the bars', () => {
  const three = (a: number, c: number) => [a, null, c]
  const kinds = ['a', 'b', 'c'].map((value, i) => ({ state: 'value' as const, value, count: 1 + i }))
  const chart = chartOf(
    state({ kind: 'bar' }),
    {
      ...groups,
      color: { field: 'server.model', kinds },
      groups: {
        x: [0, 0, 0],
        color: [0, 1, 2],
        n: [1, 0, 3],
        missing: [0, 2, 0],
        null: [0, 0, 0],
        word: [0, 0, 0],
        infinite: [0, 0, 0],
        failed: [0, 0, 0],
        std: [1, null, 1],
        mean: three(1, 2),
        min: three(1, 2),
        p5: three(1, 2),
        p25: three(1, 2),
        p50: three(1, 2),
        p75: three(1, 2),
        p95: three(1, 2),
        max: three(1, 2),
        low: three(1, 2),
        high: three(1, 2),
      },
    },
    catalogue,
  )
  expect(chart.beside.kinds).toEqual([0, 2])
  expect(keysOf(chart).map(({ words, count }) => [words, count])).toEqual([
    ['a', 1],
    ['c', 3],
  ])
})

it('if no two colors share a place, all are drawn in its middle', () => {
  const many = crowd(30, 1)
  const chart = chartOf(
    state({ kind: 'bar' }),
    { ...many, groups: { ...many.groups!, color: many.groups!.x! } },
    catalogue,
  )
  expect([chart.items.length, chart.beside]).toEqual([30, { kinds: [], fell: null }])
})

it('a region of a histogram takes whole bins, also within one of them', () => {
  const of = (name: string, from: number, to: number) =>
    brushed(
      chartOf(
        state({ kind: 'histogram' }),
        answer({
          form: 'bins',
          x: { ...groups.y!, field: name },
          y: null,
          bins: { edges: [500, 510, 520, 530], counts: [[1, 2, 3]] },
        }),
        catalogue,
      ),
      {},
      { x: [from, to], y: [0, 1] },
    )[name]
  expect(
    [
      [0.1, 0.45],
      [0.6, 1.2],
      [2.4, 2.6],
      [-3, 9],
    ].map(([from = 0, to = 0]) => of('results.output_throughput', from, to)?.range),
  ).toEqual([
    [500, 510],
    [500, 520],
    [520, 530],
    [500, 530],
  ])
  expect(
    [
      [0.1, 0.45],
      [2.4, 2.6],
    ].map(([from = 0, to = 0]) => of('server.tensor_parallel_size', from, to)?.range),
  ).toEqual([
    [500, 509],
    [520, 530],
  ])
})

it('an interval of the mean: none of two, open at zero and where it is far from all means', () => {
  const of = (part: object) => {
    const own = answer({ ...groups, groups: { ...groups.groups!, ...part } })
    const chart = chartOf(state({ kind: 'line', stat: 'mean', spread: 'ci' }), own, catalogue)
    const { low, high, openLow, openHigh } = chart.items[0]!
    return [[low, high, openLow, openHigh], linesOf(chart, chart.items[0]!)[1]?.[1]]
  }
  expect(of({ n: [2, 0] })[0]).toEqual([null, null, false, false])
  expect(of({})).toEqual([[8, 32, false, false], '8 – 32 tok/s'])
  expect(of({ low: figures(-500), high: figures(540) })).toEqual([[0, 40, true, true], '0 – 540 tok/s'])
  expect(of({ min: figures(-10), low: figures(-12) })[0]).toEqual([-12, 32, false, false])
})

it('bars: where the axis does not begin at zero, the caption says where; a logarithmic one has dots', () => {
  const shapes = (part: Partial<ChartState>, log = false) => {
    const chart = chartOf(state({ kind: 'bar', ...part }), { ...groups, y: { ...groups.y!, log } }, catalogue)
    return [captionOf(chart), beginOf(chart)]
  }
  expect(shapes({})).toEqual(['median; error bars: quartiles (p25 – p75)', null])
  expect(shapes({ fromData: true })).toEqual([
    'median; error bars: quartiles (p25 – p75); the axis begins at 10 tok/s, not at zero',
    10,
  ])
  expect(shapes({}, true)).toEqual([
    'median; error bars: quartiles (p25 – p75); the logarithmic axis begins at 15 tok/s, not at zero',
    15,
  ])
})

it('the caption says that bins are not equally wide', () => {
  const of = (edges: number[]) =>
    captionOf(
      chartOf(
        state({ kind: 'histogram' }),
        answer({ form: 'bins', y: null, bins: { edges, counts: [edges.slice(1).map(() => 1)] } }),
        catalogue,
      ),
    )
  expect(of([0, 10, 20, 30])).toBe('')
  expect(of([0, 10, 20, 50, 100])).toBe(
    'bins grow along the axis, from 10 to 100 ms: heights are counts, not densities',
  )
})

it('the legend of a file is that of the page: what is not trusted, the frontier, sizes', () => {
  const sized = chartOf(
    state({ size: 'results.p99_ttft_ms' }),
    answer({
      marks: { ...marks, size: [10, 130] },
      frontier: [{ color: 0, marks: [0, 1], with_untrusted: [0, 1] }],
      request: { form: 'points', size: 'results.p99_ttft_ms' } as Answer['request'],
    }),
    catalogue,
  )
  expect(keysOf(sized).map(({ look, words, count }) => [look, words, count])).toEqual([
    ['kind', 'results', 3],
    ['size', 'P99 TTFT 10', null],
    ['size', '100 ms', null],
    ['hollow', 'hollow: not trusted', 1],
    ['faint', 'faint: simulated', 1],
    ['frontier', 'frontier', null],
  ])
  const [, little, most] = keysOf(sized)
  expect((most!.wide / little!.wide) ** 2).toBeCloseTo(10, 0)
  const { option } = sheetOf(drawingOf(sized, COLOURS, 960).option, sized, COLOURS, [])
  const texts = (option.graphic as unknown as { style: { text?: string } }[]).map(({ style: { text } }) => text)
  for (const words of ['P99 TTFT 10', '100 ms', 'hollow: not trusted  1', 'frontier']) expect(texts).toContain(words)
})

it('files have raw values, and no formula', () => {
  const chart = chartOf(state(), answer({ marks }), catalogue)
  expect(csvOf(columnsOf(chart), chart.items, ['n = 3'])).toBe(
    "# n = 3\r\nexperiment,P99 TTFT [ms],Output throughput [tok/s],verdict,id\r\n'=one,1,10,trusted,7\r\nresult 8,3,30,degraded,8\r\n",
  )
  const bars = chartOf(state({ kind: 'bar' }), groups, catalogue)
  expect(markdownOf(columnsOf(bars).slice(0, 3), bars.items, [])).toBe(
    '\n| TP size | n | not recorded |\n|---|---:|---:|\n| 2 | 3 | 0 |\n| unset | 0 | 2 |\n',
  )
})

// [unit of the field, a number as it is stored, what Markdown heads it with and shows, what CSV does]
it.each([
  ['ms', 45461.8986, 'ms', '45,460', 'ms'],
  ['B', 150109945856, 'GB', '150.1', 'B'],
  ['share', 0.9941, '%', '99.41', 'share'],
])(
  'of %s a file for programs has the number as it is, one for people the scaled one',
  (unit, value, shownUnit, shown, own) => {
    const fields = new Catalogue([
      field('results.a', 'A', { unit }),
      field('server.tensor_parallel_size', 'TP size', { type: 'count', unit: '', role: 'input' }),
    ])
    const axis = {
      field: 'results.a',
      kind: 'number' as const,
      log: false,
      not_positive: 0,
      min: value,
      max: value,
      kinds: null,
    }
    const both = (part: Partial<Answer>, kind: ChartState['kind'] = 'scatter') => {
      const chart = chartOf(state({ kind }), answer(part), fields)
      const columns = columnsOf(chart)
      return [csvOf(columns, chart.items, []), markdownOf(columns, chart.items, [])]
    }
    const [points = '', pointsWords = ''] = both({
      x: axis,
      y: axis,
      marks: { ...marks, x: [value, value], y: [value, value], size: [value, value] },
      request: { form: 'points', size: 'results.a' } as Answer['request'],
    })
    expect(points.split('\r\n').slice(0, 2)).toEqual([
      `experiment,A [${own}],A [${own}],A [${own}],verdict,id`,
      `'=one,${value},${value},${value},trusted,7`,
    ])
    expect(pointsWords.split('\n').slice(1, 4)).toEqual([
      `| experiment | A (${shownUnit}) | A (${shownUnit}) | A (${shownUnit}) | verdict | id |`,
      '|---|---:|---:|---:|---|---:|',
      `| =one | ${shown} | ${shown} | ${shown} | trusted | 7 |`,
    ])
    const [bars = '', barsWords = ''] = both(
      {
        form: 'groups',
        x: groups.x,
        y: axis,
        groups: { ...groups.groups!, mean: figures(value), p50: figures(value) },
      },
      'bar',
    )
    expect(bars).toContain(`mean [${own}]`)
    expect(bars).toContain(`,${value},`)
    expect(barsWords).toContain(`mean (${shownUnit})`)
    expect(barsWords).toContain(`| ${shown} |`)
    const [bins = ''] = both(
      { form: 'bins', x: axis, y: null, bins: { edges: [value, value * 2], counts: [[3]] } },
      'histogram',
    )
    expect(bins).toBe(`A [${own}],experiments\r\n${value} – ${value * 2},3\r\n`)
    const [lines = ''] = both(
      {
        form: 'parallel',
        x: null,
        y: null,
        axes: [axis, axis],
        lines: {
          ...marks,
          at: [
            [value, value],
            [value, value],
          ],
        },
      },
      'parallel',
    )
    expect(lines.split('\r\n')[0]).toBe(`experiment,A [${own}],A [${own}],verdict,id`)
  },
)
