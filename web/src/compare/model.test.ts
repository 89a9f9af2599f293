import { expect, it } from 'vitest'

import type { Caution, ComparedRatio, ComparedValues, Field } from '../api/types'
import { formOfRow } from '../format/number'
import { valueText, wholeText, withUnit } from '../format/value'
import { Catalogue, namesApart } from '../fields/catalogue'
import { namesOfSides } from '../names/sides'
import {
  cautionsFor,
  deviate,
  findingText,
  isBeyond,
  isOfTheseRuns,
  isUndecidable,
  markOf,
  percent,
  percentInterval,
  shareOf,
  spanOf,
  summaryOf,
  ticksTo,
  tickText,
  type SideView,
  valuesBySide,
  valuesOf,
  valuesText,
  verdictsText,
  withMetrics,
  withoutTwins,
} from './model'

const ratio = (part: Partial<ComparedRatio>): ComparedRatio => ({
  ratio: null,
  low: null,
  high: null,
  p: null,
  method: 'none',
  finding: 'no_value',
  more_runs_count: null,
  regression: false,
  sentence: '',
  ...part,
})

const field = (part: Partial<Field>): Field => ({
  id: 'system.host.memory_bytes',
  label: 'Memory bytes',
  help: '',
  group: '',
  unit: 'B',
  type: 'number',
  direction: 'neither',
  role: 'host',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const told = (...values: unknown[]) =>
  ({
    values: values.map((value) => ({ value, count: 1 })),
    distinct: values.length,
    null: 0,
    not_recorded: 0,
  }) as ComparedValues

it('values in one row have the same unit, and enough decimals to differ', () => {
  const row = (...values: number[]) => {
    const form = formOfRow(field({}), valuesOf(values.map((value) => told(value))))
    return [form.unit, ...values.map((value) => valueText(field({}), value, form))]
  }
  expect(row(900e6, 2e9)).toEqual(['GB', '0.9', '2.0'])
  expect(row(85_020_000_000, 85_020_100_000)).toEqual(['GB', '85.0200', '85.0201'])
  expect(valuesText(field({}), told(85.02e9))).toBe('85.02 GB')
  expect(valuesText(field({}), told(900e6, 2e9))).toBe('0.9 GB (1), 2.0 GB (1)')
  const hash = 'ab'.repeat(32)
  const text = field({ id: 'benchmark.dataset_sha256', unit: '', type: 'text' })
  expect([
    withUnit(text, hash),
    withUnit(text, `sha256:${hash}`),
    wholeText(text, hash),
    withUnit(text, 'auto'),
  ]).toEqual(['abababababab…', 'sha256:abababababab…', hash, 'auto'])
})

it('differences have a sign, and a missing value is not zero', () => {
  expect([1.0523, 0.98, 1, 1.0002, 0.9998, 12.5, null].map((one) => percent(one))).toEqual([
    '+5.2 %',
    '−2.0 %',
    '0.0 %',
    '0.0 %',
    '0.0 %',
    '+1,150 %',
    '–',
  ])
  expect([percentInterval({ low: 1.78014, high: 1.78021 }), percentInterval({ low: 2, high: 2 })]).toEqual([
    '+78.01 … +78.02',
    '+100.0 … +100.0',
  ])
  expect([percentInterval({ low: 0.9, high: 1.1 }), percentInterval({ low: null, high: 2 })]).toEqual([
    '−10.0 … +10.0',
    '–',
  ])
})

it('a mark says how sure a difference is', () => {
  expect(
    [
      ratio({ finding: 'worse', low: 1.1, high: 1.2 }),
      ratio({ finding: 'no_difference', low: 0.9, high: 1.2 }),
      ratio({ finding: 'no_interval', ratio: 2 }),
      ratio({ finding: 'equal', ratio: 1 }),
    ].map(markOf),
  ).toEqual(['filled', 'hollow', 'dashed', 'dashed'])
})

it('runs without a verdict are not trusted ones', () => {
  const side = (runs: number, trusted: number, untrusted: number) =>
    verdictsText({ name: '', runs, simulated: 0, trusted, untrusted, not_completed: 0 })
  expect([side(3, 0, 0), side(0, 0, 0), side(4, 4, 0), side(6, 3, 1)]).toEqual([
    '0 trusted, 3 without a verdict',
    'no run',
    '4 trusted',
    '3 trusted, 1 not trusted, 2 without a verdict',
  ])
})

it('two rows of one name say what each is of', () => {
  const fields = [
    ['server.model', 'Model', 'Server'],
    ['launch.facts.model', 'Model', 'Launch'],
    ['a.x.version', 'Version', 'Host'],
    ['b.x.version', 'Version', 'Host'],
    ['server.dtype', 'Dtype', 'Server'],
  ] as const
  expect([...namesApart(fields.map(([id, label, group]) => field({ id, label, group }))).values()]).toEqual([
    'Model, Server',
    'Model, Launch',
    'a.x.version',
    'b.x.version',
    'Dtype',
  ])
})

it('says how many runs more it would take', () => {
  expect(findingText(ratio({ finding: 'no_difference', more_runs_count: 7 }), 0.05)).toBe(
    'unclear · needs 7 more runs per side to detect 5 %',
  )
  expect(findingText(ratio({ finding: 'no_difference', more_runs_count: 0 }), 0.05)).toBe('unclear')
  expect(findingText(ratio({ finding: 'no_difference' }), 0.025)).toBe('unclear · needs repeats')
  expect(findingText(ratio({ finding: 'worse', regression: true }), 0.025)).toBe('worse by more than 2.5 %')
})

it('places percentiles by the normal curve', () => {
  for (const [share, place] of [
    [0.5, 0],
    [0.9, 1.2816],
    [0.99, 2.3263],
    [0.01, -2.3263],
    [0.999, 3.0902],
  ] as const)
    expect(Math.abs(deviate(share) - place)).toBeLessThan(0.01)
})

it('ticks are round and stay within', () => {
  expect([ticksTo(930, 3), ticksTo(0.07, 3), ticksTo(0, 3)]).toEqual([[0, 500], [0, 0.05], [0]])
  for (const top of [1e-9, 1, 3, 7.7, 12345, 1e12])
    expect(ticksTo(top, 4).every((tick) => tick <= top * 1.000001)).toBe(true)
})

it('the axis of all metrics holds their differences; one that is far away leaves it instead of flattening the others', () => {
  expect(spanOf([]).limit).toBeLessThan(1.1)
  const near = spanOf([ratio({ ratio: 1.03, low: 1.01, high: 1.05 })])
  expect([near.limit < 1.1, shareOf(near, 1), shareOf(near, 1.05) > 0.75]).toEqual([true, 0.5, true])
  const far = spanOf([ratio({ ratio: 288, low: 250, high: 300 }), ratio({ ratio: 1.6, low: 1.4, high: 1.8 })])
  // an interval from +40 % to +80 % next to ×288 takes a tenth of the axis
  expect(shareOf(far, 1.8) - shareOf(far, 1.4)).toBeGreaterThan(0.08)
  expect([isBeyond(far, 288), isBeyond(far, 1.6), shareOf(far, 288)]).toEqual([true, false, 1])
  for (const limit of [1.02, 1.1, 1.3, 1.7, 2.5, 3.9, 50]) {
    const span = spanOf([ratio({ ratio: limit })])
    expect([span.ticks.every((tick) => !isBeyond(span, tick)), span.ticks.length]).toEqual([true, 2])
  }
  expect([1 / 3, 1 / 1.5, 0.8, 1.1, 2, 10].map(tickText)).toEqual(['×1/3', '−33 %', '−20 %', '+10 %', '×2', '×10'])
})

it('sides without metrics raise no caution, nor do fields that matching makes the same', () => {
  const view = (at: number, runs = 1) => ({ at, letter: 'ABC'[at], told: { runs } }) as unknown as SideView
  const values = (...all: unknown[]) => ({
    values: all.map((value) => ({ value, count: 1 })),
    distinct: all.length,
    null: all.length ? 0 : 1,
    not_recorded: 0,
  })
  const caution = (kind: string, ...fields: [string, ReturnType<typeof values>[]][]) =>
    ({
      kind,
      title: kind,
      text: '',
      fields: fields.map(([id, sides]) => ({ field: id, label: id, sides })),
    }) as unknown as Caution
  const metrics = [{ told: { sides: [{ value: 1 }, { value: 2 }, { value: null }] } }] as unknown as Parameters<
    typeof withMetrics
  >[1]
  const measured = withMetrics([view(0), view(1), view(2)], metrics)
  expect(measured.map(({ letter }) => letter)).toEqual(['A', 'B'])
  const cautions = [
    caution(
      'load',
      ['benchmark.max_concurrency', [values(4), values(4), values()]],
      ['benchmark.num_prompts', [values(20), values(40), values(4)]],
    ),
    caution('simulated', ['environment.engine.simulated', [values(true), values(true), values()]]),
    caution('verdict', ['quality.verdict', [values('degraded'), values('degraded'), values('degraded')]]),
  ]
  const fieldsOf = (found: Caution[]) => found.map(({ kind, fields }) => [kind, fields.map(({ field: id }) => id)])
  expect(fieldsOf(cautionsFor(cautions, measured, []))).toEqual([
    ['load', ['benchmark.num_prompts']],
    ['verdict', ['quality.verdict']],
  ])
  expect(fieldsOf(cautionsFor(cautions, measured, ['benchmark.num_prompts']))).toEqual([
    ['verdict', ['quality.verdict']],
  ])
  const size = field({ id: 'server.max_num_seqs', role: 'input', unit: '' })
  expect(valuesBySide(size, [values(64), values(32), values(64)] as never, [view(0), view(1), view(2)])).toEqual([
    { letters: 'A, C', text: '64' },
    { letters: 'B', text: '32' },
  ])
  // what a user can set is unset; a fact that is null was not recorded
  expect(
    [
      field({ id: 'server.max_num_seqs', role: 'input' }),
      field({ id: 'quality.verdict' }),
      field({ id: 'environment.engine.version' }),
    ].map((one) => valuesText(one, values() as never, undefined, undefined, true)),
  ).toEqual(['unset', 'no verdict', 'not recorded'])
})

it('a summary counts what the comparison found and puts the headline metrics first', () => {
  const metric = (id: string, finding: ComparedRatio['finding']) =>
    ({ told: { ratios: [ratio({ finding })] }, field: field({ id }), form: {} }) as unknown as Parameters<
      typeof summaryOf
    >[0][number]
  const list = [
    metric('results.mean_ttft_ms', 'worse'),
    metric('results.p99_ttft_ms', 'worse'),
    metric('a', 'better'),
    metric('b', 'higher'),
    metric('c', 'equal'),
    metric('d', 'no_difference'),
    metric('e', 'no_interval'),
    metric('f', 'no_value'),
  ]
  const { worse, better, changed, equal, unclear } = summaryOf(list, 1)
  expect([worse.map((one) => one.field.id), better.length, changed.length, equal, unclear]).toEqual([
    ['results.p99_ttft_ms', 'results.mean_ttft_ms'],
    1,
    1,
    1,
    2,
  ])
})

it('a metric that repeats another one to the digit is folded', () => {
  const metric = (id: string, ...values: number[]) =>
    ({
      told: { field: id, sides: values.map((value) => ({ value, n: 1 })) },
      field: field({ id }),
    }) as unknown as Parameters<typeof withoutTwins>[0][number]
  const list = [
    metric('results.p99_ttft_ms', 1, 2),
    metric('results.mean_ttft_ms', 1, 2),
    metric('results.p99_first_token_ms', 1, 2),
    metric('results.mean_first_token_ms', 1, 3),
    metric('results.p99_token_gap_ms', 1, 2),
  ]
  const { shown, folded } = withoutTwins(list)
  expect([shown.length, folded.map(([one, twin]) => [one.told.field, twin.told.field])]).toEqual([
    4,
    [['results.p99_first_token_ms', 'results.p99_ttft_ms']],
  ])
})

it('single runs without any interval decide nothing, which is said once', () => {
  const metric = (finding: ComparedRatio['finding']) =>
    ({ told: { ratios: [ratio({ finding })] } }) as unknown as Parameters<typeof isUndecidable>[1][number]
  const sides = (...runs: number[]) =>
    runs.map((n) => ({ told: { runs: n } })) as unknown as Parameters<typeof isUndecidable>[0]
  expect(isUndecidable(sides(1, 1), [metric('no_interval'), metric('equal'), metric('no_value')])).toBe(true)
  expect(isUndecidable(sides(1, 3), [metric('no_interval')])).toBe(false)
  expect(isUndecidable(sides(1, 1), [metric('no_interval'), metric('no_difference')])).toBe(false)
  expect(isUndecidable(sides(1, 1), [metric('equal')])).toBe(false)
})

it('sides are named by the inputs in which they differ', () => {
  const catalogue = new Catalogue([
    field({ id: 'server.tensor_parallel_size', role: 'input' }),
    field({ id: 'server.model', role: 'input', type: 'text' }),
  ])
  const answer = {
    sides: [{}, {}],
    inputs: {
      differing: [
        { field: 'server.tensor_parallel_size', between: true, sides: [told(1), told(2)] },
        { field: 'server.model', between: false, sides: [told('a', 'b'), told('a', 'b')] },
      ],
    },
  } as unknown as Parameters<typeof namesOfSides>[0]
  const names = namesOfSides(answer, [{ ids: [1] }, { ids: [2, 3] }], ['nightly', 'nightly'], catalogue)
  expect(names.map(({ short }) => short)).toEqual(['TP 1', 'TP 2'])
  expect(
    namesOfSides(answer, [{ label: 'before', ids: [1] }, { ids: [2] }], ['before', 'nightly'], catalogue)[0]?.short,
  ).toBe('before')
})

it('a difference from the intervals within two runs is said to be of these runs', () => {
  const within = ratio({ finding: 'better', method: 'within_runs', ratio: 1.6, low: 1.5, high: 1.7, p: 0 })
  expect([
    findingText(within, 0.05),
    findingText({ ...within, method: 'student' }, 0.05),
    findingText({ ...within, finding: 'no_difference', more_runs_count: null }, 0.05),
  ]).toEqual(['better in these runs', 'better', 'unclear · needs repeats'])
  const views = (one: ComparedRatio) => [{ told: { ratios: [one] } }] as unknown as Parameters<typeof isOfTheseRuns>[0]
  expect([isOfTheseRuns(views(within)), isOfTheseRuns(views({ ...within, method: 'bootstrap' }))]).toEqual([
    true,
    false,
  ])
})
