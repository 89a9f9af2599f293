import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { CHART, type ChartState } from '../url/chart'
import { breakOf, lanesOf, shiftsOf } from './bands'
import type { Colours } from './colours'
import { lineShifts } from './draw-line'
import { stackWords } from './draw-scatter'
import { gapsOf, gapWords, piecesOf } from './gaps'
import { type Chart, chartOf, linesOf, stacksOf } from './items'
import { keysOf } from './keys'
import type { Answer } from './model'
import { drawingOf } from './option'

const field = (id: string, label: string, part: Partial<Field> = {}): Field => ({
  id,
  label,
  help: '',
  group: '',
  unit: '',
  type: 'number',
  direction: 'higher',
  role: 'output',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const catalogue = new Catalogue([
  field('results.output_throughput', 'Output'),
  field('benchmark.max_concurrency', 'Concurrency', { type: 'count', role: 'input' }),
  field('server.model', 'Model', { type: 'text', role: 'input' }),
])
const COLOURS = {
  series: ['#111111', '#222222'],
  other: '#333333',
  text: '#000000',
  text2: '#000000',
  text3: '#000000',
  grid: '#dddddd',
  axis: '#aaaaaa',
  sheet: '#ffffff',
  accent: '#0000ff',
  quiet: '#888888',
} as Colours

type Value = [color: string, place: number | string | null, y: number | null, n?: number]

// Groups with these values, along the places in the order of the list.
function chartWith(
  kind: ChartState['kind'],
  places: (number | string | null)[],
  values: Value[],
  state: Partial<ChartState> = {},
): Chart {
  const colours = [...new Set(values.map(([color]) => color))]
  const kindOf = (value: number | string | null) =>
    value === null ? { state: 'null' as const, count: 1 } : { state: 'value' as const, value, count: 1 }
  const ys = values.map(([, , y]) => y)
  const around = (by: number) => ys.map((y) => (y === null ? null : y + by))
  const none = values.map(() => 0)
  const answer = {
    form: 'groups',
    count: 9,
    total: 9,
    drawn: 9,
    simulated: 0,
    excluded: {},
    matched: null,
    cautions: [],
    shape: null,
    incomplete: [],
    elapsed_ms: 1,
    data_version: 1,
    at: 0,
    request: { form: 'groups' },
    x: {
      field: 'benchmark.max_concurrency',
      kind: 'kinds',
      log: false,
      not_positive: 0,
      min: 0,
      max: places.length - 1,
      kinds: { field: 'benchmark.max_concurrency', kinds: places.map(kindOf) },
    },
    y: {
      field: 'results.output_throughput',
      kind: 'number',
      log: false,
      not_positive: 0,
      min: 0,
      max: 100,
      kinds: null,
    },
    color: { field: 'server.model', kinds: colours.map(kindOf) },
    groups: {
      x: values.map(([, place]) => places.indexOf(place)),
      color: values.map(([color]) => colours.indexOf(color)),
      n: values.map(([, , y, n]) => n ?? (y === null ? 0 : 3)),
      missing: none,
      null: none,
      word: none,
      infinite: none,
      failed: none,
      std: none,
      mean: ys,
      p50: ys,
      p95: ys,
      min: around(-3),
      p5: around(-2),
      p25: around(-1),
      p75: around(1),
      max: around(3),
      low: around(-1),
      high: around(1),
    },
  } as unknown as Answer
  return chartOf({ ...CHART, kind, ...state }, answer, catalogue)
}

const PLACES = [16, 32, 64, 128, 256]
const all = (color: string, places = PLACES): Value[] => places.map((place) => [color, place, 10])
const pieces = (chart: Chart, kind: number) =>
  piecesOf(
    chart.items.filter((item) => item.kind === kind),
    gapsOf(chart).find((gap) => gap.kind === kind)?.places ?? [],
  ).map((piece) => piece.map(({ x }) => x))

it('a line ends at a place of another line that it has no value at, and the gap has a name', () => {
  const chart = chartWith('line', PLACES, [...all('whole'), ...all('part', [16, 64, 128])])
  expect(gapsOf(chart)).toEqual([{ kind: 1, places: [1] }])
  expect(pieces(chart, 0)).toEqual([[0, 1, 2, 3, 4]])
  expect(pieces(chart, 1)).toEqual([[0], [2, 3]])
  expect(gapWords(chart)).toEqual({ count: 1, words: ['part: no value at 32'] })
  // bars have no line to break
  expect(gapWords(chartWith('bar', PLACES, [...all('whole'), ...all('part', [16, 64])]))).toBeNull()
})

it('lines at places of their own have no gaps, and a group without a number is one', () => {
  expect(gapsOf(chartWith('line', [1, 2, 3, 4], [...all('odd', [1, 3]), ...all('even', [2, 4])]))).toEqual([])
  const chart = chartWith(
    'line',
    [1, 2, 3],
    [
      ['one', 1, 5],
      ['one', 2, null],
      ['one', 3, 7],
    ],
  )
  expect(gapsOf(chart)).toEqual([{ kind: 0, places: [1] }])
  expect(pieces(chart, 0)).toEqual([[0], [2]])
})

it('a value without a number comes after a break of the axis', () => {
  expect(breakOf(chartWith('line', [16, 32, null], [...all('a', [16, 32]), ['a', null, 4]]))).toBe(2)
  expect(breakOf(chartWith('bar', [16, 32], all('a', [16, 32])))).toBeNull()
  expect(
    breakOf(
      chartWith(
        'bar',
        ['x', 'y', null],
        [
          ['a', 'x', 1],
          ['a', null, 2],
        ],
      ),
    ),
  ).toBeNull()
})

it('error bars of several lines in one place are next to each other, with their points', () => {
  const chart = chartWith('line', PLACES, [...all('a'), ...all('b'), ...all('c')])
  const shift = lineShifts(chart, { min: 16, max: 256, isLog: true }, 800)
  expect([0, 1, 2].map((kind) => shift(chart.items.find((item) => item.kind === kind)!))).toEqual([-8, 0, 8])
  // less where places are near to each other, and none where nothing meets
  expect(Math.abs(lineShifts(chart, { min: 16, max: 256, isLog: true }, 40)(chart.items[0]!))).toBeLessThan(4)
  expect(
    lineShifts(chartWith('line', PLACES, all('a')), { min: 16, max: 256, isLog: true }, 800)({ kind: 0 } as never),
  ).toBe(0)
  expect(
    lineShifts(
      chartWith('line', PLACES, [...all('a'), ...all('b')], { spread: 'none' }),
      { min: 16, max: 256, isLog: true },
      800,
    )({ kind: 0 } as never),
  ).toBe(0)
  const { targets } = drawingOf(chart, COLOURS, 900)
  expect(new Set(targets.map(({ shift: px }) => px))).toEqual(new Set([-8, 0, 8]))
})

it('a place without a value has no room between boxes, and one alone is in the middle of its place', () => {
  const chart = chartWith(
    'box',
    ['a', 'empty', 'b'],
    [
      ['one', 'a', 5],
      ['two', 'a', 6],
      ['one', 'empty', null],
      ['two', 'b', 7, 1],
    ],
  )
  expect([chart.x.shown, chart.x.words]).toEqual([2, ['a', 'b', 'empty']])
  expect(chart.items.map(({ x }) => chart.x.words[x])).toEqual(['a', 'a', 'empty', 'b'])
  expect(
    (drawingOf(chart, COLOURS, 900).option.xAxis as { data: string[] }).data.map((word) => word.split('\n')[0]),
  ).toEqual(['a', 'b'])
  const shift = shiftsOf(chart)
  expect([lanesOf(chart), ...chart.items.map(shift)]).toEqual([2, -0.5, 0.5, 0, 0])
})

it('a box of one result is a mark, of several a box', () => {
  const chart = chartWith(
    'box',
    ['a'],
    [
      ['one', 'a', 5, 1],
      ['two', 'a', 6, 4],
    ],
  )
  const [one, several] = drawingOf(chart, COLOURS, 900).option.series as unknown as {
    renderItem: (params: object, api: object) => { type: string; children?: { type: string }[] }
  }[]
  const api = { value: () => 0, coord: () => [50, 50], size: () => [100, 0] }
  expect(one!.renderItem({ dataIndex: 0 }, api).type).toBe('marks')
  expect(several!.renderItem({ dataIndex: 0 }, api).children?.some(({ type }) => type === 'rect')).toBe(true)
})

it('results at one point are counted, simulated ones are faint', () => {
  const marks = {
    id: [1, 2, 3],
    x: [5, 5, 6],
    y: [1, 1, 1],
    color: null,
    shape: null,
    count: [1, 1, 1],
    verdict: ['trusted', 'trusted', 'trusted'],
    simulated: [true, true, true],
    labels: {},
  }
  const axis = {
    field: 'results.output_throughput',
    kind: 'number',
    log: false,
    not_positive: 0,
    min: 0,
    max: 9,
    kinds: null,
  }
  const of = (part: object) =>
    chartOf(
      CHART,
      {
        form: 'points',
        count: 3,
        total: 3,
        drawn: 3,
        simulated: 3,
        excluded: {},
        matched: null,
        cautions: [],
        shape: null,
        color: null,
        incomplete: [],
        elapsed_ms: 1,
        data_version: 1,
        at: 0,
        request: { form: 'points' },
        x: axis,
        y: axis,
        marks,
        ...part,
      } as unknown as Answer,
      catalogue,
    )
  const chart = of({})
  expect(stacksOf(chart)).toEqual([[0, 1]])
  expect(linesOf(chart, chart.items[1]!).at(-1)).toEqual(['at this point', '2 results'])
  expect(linesOf(chart, chart.items[2]!)).toHaveLength(2)
  expect(stackWords(chart)).toBe('×n: n results with equal values')
  expect(keysOf(chart).map(({ look, words, count }) => [look, words, count])).toEqual([
    ['faint', 'faint: simulated', 3],
  ])
  expect(stacksOf(of({ form: 'thinned' }))).toEqual([])
})
