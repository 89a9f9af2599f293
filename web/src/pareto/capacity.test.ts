import { expect, it, test } from 'vitest'

import type { Slo } from '../api/types'
import { needsOf, serversFor } from './capacity'
import { type Configuration, RATE } from './model'

test.each([
  [100, 0, 50, 2],
  [100, 0.2, 50, 3],
  [200, 0.1, 22, 10], // 220.00000000000003 / 22
  [0.5, 0.2, 50, 1],
  [1e-9, 0, 50, 1],
  [1e6, 0.25, 0.3, 4_166_667],
])('%d requests/s with a margin of %d at %d per server need %d servers', (load, margin, rate, servers) => {
  expect(serversFor(load, margin, rate)).toBe(servers)
})

const configuration = (id: number) => ({ id, name: `run ${id}` }) as Configuration
const measured = (
  id: number,
  rate: number | null,
  part: Partial<Slo['configurations'][0]> = {},
): Slo['configurations'][0] => ({
  ids: [id],
  gpu: 'H100',
  gpu_count: 1,
  kept: true,
  feasible: 'surely',
  values: [
    { mean: 100, low: 90, high: 110, headroom: 0.5, kept: true },
    {
      mean: rate,
      low: rate === null ? null : rate * 0.9,
      high: rate === null ? null : rate * 1.1,
      headroom: null,
      kept: true,
    },
  ],
  goodput: {
    method: null,
    value: null,
    low: null,
    high: null,
    good_share: { mean: null, low: null, high: null },
    note: null,
  },
  costs: {
    output_throughput_per_gpu: null,
    energy_per_token_j: null,
    price_per_million_output_tokens: null,
    price_per_million_input_tokens: null,
    carbon_g_per_million_output_tokens: null,
  },
  ...part,
})
const answer = (configurations: Slo['configurations']) =>
  ({ limits: [{ field: 'results.p99_ttft_ms' }, { field: RATE }], configurations }) as Slo

it('counts the GPUs of each configuration within the limits, the fewest first', () => {
  const all = [1, 2, 3, 4, 5, 6].map(configuration)
  const needs = needsOf(
    all,
    answer([
      measured(1, 50),
      measured(2, 120, { gpu_count: 2 }),
      measured(3, 500, { kept: false }), // breaks a limit
      measured(4, null), // no rate
      measured(5, 60, { gpu_count: null }), // unknown GPUs come last
      measured(6, 40, { values: measured(6, 40).values.map((value) => ({ ...value, low: null, high: null })) }),
    ]),
    200,
    0.2,
  )
  expect(needs.map(({ one, servers, gpus, gpusMost }) => [one.id, servers, gpus, gpusMost])).toEqual([
    [2, 2, 4, 6], // 240 / 120; 240 / 108 = 2.2
    [1, 5, 5, 6], // 240 / 50 = 4.8; 240 / 45 = 5.3
    [6, 6, 6, null],
    [5, 4, null, null],
  ])
})

it('has no upper count of GPUs if the interval of the rate includes 0', () => {
  const rate = { mean: 10, low: -1, high: 21, headroom: null, kept: true }
  const [need] = needsOf([configuration(1)], answer([measured(1, 10, { values: [rate, rate] })]), 100, 0)
  expect([need?.gpus, need?.gpusMost]).toEqual([10, null])
})
