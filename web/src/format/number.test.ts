import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { numberedEdges } from './bin-ticks'
import { boundText, formFor, formOfRow, formOfScale, paddingOf, plainNumber, showNumber } from './number'
import { readQuantity } from './read'
import { readTime } from './time'
import { showValue } from './value'

const field = (unit: string, part: Partial<Field> = {}): Field => ({
  id: 'results.x',
  label: 'X',
  help: '',
  group: '',
  unit,
  type: 'number',
  direction: 'lower',
  role: 'output',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const parameter = field('tok', { id: 'server.max_model_len', role: 'input', type: 'count' })
const count = field('tok', { id: 'results.total_output_tokens', type: 'count' })

// field, values of the column, its unit, what is shown
const COLUMNS: [Field, number[], string, string[]][] = [
  [field('ms'), [353.21, 225.6, 1177.04], 'ms', ['353.2', '225.6', '1,177']],
  [field('ms'), [16750, 9000, 73450.5], 'ms', ['16,750', '9,000', '73,450']],
  [field('ms'), [0.0123, 5, 23550.4], 'ms', ['0.012', '5.000', '23,550']],
  [field('s', { id: 'results.avg_latency' }), [1.5, 0.02], 'ms', ['1,500', '20']],
  [field('s', { id: 'launch.phases.ready_s' }), [0.002], 's', ['0.002']],
  [field('share'), [0.9941, 0.5], '%', ['99.41', '50.00']],
  [field('share'), [0.01], '%', ['1']],
  [field('J/tok'), [0.4512, 0.4581], 'J/tok', ['0.451', '0.458']],
  [field('tok/s'), [1957, 1924.4], 'tok/s', ['1,957', '1,924']],
  [field('B'), [80e9, 40e9], 'GB', ['80', '40']],
  [field('B'), [900e3, 2e6], 'GB', ['0.0009', '0.0020']],
  [field('B', { id: 'system.client.memory_peak_bytes' }), [215e6], 'MB', ['215']],
  [field('GB'), [85.017493504], 'GB', ['85.02']],
  [field(''), [1, 20, 300], '', ['1', '20', '300']],
  [field('ms'), [-3.5, 2], 'ms', ['−3.5', '2.0']],
  [field('ms'), [999.96, 12.34], 'ms', ['1,000', '12.3']],
  [count, [123456, 7], 'tok', ['123,456', '7']],
]

it.each(COLUMNS)('%j %j', (of, values, unit, texts) => {
  const form = formFor(of, values)
  expect(form.unit).toBe(unit)
  expect(values.map((value) => showNumber(value, form))).toEqual(texts)
  // with its padding every number reaches as far to the right of the point
  const right = values.map(
    (value, i) =>
      (texts[i]?.split('.')[1] === undefined ? 0 : (texts[i]?.split('.')[1] ?? '').length + 1) + paddingOf(value, form),
  )
  expect(new Set(right).size).toBe(1)
})

it('the unit of a field does not depend on the values', () => {
  for (const unit of ['ms', 'B', 's', 'share'])
    expect(
      new Set(
        [[], [1e-9], [1], [1e12]].flatMap((values) => [
          formFor(field(unit), values).unit,
          formOfRow(field(unit), values).unit,
          formOfScale(field(unit), values).unit,
        ]),
      ).size,
    ).toBe(1)
})

it('shows parameters as they were written, and their axes as numbers', () => {
  const form = formFor(parameter, [8192, 131072])
  expect([8192, 0.92, 'inf', 'auto', false].map((value) => showValue(parameter, value, form))).toEqual([
    '8192',
    '0.92',
    'inf',
    'auto',
    'false',
  ])
  expect(plainNumber(131072, formOfScale(parameter, [8192, 131072]))).toBe('131,072')
})

it('tells values of a row apart', () => {
  const form = formOfRow(field('ms'), [12341, 12342])
  expect([12341, 12342].map((value) => showNumber(value, form))).toEqual(['12,341', '12,342'])
})

const share = field('share')
const memory = field('B')
const READ: [Field, string, number | null][] = [
  [field('ms'), '', null],
  [field('ms'), '  ', null],
  [field('ms'), '500', 500],
  [field('ms'), ' 150.5 ', 150.5],
  [field('ms'), '.5', 0.5],
  [field('ms'), '1e3', 1000],
  [field('ms'), '−7', -7],
  [field('ms'), '1,505', 1505],
  [field('ms'), '-1,234,567.25', -1234567.25],
  [field('ms'), 'inf', Infinity],
  [field('ms'), '-inf', -Infinity],
  [field('ms'), '500ms', 500],
  [field('ms'), '500 ms', 500],
  [field('ms'), '0.5 s', 500],
  [field('ms'), '0.3s', 300],
  [field('ms'), '1.2 min', 72000],
  [field('ms'), '250us', 0.25],
  [field('ms'), '2k', 2000],
  [field('s', { id: 'run.duration' }), '2 min', 120],
  [field('s', { id: 'results.avg_latency' }), '500', 0.5],
  [field('us'), '1 ms', 1000],
  [share, '50', 0.5],
  [share, '50 %', 0.5],
  [field('%'), '50%', 50],
  [memory, '80', 80e9],
  [memory, '80 GB', 80e9],
  [memory, '1 GiB', 2 ** 30],
  [field('GB'), '512MB', 0.512],
  [parameter, '8192', 8192],
  [parameter, '8k', 8000],
  [field('tok/s'), '1,500 tok/s', 1500],
  [field(''), '2k', 2000],
]
it.each(READ)('%j reads %j as %d', (of, text, value) => expect(readQuantity(of, text)).toEqual({ value }))

const FAULTS: [Field, string, RegExp][] = [
  ...['150,5', '1,50', '1505,000', '1,000.5,5', '1,,000', '1.500,25', '1,'].map((text): [Field, string, RegExp] => [
    field('ms'),
    text,
    /Commas separate thousands/,
  ]),
  ...['0x10', 'ten', 'Infinity', ',5', 'ms', '5 5', '--5', '1.2.3'].map((text): [Field, string, RegExp] => [
    field('ms'),
    text,
    /^Enter a number\.$|^Found the unit/,
  ]),
  [field('ms'), '5 GB', /“GB”, expected us, ms, s, min or h/],
  [memory, '5 s', /“s”, expected B, KB/],
  [share, '5 ms', /expected %/],
  [field('tok/s'), '5 ms', /expected tok\/s/],
  [field(''), '5 ms', /without a unit/],
]
it.each(FAULTS)('%j refuses %j', (of, text, fault) =>
  expect(readQuantity(of, text)).toEqual({ fault: expect.stringMatching(fault) as string }),
)

it('a bound is shown as it was typed', () => {
  for (const text of ['500', '1,234.5678', '0.3', '−7', '123,456,789']) {
    const read = readQuantity(field('ms'), text)
    expect('value' in read && boundText(read.value ?? 0, formFor(field('ms'), []))).toBe(text)
  }
  expect(boundText(0.995, formFor(share, []))).toBe('99.5')
})

it('numbers the edges of bins where there is room', () => {
  const log = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]
  const labels = (edges: number[], px: number) =>
    numberedEdges(edges, px, (edge) => edge.toLocaleString('en').length * 7).map((i) => edges[i])
  expect(labels(log, 252)).toEqual([0, 1, 10, 100, 1000, 10000])
  expect(labels(log, 900)).toEqual(log.slice(0, -1))
  const linear = Array.from({ length: 21 }, (_, i) => 20 + i * 20)
  expect(labels(linear, 252).length).toBeGreaterThan(4)
  expect(
    new Set(
      labels(linear, 252)
        .slice(1)
        .map((edge, i) => (edge ?? 0) - (labels(linear, 252)[i] ?? 0)),
    ).size,
  ).toBe(1)
  expect(labels([5, 10, 20, 50, 100], 60)).toEqual([10, 100])
})

it('reads moments in ISO form', () => {
  expect(
    ['2026-11-19', '2026-11-19 14:12', '2026-11-19T14:12:30Z', '2026-11-19 14:12+02:00', 'now-30d', 'today'].map(
      readTime,
    ),
  ).toEqual(
    [
      '2026-11-19T00:00:00Z',
      '2026-11-19T14:12:00Z',
      '2026-11-19T14:12:30Z',
      '2026-11-19T14:12:00+02:00',
      'now-30d',
      'today',
    ].map((value) => ({ value })),
  )
  for (const text of ['11/19/2026', '19.11.2026', '2026-02-30', '2026-13-01', '2026-11-19 25:00', 'yesterday'])
    expect(readTime(text)).toHaveProperty('fault')
})
