import { expect, it } from 'vitest'

import type { Experiment, SeriesBins } from '../api/types'
import { rangeWithin, zoomed } from '../series/lanes'
import { measuredRun, USUAL } from './asked'
import { binsWithin, lanesOf, LANE_SERIES, phasesOf, titleOf } from './timeline-lanes'

const series = (source: string, name: string, values: (number | null)[], more = {}) => ({
  source,
  name,
  unit: 'W',
  text: 'what it is',
  interval_s: 1,
  tracks: 1,
  values,
  min: values,
  max: values,
  ...more,
})
const bins = (...list: SeriesBins['series']): SeriesBins => ({
  recorded: true,
  begin_ns: 0,
  end_ns: 3,
  from_ns: 0,
  to_ns: 3,
  t_s: [0.5, 1.5, 2.5],
  lines: 3,
  skipped: 0,
  series: list,
})

it('only lanes that were recorded, in their order, on the time axis of the run', () => {
  const lanes = lanesOf(
    bins(
      series('gpu', 'power_w', [80, 333, 250], { tracks: 4 }),
      series('load', 'in_flight', [1, 2, 3], { interval_s: null }),
      series('host', 'load_1m', [1, 1, 1]),
    ),
    -10,
    false,
  )
  expect(lanes.map(({ title, note, top }) => [title, note, top])).toEqual([
    ['Requests', 'in flight', 4],
    ['GPU power', 'mean and range of 4 GPUs', 400],
  ])
  expect(lanes[0]?.lines[0]?.t).toEqual([-9.5, -8.5, -7.5])
  expect(lanes[0]?.lines[0]?.gap).toBe(Infinity)
})

it.each([
  ['disk_read_bytes_per_s', 'Disk read'],
  ['memory_used_bytes', 'Memory used'],
  ['temperature_c', 'Temperature'],
  ['pcie_rx_bytes_per_s', 'PCIe RX'],
  ['processes', 'Processes'],
  ['kv_cache_usage', 'KV cache usage'],
])('%s is named %s', (name, title) => expect(titleOf(series('host', name, []))).toBe(title))

it('all series: the others follow, each under its name', () =>
  expect(
    lanesOf(bins(series('host', 'load_1m', [1, 1, 1]), series('gpu', 'power_w', [1, 1, 1])), 0, true).map(
      ({ title, note }) => [title, note],
    ),
  ).toEqual([
    ['GPU power', 'GPU'],
    ['Load 1 min', 'host'],
  ]))

it('a series of zeros has an axis', () =>
  expect(lanesOf(bins(series('gpu', 'power_w', [0, null, 0])), 0, false)[0]?.top).toBe(1))

const experiment = (fields: Record<string, unknown>) =>
  ({
    fields: Object.fromEntries(Object.entries(fields).map(([id, value]) => [id, { value }])),
  }) as unknown as Experiment

it('phases begin where the one before ends; missing ones are skipped', () =>
  expect(
    phasesOf(
      experiment({
        'launch.phases.begin_ns': 4e9,
        'launch.phases.spawn_s': 0.5,
        'launch.phases.compiled_s': null,
        'launch.phases.weights_loaded_s': 6,
      }),
      10e9,
    ).map(({ from, to }) => [from, to]),
  ).toEqual([
    [-6, -5.5],
    [-5.5, 0],
  ]))

it('results of earlier versions have no phases on this clock', () =>
  expect(phasesOf(experiment({ 'launch.phases.spawn_s': 0.5 }), 0)).toEqual([]))

it('the measured run needs both ends', () => {
  expect(measuredRun(experiment({ 'series.measured_begin_ns': 3, 'series.measured_end_ns': 9 }))).toEqual([3, 9])
  expect(measuredRun(experiment({ 'series.measured_begin_ns': 3, 'series.measured_end_ns': null }))).toBeNull()
})

it('a zoom keeps its center in place and stays within the recording', () => {
  expect(zoomed([0, 100], 25, 0.5, [0, 100])).toEqual([12.5, 62.5])
  expect(zoomed([12.5, 62.5], 25, 2, [0, 100])).toEqual([0, 100])
  expect(zoomed([80, 100], 100, 2, [0, 100])).toEqual([60, 100])
  expect(zoomed([0, 100], 50, 4, [0, 100])).toEqual([0, 100])
})

it('a zoom is at least as wide as the address can tell, and within the recording', () => {
  const [from, to] = zoomed([1, 1.012], 1.006, 0.5, [0, 100])
  expect(to - from).toBeCloseTo(0.01)
  const [low, high] = rangeWithin([1.2341, 1.2343], [0, 100]) ?? [0, 0]
  expect(low).toBeCloseTo(1.2292, 9)
  expect(high).toBeCloseTo(1.2392, 9)
  expect(rangeWithin([-5, 3], [0, 100])).toEqual([0, 3])
  expect(rangeWithin([-5, -3], [0, 100])).toBeNull()
})

it.each([5e-324, 1e-310, 1.7e308])('a lane of %s has a finite axis', (value) =>
  expect(lanesOf(bins(series('gpu', 'power_w', [value, 0, 0])), 0, false)[0]?.top).toBeLessThan(Infinity),
)

it('requests the series of the usual lanes, in their order', () => {
  expect(USUAL).toEqual(LANE_SERIES)
})

it('a zoom shows the bins within it, at their times', () => {
  const second = 1e9
  const whole: SeriesBins = {
    ...bins(series('gpu', 'power_w', [1, null, 3, 4], { min: [0, null, 2, 3], max: [9, null, 8, 7] })),
    from_ns: 10 * second,
    to_ns: 14 * second,
    t_s: [0.5, 1.5, 2.5, 3.5],
  }
  const part = binsWithin(whole, [11 * second, 13 * second])
  expect([part?.from_ns, part?.to_ns, part?.t_s]).toEqual([11 * second, 13 * second, [0.5, 1.5]])
  expect(part?.series[0]).toMatchObject({ values: [null, 3], min: [null, 2], max: [null, 8] })
  const wide = binsWithin(whole, [0, 20 * second])
  expect(wide?.t_s).toEqual([10.5, 11.5, 12.5, 13.5])
  expect(wide?.series).toEqual(whole.series)
})

it.each([
  ['one bin', [11e9, 12e9]],
  ['between two middles', [11.6e9, 12.4e9]],
  ['before', [0, 10e9]],
  ['after', [15e9, 16e9]],
])('%s is too little to show', (_, range) =>
  expect(
    binsWithin({ ...bins(series('gpu', 'power_w', [1, 2, 3])), from_ns: 10e9, to_ns: 13e9 }, range as [number, number]),
  ).toBeNull(),
)
