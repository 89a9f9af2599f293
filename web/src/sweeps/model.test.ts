import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import type { SweepRun } from '../api/types'
import {
  axesOf,
  cellsOf,
  countRuns,
  facetsOf,
  inputsOf,
  isSilent,
  paceOf,
  pointOfLabel,
  scaleOf,
  shareOf,
  shortKey,
  startOf,
} from './model'

const run = (point: Record<string, unknown>, part: Partial<SweepRun> = {}): SweepRun => {
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
    verdict: null,
    simulated: false,
    timestamp: null,
    duration_s: null,
    values: {},
    ...part,
  }
}
const grid = (runs: SweepRun[], x = '', y = '') => {
  const cells = cellsOf(runs, 'm')
  const inputs = inputsOf(cells)
  const axes = axesOf(inputs, x, y)
  return { cells, inputs, axes, facets: facetsOf(cells, inputs, axes) }
}

it('puts each cell at its place, and knows where the sweep has none', () => {
  const { axes, facets } = grid(
    [8, 1].flatMap((load) =>
      ['fp8', null]
        .filter((kind) => kind !== null || load === 1)
        .map((kind) =>
          run(
            { 'server.quantization': kind, 'benchmark.max_concurrency': load, 'server.model': 'm' },
            { values: { m: load } },
          ),
        ),
    ),
  )
  expect([axes.x?.key, axes.x?.values, axes.y?.key]).toEqual([
    'benchmark.max_concurrency',
    [1, 8],
    'server.quantization',
  ])
  expect(facets.map(({ values, rows }) => [values, rows.map((row) => row.map((cell) => cell?.value))])).toEqual([
    [
      [],
      [
        [1, 8],
        [1, undefined],
      ],
    ],
  ])
})

it('separates cells that would overlap, by the keys that distinguish them and no others', () => {
  // a zip: quantization and the cache's type move together; the seed follows from the load
  const runs = [
    ['none', 'auto'],
    ['fp8', 'auto'],
    ['fp8', 'fp8'],
  ].flatMap(([quantization, cache]) =>
    [1, 2].flatMap((seqs) =>
      [4, 5, 6].map((load) =>
        run({
          'server.quantization': quantization,
          'server.kv_cache_dtype': cache,
          'server.max_num_seqs': seqs,
          'benchmark.max_concurrency': load,
          'benchmark.seed': load * 7,
        }),
      ),
    ),
  )
  const { facets } = grid(runs, 'benchmark.max_concurrency', 'server.max_num_seqs')
  expect(facets.map(({ values }) => values.map(([, value]) => value))).toEqual([
    ['none', 'auto'],
    ['fp8', 'auto'],
    ['fp8', 'fp8'],
  ])
  expect(facets.flatMap(({ rows }) => rows.flat()).filter(Boolean)).toHaveLength(runs.length)
  // of a sample each point has values of its own: one map, a line each
  const sample = [0.11, 0.42, 0.73].flatMap((share, i) =>
    [1, 2].map((load) =>
      run({
        'server.gpu_memory_utilization': share,
        'server.max_num_seqs': 16 + 3 * i,
        'benchmark.max_concurrency': load,
      }),
    ),
  )
  expect(grid(sample).facets).toHaveLength(1)
})

it('shows each of two cells that no key parts, as two sets may have', () => {
  const { facets } = grid([
    run({ a: 1, b: 1 }, { combination: 'x', set: 'one' }),
    run({ a: 1, b: 1 }, { combination: 'y', set: 'two' }),
    run({ a: 2, b: 1 }),
  ])
  expect(facets.map(({ rows }) => rows.flat().map((cell) => cell?.set))).toEqual([
    ['one', null],
    ['two', undefined],
  ])
})

it('makes one cell of repeats, with the best that they came to and the mean of what they measured', () => {
  const [cell] = cellsOf(
    [
      run({ a: 1 }, { values: { m: 2 } }),
      run({ a: 1 }, { run: 'b', status: 'failed', values: { m: 900 } }),
      run({ a: 1 }, { run: 'c', values: { m: 4 } }),
      run({ a: 2 }, { removed: true }),
    ],
    'm',
  )
  expect([cell?.kind, cell?.value, cell?.n, cell?.runs.length]).toEqual(['done', 3, 2, 3])
  expect(
    cellsOf([run({ a: 1 }, { status: 'launch_failed' }), run({ a: 1 }, { status: 'missing' })], 'm')[0]?.kind,
  ).toBe('failed')
  expect(
    countRuns([
      run({ a: 1 }),
      run({}, { status: 'timeout' }),
      run({}, { status: 'interrupted' }),
      run({}, { removed: true }),
    ]),
  ).toMatchObject({ done: 1, failed: 1, missing: 1, removed: 1 })
})

it('reads a label where nothing else tells the point', () => {
  expect(pointOfLabel('max_num_seqs=64 quantization=null server.x=a b c load=0.5')).toEqual({
    max_num_seqs: 64,
    quantization: 'null',
    'server.x': 'a b c',
    load: 0.5,
  })
  expect(shortKey('server.seed', ['server.seed', 'benchmark.seed'])).toBe('server.seed')
  expect(shortKey('server.seed', ['server.seed', 'server.max_num_seqs'])).toBe('seed')
  expect([startOf('swp_20260102_030405_0a1b2c'), startOf('mine')]).toEqual(['2026-01-02T03:04:05Z', null])
})

it('spreads colours over what there is, by ratios where it is far apart', () => {
  const cells = (values: number[]) =>
    cellsOf(
      values.map((m, i) => run({ i }, { values: { m } })),
      'm',
    )
  const near = scaleOf(cells([10, 20, 30]))
  expect(near && shareOf(near, 20)).toBe(0.5)
  const far = scaleOf(cells([1, 100, 10_000]))
  expect(far && [far.isLog, shareOf(far, 100)]).toEqual([true, 0.5])
  expect(scaleOf(cellsOf([run({ i: 1 }, { status: 'missing' })], 'm'))).toBeNull()
})

it('returns the pace without the pauses, and whether the sweep has gone silent', () => {
  const ends = [0, 10, 20, 50, 60, 4000, 4010].map((at) =>
    run({ at }, { timestamp: new Date(at * 1000).toISOString(), duration_s: 5 }),
  )
  const pace = paceOf(ends)
  expect(pace).toEqual({ last: 4_015_000, everyMs: 14_000 })
  expect(paceOf(ends.slice(0, 1)).everyMs).toBeNull()
  expect([
    isSilent(pace, null, 4_015_000 + 60_000),
    isSilent(pace, null, 4_015_000 + 16 * 60_000),
    isSilent(pace, new Date(4_900_000).toISOString(), 4_015_000 + 16 * 60_000),
  ]).toEqual([false, true, false])
})

it('the map has a look for kinds that exist', () => {
  const kinds = new Set(Object.keys(countRuns([])))
  const css = readFileSync(new URL('./sweeps.module.css', import.meta.url), 'utf8')
  const named = [...css.matchAll(/data-kind='(\w+)'/g)].map(([, kind]) => kind)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((kind) => kind && !kinds.has(kind))).toEqual([])
})
