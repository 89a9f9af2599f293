import { expect, test } from 'vitest'

import { NO_PARETO, type ParetoState, readPareto, writePareto } from './pareto'

test('the usual state is an empty address', () => {
  expect(writePareto(NO_PARETO)).toBe('')
  expect(readPareto('')).toEqual(NO_PARETO)
})

test.each<Partial<ParetoState>>([
  { choices: { 'server.model': { values: ['a,b'] } } },
  {
    metrics: [
      { field: 'results.p99_ttft_ms', direction: null },
      { field: 'server.max_num_seqs', direction: 'higher' },
    ],
  },
  {
    metrics: [
      { field: 'results.p97.5_ttft_ms', direction: 'lower' },
      { field: 'results.output_throughput', direction: null },
    ],
  },
  {
    metrics: [...NO_PARETO.metrics, { field: 'derived.cost_per_million_output_tokens', direction: null }],
  },
  { group: '' },
  { group: 'environment.engine.version' },
  {
    limits: [
      { field: 'results.p99_ttft_ms', op: '<=', value: 500 },
      { field: 'derived.tokens_per_s_per_user', op: '>=', value: -1.5e-7 },
    ],
  },
  { asOf: { until: '2026-10-15' } },
  { asOf: { release: '0.10.0rc1+cu128' } },
  { load: 250.5, margin: 0 },
  { point: 17, asTable: true, withSimulated: true, withUntrusted: true },
])('%j is read as it was written', (part) => {
  const state = { ...NO_PARETO, ...part }
  expect(readPareto(`?${writePareto(state)}`)).toEqual(state)
  expect(writePareto(state)).not.toBe('')
})

test('unreadable parts are ignored', () => {
  const usual = { ...NO_PARETO, limits: [{ field: 'b', op: '<=', value: 2 }] }
  expect(readPareto('metrics=a&limits=a,b<=2,c<=x,>=1,d>=&until=2026-13-40&point=-1&group=')).toEqual(usual)
  expect(readPareto('load=0&margin=-1')).toEqual(NO_PARETO)
  expect(readPareto('load=x&margin=')).toEqual(NO_PARETO)
  expect(readPareto('metrics=a,a').metrics).toEqual(NO_PARETO.metrics)
  expect(readPareto('metrics=a,b,a').metrics.map(({ field }) => field)).toEqual(['a', 'b'])
  expect(readPareto('metrics=a,b,-c,d').metrics.map(({ field }) => field)).toEqual(['a', 'b', 'c'])
  expect(readPareto('limits=b<=2,b<=3,b>=1').limits).toEqual([...usual.limits, { field: 'b', op: '>=', value: 1 }])
  expect(readPareto('until=9999-12-31').asOf).toBeNull()
  expect(readPareto('until=0000-01-01').asOf).toBeNull()
})
