import { describe, expect, it } from 'vitest'

import type { Experiment } from '../api/types'
import { type Check, checksOf, intervalOf, isBelow } from './model'
import { causeLine, checkFigure, figure, logLines } from './ruling'

const of = (quality: unknown) => checksOf({ document: { quality } } as unknown as Experiment)

describe('checks of a document', () => {
  it('may lack what ours have', () => {
    expect(of({ checks: [{ id: 'client_error', status: 'over_limit', effect: 'degraded' }] })).toEqual([
      {
        id: 'client_error',
        status: 'over_limit',
        effect: 'degraded',
        text: '',
        unit: '',
        value: undefined,
        limit: undefined,
      },
    ])
    expect(of({ checks: [{ id: 7, text: null, value: null, limit: 'none', unit: {} }] })).toEqual([
      { id: '', status: '', effect: '', text: '', unit: '', value: null, limit: 'none' },
    ])
    expect(of({ checks: [{ value: 0, limit: false }] })).toMatchObject([{ value: 0, limit: false }])
  })

  it('may be none, or no objects', () => {
    for (const quality of [
      undefined,
      null,
      'fine',
      {},
      { checks: null },
      { checks: { a: 1 } },
      { checks: ['x', 1, null, [{}]] },
    ])
      expect(of(quality)).toEqual([])
  })

  it('distinguish not recorded, null and a value', () => {
    expect(figure(undefined, 'share')).toBe('–')
    expect(figure(null, 'share')).toBe('unset')
    expect(figure('none', 'share')).toBe('none')
    expect(figure(0, 'share')).toBe('0')
    expect(figure(false, 'yes')).toBe('no')
  })

  it('round a client error up to two digits, as its sentence does', () => {
    const of = (id: string, value: number) => checkFigure({ id, value, unit: 'share' })
    expect([0.5719, 0.00098, 0.0213, 0.12].map((value) => of('client_error', value))).toEqual([
      '58',
      '0.098',
      '2.2',
      '12',
    ])
    expect(of('rate_shortfall', 0.5719)).toBe('57.19')
  })
})

it.each<[unknown, unknown]>([
  [null, null],
  [undefined, undefined],
  [
    [1, 2],
    [1, 2],
  ],
  [[1], undefined],
  ['1', undefined],
])('the stored interval %j is read as %j', (stored, interval) => {
  const results = stored === undefined ? {} : { p99_ttft_ms_ci95: stored }
  expect(
    intervalOf({ document: { results } } as unknown as Experiment, { id: 'results.p99_ttft_ms', unit: 'ms' }),
  ).toEqual(interval)
})

it('intervals of derived metrics follow from those of what they are made of', () => {
  const experiment = {
    document: { results: { output_throughput_ci95: [90, 120], median_tpot_ms_ci95: [8, 12.5] } },
    fields: {
      'results.output_throughput': { value: 100 },
      'derived.output_throughput_per_gpu': { value: 50 },
      'results.median_tpot_ms': { value: 10 },
      'derived.tokens_per_s_per_user': { value: 100 },
    },
  } as unknown as Experiment
  expect(intervalOf(experiment, { id: 'derived.output_throughput_per_gpu', unit: 'tok/s' })).toEqual([45, 60])
  expect(intervalOf(experiment, { id: 'derived.tokens_per_s_per_user', unit: 'tok/s' })).toEqual([80, 125])
  const bare = { ...experiment, document: { results: { output_throughput_ci95: null } } } as unknown as Experiment
  expect([
    intervalOf(bare, { id: 'derived.output_throughput_per_gpu', unit: '' }),
    intervalOf(bare, { id: 'derived.tokens_per_s_per_user', unit: '' }),
  ]).toEqual([null, undefined])
})

it('the line of the log that names the cause is shown once', () => {
  expect(logLines('ValueError: x', 'begin\n  ValueError: x\nend')).toEqual(['begin\n  ValueError: x\nend'])
  expect([logLines('a', 'b'), logLines('a', null), logLines(null, null)]).toEqual([['a', 'b'], ['a'], []])
})

it('without a known cause, the title names the line of the log with the error', () => {
  expect(causeLine('RuntimeError: out of memory', null)).toBe('RuntimeError: out of memory')
  expect(causeLine(null, 'loading\nValueError: first\n  OSError: last\nexit')).toBe('OSError: last')
  expect([causeLine(null, 'no error here'), causeLine(null, null)]).toEqual(['', ''])
  expect(causeLine(`ValueError: ${'x'.repeat(300)}`, null)).toHaveLength(120)
})

describe('a limit that is a minimum', () => {
  const check = (value: unknown, limit: unknown, status = 'over_limit') =>
    ({ value, limit, status }) as unknown as Check
  it('is one if the value is less and the check failed', () => {
    expect(isBelow(check(20, 368))).toBe(true)
    expect(isBelow(check(5, 2))).toBe(false)
    expect(isBelow(check(1, 2, 'passed'))).toBe(false)
    expect(isBelow(check(null, 2))).toBe(false)
  })
})
