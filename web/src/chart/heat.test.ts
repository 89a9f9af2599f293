// Tests which cells and lines are drawn.
import { expect, it } from 'vitest'

import type { Field, Kind, PointsResponse } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { CHART, type ChartState } from '../url/chart'
import { readExplore, writeExplore } from '../url/explore'
import { captionOf } from './caption'
import type { Colours } from './colours'
import { failedOf, formsOf, scaleOf } from './heat'
import { chartOf, type Item, linesOf, nameOf } from './items'
import { type Answer, chartWords, requestOf } from './model'
import { drawingOf } from './option'
import { kindsBetween, linesOfTitle, shareOn, valueOn } from './parallel'
import { columnsOf, csvOf } from './table'

const field = (id: string, label: string, part: Partial<Field> = {}): Field => ({
  id,
  label,
  help: '',
  group: '',
  unit: '',
  type: 'count',
  direction: 'neither',
  role: 'input',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const OUTPUT = { unit: 'tok/s', type: 'number', direction: 'higher', role: 'output' } as const
const catalogue = new Catalogue([
  field('server.tensor_parallel_size', 'TP size'),
  field('benchmark.max_concurrency', 'Concurrency'),
  field('server.model', 'Model', { type: 'text' }),
  field('results.output_throughput', 'Output throughput', OUTPUT),
])
const kinds = (name: string, ...values: unknown[]) => ({
  field: name,
  kind: 'kinds' as const,
  log: false,
  not_positive: 0,
  min: 0,
  max: values.length - 1,
  kinds: { field: name, kinds: values.map((value): Kind => ({ state: 'value', value, count: 1 })) },
})
const numbers = (name: string, min: number, max: number) => ({
  field: name,
  kind: 'number' as const,
  log: false,
  not_positive: 0,
  min,
  max,
  kinds: null,
})
const base: Answer = {
  form: 'grid',
  count: 9,
  total: 9,
  drawn: 9,
  simulated: 0,
  excluded: {},
  matched: null,
  cautions: [],
  x: null,
  y: null,
  shape: null,
  color: null,
  incomplete: [],
  elapsed_ms: 1,
  data_version: 4,
  at: 0,
  request: { form: 'grid' } as Answer['request'],
}
const NONE = [0, 0, 0]
const list = (...values: (number | null)[]) => values
const figures: NonNullable<PointsResponse['grid']> = {
  x: [0, 0, 1],
  y: [0, 1, 1],
  n: [4, 0, 3],
  missing: [0, 2, 0],
  null: NONE,
  word: NONE,
  infinite: NONE,
  failed: [0, 2, 1],
  mean: list(10, null, 30),
  std: list(1, null, 1),
  min: list(8, null, 28),
  p5: list(8, null, 28),
  p25: list(9, null, 29),
  p50: list(10, null, 31),
  p75: list(11, null, 32),
  p95: list(12, null, 33),
  max: list(12, null, 33),
  low: list(9, null, 27),
  high: list(11, null, 33),
}
const grid: Answer = {
  ...base,
  x: kinds('server.tensor_parallel_size', 1, 2),
  y: kinds('benchmark.max_concurrency', 8, 16),
  value: numbers('results.output_throughput', 8, 33),
  grid: figures,
}
const lines: Answer = {
  ...base,
  form: 'parallel',
  axes: [
    numbers('server.tensor_parallel_size', 1, 5),
    kinds('server.model', 'a', 'b'),
    numbers('results.output_throughput', 100, 300),
  ],
  gaps: [{}, { missing: 1 }, {}],
  lines: {
    id: [7, 9],
    at: [
      [1, 5],
      [1, null],
      [100, 300],
    ],
    color: null,
    count: [1, 3],
    verdict: ['trusted', 'degraded'],
    simulated: [false, false],
    labels: { 'run.name': ['one', null] },
  },
}
const colours: Colours = {
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
const heat: ChartState = { ...CHART, kind: 'heat' }
const parallel: ChartState = { ...CHART, kind: 'parallel' }

it('a cell is what the answer has; one without a number has no value and is not on the scale', () => {
  const chart = chartOf(heat, grid, catalogue)
  expect(chart.items.map(({ x, y, value, n }) => [x, y, value, n])).toEqual([
    [0, 0, 10, 4],
    [0, 1, null, 0],
    [1, 1, 31, 3],
  ])
  expect(chart.items.map((item) => failedOf(chart, item))).toEqual([0, 2, 1])
  const scale = scaleOf(chart)
  expect([scale?.least, scale?.most, scale?.share(10), scale?.share(31)]).toEqual([10, 31, 0, 1])
  expect(nameOf(chart, chart.items[2]!)).toBe('2, 16')
  expect(linesOf(chart, chart.items[1]!)).toEqual([
    ['median output throughput over runs', '–'],
    ['TP size', '1'],
    ['Concurrency', '16'],
    ['experiments', '0'],
    ['not recorded', '2'],
    ['failed runs', '2'],
  ])
  expect(linesOf(chart, chart.items[2]!)[1]).toEqual(
    ['quartiles (p25 – p75)', '29.00 – 32.00 tok/s'].map((text) => text.replaceAll('.00', '')),
  )
  expect(drawingOf(chart, colours, 960).targets.map(({ x, y }) => [x, y])).toEqual([
    [0, 0],
    [0, 1],
    [1, 1],
  ])
  expect(captionOf(chart)).toBe('Blank: no experiment')
  expect(chartWords(heat, grid, catalogue)).toBe(
    'Heat map: median output throughput by TP size and concurrency of 9 experiments',
  )
})

it('axis titles wrap between words, and the last line is cut', () => {
  expect(linesOfTitle('Tensor parallel size', 12, 2)).toEqual(['Tensor', 'parallel siz…'.slice(0, 11) + '…'])
  expect(linesOfTitle('Output throughput per GPU', 19, 2)).toEqual(['Output throughput', 'per GPU'])
  expect(linesOfTitle('Model', 12, 2)).toEqual(['Model'])
})

it('cells have figures where all have room for theirs, on a phone shorter ones', () => {
  const texts = (wide: number) => {
    const [series] = drawingOf(chartOf(heat, grid, catalogue), colours, 960).option.series as {
      renderItem: (params: object, api: object) => { children: { type: string }[] }
    }[]
    return [0, 1, 2].map(
      (dataIndex) =>
        series!
          .renderItem({ dataIndex }, { coord: () => [50, 50], size: () => [wide, 30] })
          .children.filter(({ type }) => type === 'text').length,
    )
  }
  expect(texts(60)).toEqual([1, 1, 1])
  expect(texts(18)).toEqual([1, 1, 1])
  expect(texts(11)).toEqual([0, 0, 0])
  const chart = chartOf(heat, grid, catalogue)
  const of = (value: number) => formsOf(chart).map((form) => form({ ...(chart.items[0] as Item), value }))
  expect([of(1234.56), of(853.27), of(47), of(0.1234)].map((texts) => texts.slice(1))).toEqual([
    ['1.23k', '1.2k'],
    ['853', '853'],
    ['47', '47'],
    ['0.123', '0.12'],
  ])
})

it('cells of one value are in the middle of the scale', () => {
  const same = chartOf(heat, { ...grid, grid: { ...figures, p50: [5, null, 5] } }, catalogue)
  expect(scaleOf(same)?.share(5)).toBe(0.5)
  expect(scaleOf(chartOf(heat, { ...grid, grid: { ...figures, p50: [null, null, null] } }, catalogue))).toBe(null)
})

it('a line goes through what there is, and through nothing else', () => {
  const chart = chartOf(parallel, lines, catalogue)
  const { targets, lines: axes } = drawingOf(chart, colours, 960)
  expect(targets.map(({ item, x, y }) => [item, axes?.places.indexOf(x), y])).toEqual([
    [0, 0, 0],
    [1, 0, 1],
    [0, 1, 0.75],
    [0, 2, 0],
    [1, 2, 1],
  ])
  expect(linesOf(chart, chart.items[1]!)).toEqual([
    ['TP size', '5'],
    ['Model', '–'],
    ['Output throughput', '300 tok/s'],
    ['represents', '3 results'],
  ])
  expect(chart.axes.map(({ gaps }) => gaps)).toEqual([0, 1, 0])
  expect(csvOf(columnsOf(chart), chart.items, [])).toBe(
    'experiment,TP size,Model,Output throughput [tok/s],verdict,id\r\none,1,b,100,trusted,7\r\nresult 9,5,,300,degraded,9\r\n',
  )
})

it('a share of an axis is a value of it, and back', () => {
  const [tp, model] = chartOf(parallel, lines, catalogue).axes
  for (const share of [0, 0.3, 1]) expect(shareOn(tp!, valueOn(tp!, share))).toBeCloseTo(share)
  expect([shareOn({ ...tp!, most: 1 }, 1), valueOn({ ...tp!, most: 1 }, 0.2)]).toEqual([0.5, 1])
  expect(kindsBetween(model!, [0.5, 1]).map(({ value }) => value)).toEqual(['b'])
  expect(kindsBetween(model!, [0.3, 0.4])).toEqual([])
})

it('requests two inputs and a metric, or axes that vary; the address keeps both', () => {
  const varying = new Set([
    'server.tensor_parallel_size',
    'benchmark.max_concurrency',
    'server.model',
    'results.output_throughput',
  ])
  expect(requestOf(heat, undefined, catalogue, undefined, []).choices?.[0]).toEqual({
    form: 'grid',
    x: 'benchmark.max_concurrency',
    y: 'server.tensor_parallel_size',
    value: 'results.output_throughput',
  })
  expect(requestOf(parallel, varying, catalogue, undefined, [3])).toEqual({
    form: 'parallel',
    axes: ['server.model', 'server.tensor_parallel_size', 'benchmark.max_concurrency', 'results.output_throughput'],
    color_choices: ['results.output_throughput'],
    labels: ['run.name'],
    significant_digits: 7,
    selected: [3],
  })
  const state = readExplore('chart=parallel&axes=a.b,c.d&value=e.f')
  expect([state.chart.axes, state.chart.value]).toEqual([['a.b', 'c.d'], 'e.f'])
  expect(readExplore(writeExplore(state)).chart).toEqual(state.chart)
  expect(readExplore('axes=one').chart.axes).toBe(null)
})
