import { describe, expect, it, test } from 'vitest'

import type { Field, Pareto, ParetoPoint, Slo } from '../api/types'
import { Catalogue } from '../fields/catalogue'
import { NO_PARETO, type ParetoState } from '../url/pareto'
import { csvOf } from './files'
import {
  bestOf,
  compareReleases,
  type Configuration,
  configurationsOf,
  type Corner,
  countOutside,
  daysBetween,
  endOf,
  filterAsOf,
  groupsOf,
  keptOf,
  membershipText,
  overLimit,
  requestOf,
  sinceOf,
  sloRequestOf,
  stairs,
} from './model'

const field = (id: string, part: Partial<Field> = {}): Field => ({
  id,
  label: id.split('.').at(-1) ?? id,
  help: '',
  group: 'Other',
  unit: '',
  type: 'number',
  direction: 'higher',
  role: 'output',
  aggregation: 'none',
  column: true,
  words: false,
  ...part,
})
const [USER, GPU] = ['derived.tokens_per_s_per_user', 'derived.output_throughput_per_gpu'] as const
const catalogue = new Catalogue([
  field(USER),
  field(GPU),
  field('results.p99_ttft_ms', { direction: 'lower' }),
  field('server.max_num_seqs', { direction: 'neither', role: 'input' }),
  field('system.hardware_info.gpu_name', { type: 'text', direction: 'neither' }),
])

const point = (ids: number[], x: number, y: number, part: Partial<ParetoPoint> = {}): ParetoPoint => ({
  ids,
  values: [x, y].map((mean) => ({ mean, low: mean * 0.9, high: mean * 1.1 })),
  frontier: true,
  membership: 'surely',
  share: 1,
  knee: false,
  dominated_by: [],
  row: {
    id: ids.at(-1) ?? 0,
    run_id: null,
    simulated: false,
    verdict: null,
    cells: { 'run.name': `run ${ids.at(-1) ?? 0}` },
  },
  ...part,
})
const answerOf = (points: ParetoPoint[]): Pareto => ({
  count: 4,
  total: 4,
  simulated: 0,
  excluded: 0,
  untrusted_excluded: 0,
  unmeasured: 0,
  configuration_count: points.length,
  metrics: [USER, GPU].map((id) => ({ field: id, label: id, unit: '', direction: 'higher' as const })),
  reference: [0, 0],
  limits: [],
  cautions: [],
  groups: [
    {
      key: { 'system.hardware_info.gpu_name': 'NVIDIA H100' },
      count: 4,
      configuration_count: points.length,
      frontier_count: 2,
      dominated_share: 0,
      has_spread: true,
      hypervolume: { value: 1, low: null, high: null },
      limits: [],
      points,
      more_count: 0,
      entered: null,
      left: null,
    },
  ],
  more_count: 0,
  incomplete: [],
  data_version: 7,
})
const shownOf = (answer: Pareto) =>
  configurationsOf(groupsOf(answer, 'system.hardware_info.gpu_name', catalogue), catalogue)

describe('requests', () => {
  const state: ParetoState = {
    ...NO_PARETO,
    choices: { 'server.model': { values: ['m'] } },
    limits: [
      { field: USER, op: '>=', value: 25 },
      { field: 'results.p99_ttft_ms', op: '<=', value: 500 },
    ],
  }
  it('has the limits of its metrics, and cells for the others', () => {
    const request = requestOf(state, catalogue)
    expect(request.limits).toEqual([{ field: USER, value: 25 }])
    expect(request.columns).toContain('results.p99_ttft_ms')
    expect(request.group_by).toEqual(['system.hardware_info.gpu_name'])
    expect(requestOf({ ...state, group: '' }, catalogue).group_by).toBeUndefined()
  })
  it('asks for a direction where the field has none', () => {
    const metrics: ParetoState['metrics'] = [
      { field: 'server.max_num_seqs', direction: null },
      { field: GPU, direction: 'lower' },
    ]
    expect(requestOf({ ...state, metrics }, catalogue).metrics).toEqual([
      { field: 'server.max_num_seqs', direction: 'higher' },
      { field: GPU, direction: 'lower' },
    ])
  })
  it('asks for the best value at a limit only in the better direction', () => {
    const metrics: ParetoState['metrics'] = [{ field: USER, direction: 'lower' }, NO_PARETO.metrics[1]]
    expect(requestOf({ ...state, metrics }, catalogue).limits).toEqual([])
  })
  it('sends all limits to the server as minimum and maximum', () => {
    expect(sloRequestOf(state)?.limits).toEqual([
      { field: USER, min: 25 },
      { field: 'results.p99_ttft_ms', max: 500 },
    ])
    expect(sloRequestOf(NO_PARETO)).toBeNull()
  })
  it('adds the time to the filter', () => {
    const also = filterAsOf({ until: '2026-10-15' }, [])
    expect(also).toEqual({ field: 'run.timestamp', op: 'lt', value: '2026-10-16T00:00:00.000Z' })
    expect(requestOf(NO_PARETO, catalogue, also).filter).toEqual(also)
    expect(requestOf(state, catalogue, also).filter).toEqual({ and: [requestOf(state, catalogue).filter, also] })
  })
})

