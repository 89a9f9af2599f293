import { expect, it } from 'vitest'

import type { SweepRun } from '../api/types'
import { axisOf, bestOf, beyondOf, curvesOf } from './curves-model'
import { cellsOf, inputsOf, runsNow } from './model'

const run = (
  point: Record<string, unknown>,
  values: Record<string, number>,
  part: Partial<SweepRun> = {},
): SweepRun => {
  const cell = JSON.stringify(point)
  return {
    run: cell,
    combination: cell,
    repeat: 1,
    server: null,
    set: null,
    label: cell,
    parameters: point,
    status: 'completed',
    cause: null,
    message: null,
    removed: false,
    experiment: 1,
    run_id: null,
    verdict: 'trusted',
    simulated: false,
    timestamp: null,
    duration_s: null,
    values,
    ...part,
  }
}
const curves = (runs: SweepRun[]) => {
  const cells = cellsOf(runs, 'y')
  return curvesOf(cells, inputsOf(cells), 'x', 'y')
}
const grid = [64, 8, 256].flatMap((load) =>
  [1, 2].map((tp) =>
    run(
      { 'server.tensor_parallel_size': tp, 'benchmark.max_concurrency': load, 'benchmark.seed': load + 1 },
      { x: load * 2, y: load * tp },
    ),
  ),
)

it('has a line per configuration, in the order of the load; keys that follow from the load are not part of one', () => {
  const { load, lines } = curves(grid)
  expect(load?.key).toBe('benchmark.max_concurrency')
  expect(lines.map(({ values, slot, points }) => [values, slot, points.map((point) => point.load)])).toEqual(
    [1, 2].map((tp) => [{ 'server.tensor_parallel_size': tp }, tp - 1, [8, 64, 256]]),
  )
  const rates = curves([1, 'inf', 4].map((rate) => run({ 'benchmark.request_rate': rate }, { x: 1, y: 1 })))
  expect(rates.lines.map(({ points }) => points.map((point) => point.load))).toEqual([[1, 4, 'inf']])
})

it('the best is the trusted one with the most throughput within the limit', () => {
  const { lines } = curves([
    ...grid,
    run(
      { 'server.tensor_parallel_size': 3, 'benchmark.max_concurrency': 8, 'benchmark.seed': 9 },
      { x: 1, y: 9999 },
      { verdict: 'degraded' },
    ),
  ])
  expect(bestOf(lines, 128, true)).toMatchObject({ load: 64, y: 128 })
  expect(bestOf(lines, 1000, true)).toMatchObject({ load: 256, y: 512 })
  expect(bestOf(lines, 300, false)).toMatchObject({ load: 256 })
  expect([bestOf(lines, 1, true), bestOf(lines, null, true)]).toEqual([undefined, undefined])
})

it('beyond eight configurations the first seven have colors', () => {
  const { lines, slotOf } = curves(
    Array.from({ length: 9 }, (_, i) => run({ 'server.max_num_seqs': i }, { x: 1, y: i })),
  )
  expect(lines.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4, 5, 6, -1, -1])
  expect(slotOf(lines[3]?.points[0]?.cell as never)).toBe(3)
})

it('places ticks', () => {
  expect(axisOf([100, 730], true).ticks).toEqual([0, 200, 400, 600, 800])
  expect(axisOf([10, 900], true)).toMatchObject({ isLog: true, ticks: [10, 20, 50, 100, 200, 500, 1000] })
})

it('a run without a result is queued while its sweep runs, and missing after that', () => {
  const runs = ['missing', 'interrupted', 'running', 'completed', 'skipped'].map((status) =>
    run({ status }, {}, { status }),
  )
  expect(runsNow(runs, true).map(({ status }) => status)).toEqual([
    'queued',
    'queued',
    'running',
    'completed',
    'skipped',
  ])
  expect(runsNow(runs, false).map(({ status }) => status)).toEqual([
    'missing',
    'interrupted',
    'missing',
    'completed',
    'skipped',
  ])
})

it('cells whose value is outside of the limit are beyond it', () => {
  const { lines } = curves(grid)
  expect([...beyondOf(lines, 128, true)].map((id) => JSON.parse(id)['benchmark.max_concurrency'])).toEqual([256, 256])
  expect([beyondOf(lines, 128, false).size, beyondOf(lines, null, true).size]).toEqual([2, 0])
})
