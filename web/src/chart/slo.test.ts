import { expect, test } from 'vitest'

import { readChart, writeChart, CHART } from '../url/chart'
import type { Chart } from './items'
import { bestMark, bestRequest, commandOf, goalOf, mixedWords, ranksMarks, sloAxes, sloOf } from './slo'

const latency = { id: 'results.p99_ttft_ms', unit: 'ms', type: 'number', direction: 'lower' }
const output = { id: 'results.output_throughput', unit: 'tok/s', type: 'number', direction: 'higher' }
const model = { id: 'server.model', unit: '', type: 'text', direction: 'neither' }

const chartOf = (x: object, y: object, answer: object = {}, state: object = {}) =>
  ({
    x: { field: x },
    y: { field: y },
    answer: { marks: {}, request: { filter: { and: [] } }, simulated: 0, count: 9, ...answer },
    state: { ...CHART, ...state },
  }) as unknown as Chart

test('a limit belongs to the axis of a latency, and to no other field', () => {
  expect(sloAxes(chartOf(latency, output))).toEqual(['x'])
  expect(sloAxes(chartOf(output, latency))).toEqual(['y'])
  expect(sloAxes(chartOf(model, output))).toEqual([])
  const slo = { field: latency.id, value: 500 }
  expect(sloOf(chartOf(output, latency, {}, { slo }))).toEqual({ axis: 'y', value: 500 })
  expect(sloOf(chartOf(model, output, {}, { slo }))).toBeNull()
})

test('the best is a trusted result by the other axis; simulated ones count where there are no others', () => {
  const chart = chartOf(latency, output)
  const request = bestRequest(chart, { axis: 'x', value: 500 }, goalOf(chart, 'x', output as never), 'trusted')
  expect(request.filter).toEqual({
    and: [
      { and: [] },
      { field: latency.id, op: 'le', value: 500 },
      { field: output.id, op: 'not_null' },
      { field: 'quality.verdict', op: 'eq', value: 'trusted' },
      { not: { field: 'environment.engine.simulated', op: 'eq', value: true } },
    ],
  })
  expect(request.sort).toEqual([{ field: output.id, dir: 'desc' }])
  const simulated = bestRequest(
    chartOf(latency, output, { simulated: 9 }),
    { axis: 'x', value: 500 },
    output as never,
    null,
  )
  expect(JSON.stringify(simulated.filter)).toContain('{"not":{"field":"quality.verdict","op":"not_null"}}')
  expect(JSON.stringify(simulated.filter)).not.toContain('engine.simulated')
  expect(goalOf(chartOf(latency, model), 'x', output as never)).toBe(output)
})

test('a command is one for a shell', () => {
  expect(commandOf({ launch: { argv: ['vllm', 'serve', 'a/b', '--x', '{"k": "it\'s"}'] } })).toBe(
    `vllm serve a/b --x '{"k": "it'\\''s"}'`,
  )
  expect(commandOf({ launch: { argv: null } })).toBeNull()
})

test('the address has the field and the limit as stored', () => {
  expect(writeChart({ ...CHART, slo: { field: latency.id, value: 0.5 } })).toEqual([['slo', 'results.p99_ttft_ms:0.5']])
  expect(readChart(new URLSearchParams('slo=results.p99_ttft_ms:0.5')).slo).toEqual({ field: latency.id, value: 0.5 })
  for (const text of ['results.p99_ttft_ms', 'results.p99_ttft_ms:-5', 'a:b', ':5'])
    expect(readChart(new URLSearchParams({ slo: text })).slo).toBeNull()
})

const item = (id: number, x: number, y: number, more: object = {}) => ({
  id,
  at: id,
  x,
  y,
  isSimulated: false,
  ...more,
})
const matched = (items: object[], verdict: (string | null)[], state: object = { match: true }) =>
  ({
    ...chartOf(
      latency,
      output,
      {
        form: 'points',
        matched: { cells: 1, groups: 2 },
        marks: { verdict, labels: { 'run.name': ['a', 'b', null, 'd'] } },
      },
      state,
    ),
    items,
  }) as unknown as Chart

test('of matched cells the best is one of the marks: the server does not know which rows they keep', () => {
  const marks = [item(0, 100, 10), item(1, 200, 30), item(2, 300, 20), item(3, 900, 90)]
  const chart = matched(marks, ['trusted', 'degraded', 'trusted', 'trusted'])
  expect(ranksMarks(chart)).toBe(true)
  expect(bestMark(chart, { axis: 'x', value: 500 }, output as never, 'trusted')).toEqual({
    id: 2,
    own: null,
    goal: 20,
    limited: 300,
    count: 2,
  })
  expect(bestMark(chart, { axis: 'x', value: 500 }, output as never, null)).toBeNull()
  expect(bestMark(matched(marks, [null, null, null, null]), { axis: 'x', value: 200 }, output as never, null)).toEqual({
    id: 1,
    own: 'b',
    goal: 30,
    limited: 200,
    count: 2,
  })
  expect(ranksMarks(matched(marks, [], { match: false }))).toBe(false)
})

test('results of several models or lengths are named as mixed, also where the color shows the models', () => {
  const side = (distinct: number) => ({ fields: [{ sides: [{ distinct, null: 0, not_recorded: 0, values: [] }] }] })
  const chart = (cautions: object[], colours: object | null = null) =>
    ({ answer: { cautions }, colours }) as unknown as Chart
  expect(
    mixedWords(
      chart([
        { kind: 'model', ...side(2) },
        { kind: 'lengths', ...side(4) },
        { kind: 'load', ...side(7) },
      ]),
    ),
  ).toBe('2 models and 4 lengths')
  expect(mixedWords(chart([{ kind: 'lengths', ...side(1) }]))).toBe('')
  expect(
    mixedWords(
      chart([], {
        field: { id: 'server.model' },
        kinds: [
          { state: 'value', count: 2 },
          { state: 'value', count: 1 },
          { state: 'missing', count: 1 },
        ],
      }),
    ),
  ).toBe('2 models')
})
