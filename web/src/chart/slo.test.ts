import { expect, test } from 'vitest'

import { readChart, writeChart, CHART } from '../url/chart'
import type { Chart } from './items'
import { bestRequest, commandOf, goalOf, sloAxes, sloOf } from './slo'

const latency = { id: 'results.p99_ttft_ms', unit: 'ms', type: 'number', direction: 'lower' }
const output = { id: 'results.output_throughput', unit: 'tok/s', type: 'number', direction: 'higher' }
const model = { id: 'server.model', unit: '', type: 'text', direction: 'neither' }

const chartOf = (x: object, y: object, answer: object = {}, state: object = {}) =>
  ({ x: { field: x }, y: { field: y }, answer: { marks: {}, request: { filter: { and: [] } }, simulated: 0, count: 9, ...answer }, state: { ...CHART, ...state } }) as unknown as Chart

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
  expect(request.filter).toEqual({ and: [
    { and: [] }, { field: latency.id, op: 'le', value: 500 }, { field: output.id, op: 'not_null' }, { field: 'quality.verdict', op: 'eq', value: 'trusted' },
    { not: { field: 'environment.engine.simulated', op: 'eq', value: true } },
  ] })
  expect(request.sort).toEqual([{ field: output.id, dir: 'desc' }])
  const simulated = bestRequest(chartOf(latency, output, { simulated: 9 }), { axis: 'x', value: 500 }, output as never, null)
  expect(JSON.stringify(simulated.filter)).toContain('{"not":{"field":"quality.verdict","op":"not_null"}}')
  expect(JSON.stringify(simulated.filter)).not.toContain('engine.simulated')
  expect(goalOf(chartOf(latency, model), 'x', output as never)).toBe(output)
})

test('a command is one for a shell', () => {
  expect(commandOf({ launch: { argv: ['vllm', 'serve', 'a/b', '--x', '{"k": "it\'s"}'] } })).toBe(`vllm serve a/b --x '{"k": "it'\\''s"}'`)
  expect(commandOf({ launch: { argv: null } })).toBeNull()
})

test('the address has the field and the limit as stored', () => {
  expect(writeChart({ ...CHART, slo: { field: latency.id, value: 0.5 } })).toEqual([['slo', 'results.p99_ttft_ms:0.5']])
  expect(readChart(new URLSearchParams('slo=results.p99_ttft_ms:0.5')).slo).toEqual({ field: latency.id, value: 0.5 })
  for (const text of ['results.p99_ttft_ms', 'results.p99_ttft_ms:-5', 'a:b', ':5']) expect(readChart(new URLSearchParams({ slo: text })).slo).toBeNull()
})