test('releases are in the order of their numbers, and the frontier as of one has those before it', () => {
  const ordered = ['0.9.2', '0.10.0.dev3', '0.10.0rc1', '0.10.0rc2', '0.10.0', '0.10.0.post1', '0.10.1', '1.0', 'main']
  expect(ordered.toReversed().toSorted(compareReleases)).toEqual(ordered)
  expect(filterAsOf({ release: '0.10.0' }, ['0.9.2', '0.10.0', '0.11.0'])).toMatchObject({
    op: 'in',
    value: ['0.9.2', '0.10.0'],
  })
  expect(sinceOf({ release: '0.10.0' }, ['0.9.2', '0.10.0', '0.11.0'])).toEqual({ version: '0.11.0' })
  expect(sinceOf({ release: '0.11.0' }, ['0.9.2', '0.10.0', '0.11.0'])).toBeNull()
})

test('days go from the first to the last run', () => {
  expect(daysBetween('2026-02-27T23:00:00Z', '2026-03-01T00:00:01Z')).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ])
  expect(daysBetween(undefined, '2026-03-01')).toEqual([])
})

describe('stairs', () => {
  const points: Corner[] = [
    [1, 10],
    [2, 8],
    [2, 7],
    [1.5, 7],
    [4, 1],
  ]
  it('borders what the points dominate', () => {
    expect(stairs(points, ['higher', 'higher'], [0, 0])).toEqual([
      [0, 10],
      [1, 10],
      [1, 8],
      [2, 8],
      [2, 1],
      [4, 1],
      [4, 0],
    ])
  })
  it('follows the directions', () => {
    expect(stairs(points, ['lower', 'higher'], [5, 0])).toEqual([
      [5, 10],
      [1, 10],
      [1, 0],
    ])
    expect(stairs([], ['higher', 'higher'], [0, 0])).toEqual([])
  })
  it('has every point on or below it, whatever the directions', () => {
    let seed = 7
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (const ways of [
      ['higher', 'higher'],
      ['lower', 'higher'],
      ['higher', 'lower'],
      ['lower', 'lower'],
    ] as const) {
      const some = Array.from({ length: 60 }, (): Corner => [random(), random()])
      const [sx, sy] = ways.map((way) => (way === 'higher' ? 1 : -1)) as [number, number]
      const corners = stairs(some, [...ways], [sx > 0 ? 0 : 1, sy > 0 ? 0 : 1]).slice(1, -1)
      const on = corners.filter((_, i) => i % 2 === 0)
      for (const [x, y] of some) expect(on.some(([cx, cy]) => sx * (cx - x) >= 0 && sy * (cy - y) >= 0)).toBe(true)
      for (const [x, y] of on)
        expect(some.some(([ox, oy]) => sx * (ox - x) >= 0 && sy * (oy - y) >= 0 && (ox !== x || oy !== y))).toBe(false)
    }
  })
})

describe('limits', () => {
  const all = shownOf(answerOf([point([1, 2], 10, 100), point([3], 20, 80), point([4], 30, 60)]))
  const limits = [{ field: USER, op: '>=' as const, value: 15 }]
  const others = [...limits, { field: 'results.p99_ttft_ms', op: '<=' as const, value: 500 }]
  const keptOfAll = (kept: ReadonlyMap<number, boolean | null>) => all.map(({ at }) => kept.get(at))
  const measured = (ids: number[], mean: number | null) =>
    ({ ids, values: [{ mean: 20 }, { mean, low: null, high: null }] }) as Slo['configurations'][number]
  it('compares the drawn means without the server', () => {
    expect(keptOfAll(keptOf(all, limits, NO_PARETO.metrics, undefined))).toEqual([false, true, true])
  })
  it('takes the limits of other fields from the server, and knows nothing before it answers', () => {
    expect(keptOfAll(keptOf(all, others, NO_PARETO.metrics, undefined))).toEqual([false, null, null])
    const slo = {
      limits: [
        { field: USER, min: 15, max: null },
        { field: 'results.p99_ttft_ms', min: null, max: 500 },
      ],
      configurations: [measured([3], 400), measured([4], 600)],
    } as Slo
    expect(keptOfAll(keptOf(all, others, NO_PARETO.metrics, slo))).toEqual([false, true, false])
    // while the limit is dragged, the server still has the earlier one
    const dragged = others.map((one) => (one.value === 500 ? { ...one, value: 700 } : one))
    expect(keptOfAll(keptOf(all, dragged, NO_PARETO.metrics, slo))).toEqual([false, true, true])
    const aside = overLimit(all, { field: 'results.p99_ttft_ms', op: '<=', value: 500 }, slo)
    expect(aside.map(({ x, y, name }) => [x, y, name])).toEqual([
      [400, 80, 'run 3'],
      [600, 60, 'run 4'],
    ])
    expect(aside[0]?.point.values[0]).toEqual({ mean: 400, low: null, high: null })
  })
  it('names the best within them, or the knee', () => {
    const kept = keptOf(all, limits, NO_PARETO.metrics, undefined)
    expect(bestOf(all, kept, true, 'higher')?.id).toBe(3)
    expect(bestOf(all, kept, true, 'lower')?.id).toBe(4)
    expect(bestOf(all, new Map(), true, 'higher')).toBeUndefined()
    expect(bestOf(all, new Map(), false, 'higher')?.id).toBe(2)
    const knee = shownOf(answerOf([point([1], 1, 9), point([2], 8, 8, { knee: true })]))
    expect(bestOf(knee, new Map(), false, 'higher')?.id).toBe(2)
  })
})

test('each of many configurations has its name, on the frontier or not', () => {
  const many = Array.from({ length: 300 }, (_, i) =>
    point([i + 1], i, 300 - i, i % 100 === 0 ? {} : { frontier: false, membership: 'not' }),
  )
  const all = shownOf(answerOf(many))
  expect(all.map(({ name }) => name)).toEqual(many.map(({ ids: [id] }) => `run ${id}`))
  expect(all.at(-1)?.full).toBe('run 300')
})

test('names of three varied arguments are whole, also of simulated results', () => {
  const all = shownOf(
    answerOf(
      [512, 8192].flatMap((tokens, i) =>
        [16, 32].map((block, k) => {
          const id = 1 + 2 * i + k
          const cells = {
            'server.max_num_seqs': id > 2 ? 24 : 12,
            'server.max_num_batched_tokens': tokens,
            'server.block_size': block,
          }
          const row = {
            id,
            run_id: `exp_20261130_000000_${id}`,
            simulated: true,
            cells,
          } as unknown as ParetoPoint['row']
          return point([id], id, 10 - id, { row })
        }),
      ),
    ),
  )
  expect(all.map(({ name }) => name).filter((name) => name.includes('…'))).toEqual([])
  expect(new Set(all.map(({ name }) => name)).size).toBe(4)
})

test('memberships in words', () => {
  expect(membershipText(point([1], 1, 1, { membership: 'perhaps', share: 0.4 }))).toBe(
    'perhaps on the frontier, in 40 % of resamples',
  )
  expect(membershipText(point([1], 1, 1, { membership: 'unknown', share: null, frontier: false }))).toBe(
    'not on the frontier of the means',
  )
})

test('the CSV has full precision, and cells that no spreadsheet runs', () => {
  const answer = { ...answerOf([point([1, 2], 1 / 3, 100)]), at: 0, request: {} }
  const all: Configuration[] = shownOf(answer).map((one) => ({ ...one, full: '=1+1' }))
  const lines = csvOf({ answer, all, group: 'system.hardware_info.gpu_name', link: 'http://x/pareto' }).split('\r\n')
  expect(lines[0]).toBe('# ProfLLM frontier, data version 7, 1970-01-01T00:00:00Z')
  expect(lines[2]?.split(',').slice(0, 5)).toEqual([
    'configuration',
    'system.hardware_info.gpu_name',
    'ids',
    'run_count',
    USER,
  ])
  expect(lines[3]?.split(',').slice(0, 5)).toEqual(["'=1+1", 'NVIDIA H100', '1 2', '2', String(1 / 3)])
})

test('a value that is far larger than most is outside the axes', () => {
  const usual = Array.from({ length: 24 }, (_, i) => 10 + i)
  expect(usual.filter((value) => value > endOf(usual))).toEqual([])
  expect([...usual, 1e308, -1e300].filter((value) => Math.abs(value) > endOf([...usual, 1e308, -1e300]))).toEqual([
    1e308, -1e300,
  ])
  // a range over three decades is no reason, nor are a few values
  expect([1, 10, 100, 1000].filter((value) => value > endOf([1, 10, 100, 1000]))).toEqual([])
  expect(endOf([])).toBe(Infinity)
  expect(endOf([0, 0, 0])).toBe(Infinity)
  const all = usual.map((x, at) => ({ x: at === 3 ? 1e308 : x, y: at === 5 ? -1e308 : x }) as Configuration)
  expect(countOutside(all)).toBe(2)
})
