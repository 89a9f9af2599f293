import { describe, expect, it } from 'vitest'

import type { Annotation, Verdict } from '../api/types'
import { slotsOf } from '../chart/slots'
import { csvOf, jsonOf } from './files'
import { flagsOf } from './flags'
import { sideFor } from './plot'
import {
  changeOf,
  countsText,
  foundCount,
  groupsOf,
  incidentsText,
  intervalText,
  lookOf,
  lookOfChange,
  missingNote,
  monthLabels,
  percent,
  powerNote,
  pText,
  quietStates,
  reasonsOf,
  shownChanges,
  sizeText,
  spansOf,
} from './model'

const FORM = { unit: 'ms', scale: 1, decimals: 1, digits: 4 }

const change = (part: Partial<Verdict['changes'][number]> = {}): Verdict['changes'][number] => ({
  state: 'regression',
  index: 30,
  low_index: 29,
  high_index: 31,
  at: 2,
  from_at: 1,
  to_at: 2,
  label: '0.31.0',
  from_label: '0.30.0',
  to_label: '0.31.0',
  id_before: 30,
  id_after: 31,
  before: { count: 30, median: 100, spread: 0.05 },
  after: { count: 30, median: 112, spread: 0.05 },
  before_ids: [29, 30],
  after_ids: [31, 32],
  ratio: 1.12,
  low: 1.08,
  high: 1.16,
  min_effect: 0.05,
  p: 0.001,
  q: 0.004,
  rank_p: 0.0000001,
  delta: 0.78,
  permutation_count: 999,
  correlated: false,
  other_host: false,
  seen_count: 3,
  decision: 'none',
  incident: null,
  causes: [],
  ...part,
})

const verdict = (part: Partial<Verdict> = {}): Verdict => ({
  key: 'a',
  configuration: 'c',
  metric: 'results.p99_ttft_ms',
  metric_label: 'P99 TTFT',
  unit: 'ms',
  direction: 'lower',
  label: 'tp4, c64',
  fields: [],
  state: 'regression',
  trend: 'worse',
  count: 60,
  gap_count: 0,
  missing_count: 0,
  since_index: 30,
  p: null,
  q: null,
  score: 0.3,
  experiments: { count: 60, first_id: 1, last_id: 60 },
  run_count: 60,
  host_count: 2,
  min_effect: 0.05,
  decisions: [],
  changes: [change()],
  outliers: [],
  markers: [],
  current: { count: 30, median: 112, spread: 0.05 },
  tail: { tested: false, missing_count: 2 },
  power: [
    { effect: 0.05, points_count: 9 },
    { effect: 0.1, points_count: null },
  ],
  reasons: ['position 30 (29 to 31): median 112 of 30 points'],
  ...part,
})

describe('the size of a change', () => {
  it('has one decimal, a sign and a true minus', () => {
    expect(percent(1.192)).toBe('+19.2 %')
    expect(percent(0.938)).toBe('−6.2 %')
    expect(percent(1.0001)).toBe('0.0 %')
    expect(percent(null)).toBe('–')
    expect(sizeText(verdict(), change(), FORM)).toBe('+12.0 %')
    expect(intervalText(verdict(), change(), FORM)).toBe('+8.0 … +16.0')
  })

  it('has as many decimals as its ends need to differ', () => {
    expect(intervalText(verdict(), change({ low: 1.0801, high: 1.0804 }), FORM)).toBe('+8.01 … +8.04')
  })

  it('is a difference where values can be zero or negative', () => {
    const linear = verdict({ power: [] })
    expect(sizeText(linear, change({ ratio: -2.5 }), FORM)).toBe('−2.5 ms')
    expect(intervalText(linear, change({ low: -3, high: -1 }), FORM)).toBe('−3.0 … −1.0')
  })

  it('is that of the spread if the series became noisier', () => {
    const noisy = change({ state: 'noisier', after: { count: 30, median: 100, spread: 0.13 } })
    expect(sizeText(verdict(), noisy, FORM)).toBe('×2.6')
  })
})

describe('the look of a state', () => {
  it('follows the direction, of a suspect too', () => {
    expect(lookOf('regression', 'worse')).toBe('worse')
    expect(lookOf('suspect', 'better')).toBe('better')
    expect(lookOf('suspect', null)).toBe('quiet')
    expect(lookOf('stable', null)).toBe('quiet')
    expect(lookOf('noisier', 'worse')).toBe('noisy')
  })

  it('of a change is its own, not that of the series', () => {
    const better = change({ state: 'improvement', ratio: 0.9 })
    expect(lookOfChange(verdict(), better)).toBe('better')
    expect(lookOfChange(verdict({ direction: 'higher' }), change({ ratio: 0.9 }))).toBe('worse')
    expect(lookOfChange(verdict({ direction: 'neither' }), change({ state: 'changed' }))).toBe('quiet')
  })
})

describe('the opened change', () => {
  const first = change({ index: 10, state: 'improvement', ratio: 0.9 })
  const hidden = change({ index: 20, state: 'stable' })
  const last = change({ index: 40 })
  const many = verdict({ changes: [first, hidden, last] })

  it('is the one that decides the state, or the numbered one', () => {
    expect(shownChanges(many)).toEqual([first, last])
    expect(changeOf(many, null)).toBe(last)
    expect(changeOf(many, 1)).toBe(first)
    expect(changeOf(many, 3)).toBeUndefined()
    expect(changeOf(verdict({ changes: [], state: 'stable' }), null)).toBeUndefined()
  })
})

describe('reasons', () => {
  const textOf = (part: Partial<Verdict['changes'][number]> = {}) =>
    reasonsOf(verdict(), change(part), FORM, 12)
      .map(({ claim, text }) => `${claim} ${text}`)
      .join('\n')

  it('are claims with the numbers that support them', () => {
    const text = textOf()
    expect(text).toContain('From run 31 on, P99 TTFT is higher in most pairs of runs.')
    expect(text).toContain('89 % are higher after')
    expect(text).toContain('It is +12.0 %; the minimum here is 5 %.')
    expect(text).toContain('p = 0.001 by permutation (999 orders), q = 0.004 over 12 series; Mann-Whitney p < 0.001.')
    expect(text).toContain('The last 3 analyses found it at this place.')
    expect(text).not.toContain('host')
  })

  it('count pairs in the direction of the change', () => {
    expect(textOf({ ratio: 0.9, delta: -0.6 })).toContain('80 % are lower after')
  })

  it('say what weakens the verdict', () => {
    expect(textOf({ seen_count: 1 })).toContain('It is not confirmed. 1 of 3 analyses found it.')
    expect(textOf({ other_host: true })).toContain('No host measured both before and after.')
    expect(textOf({ correlated: true })).toContain('of blocks, because neighboring runs are correlated')
  })

  it('of a spread say nothing of a level', () => {
    const text = textOf({ state: 'noisier', after: { count: 30, median: 100, spread: 0.13 } })
    expect(text).toContain('2.6 times as large')
    expect(text).not.toContain('most pairs')
  })
})

describe('quiet series', () => {
  it('say how many runs would show a change', () => {
    expect(powerNote(verdict())).toBe('To see a 5 % change here: about 9 more runs.')
    expect(powerNote(verdict(), 0.1)).toContain('cannot be confirmed')
    expect(powerNote(verdict({ power: [] }))).toBe('')
  })

  it('say what is missing', () => {
    const few = verdict({ state: 'insufficient_data', missing_count: 1, changes: [], reasons: ['1 more points'] })
    expect(missingNote(few)).toBe('1 more run is needed.')
    expect(missingNote(verdict({ state: 'insufficient_data', reasons: ['all values are equal'] }))).toBe(
      'All values are equal.',
    )
  })
})

describe('counts', () => {
  it('contain suspects in sensitive mode only', () => {
    const counts = { regression: 2, improvement: 1, noisier: 1, suspect: 3, stable: 50 }
    expect(countsText(counts, 'strict')).toBe('2 regressions, 1 improvement, 1 became noisier')
    expect(countsText(counts, 'sensitive')).toContain('3 suspects')
    expect([foundCount(counts, 'strict'), foundCount(counts, 'sensitive')]).toEqual([4, 7])
    expect(quietStates('strict')).toContain('suspect')
    expect(quietStates('sensitive')).not.toContain('suspect')
  })
})

describe('incidents', () => {
  const of = (key: string, incident: string | null) => verdict({ key, changes: [change({ incident })] })
  const all = [of('a', 'x'), of('b', null), of('c', 'y'), of('d', 'x'), of('e', null)]

  it('collect their series at the place of the first one', () => {
    expect(groupsOf(all).map(({ id, members }) => [id, members.map(({ key }) => key).join()])).toEqual([
      ['x', 'a,d'],
      [null, 'b'],
      ['y', 'c'],
      [null, 'e'],
    ])
  })

  it('are counted if series share one', () => {
    expect(incidentsText(all)).toBe(' in 4 incidents')
    expect(incidentsText([of('a', 'x'), of('b', 'x')])).toBe(' in 1 incident')
    expect(incidentsText([of('a', 'x'), of('b', 'y')])).toBe('')
  })
})

describe('colors', () => {
  it('stay when other series come or go, as long as eight suffice', () => {
    const two = slotsOf(['x', 'y'])
    expect(slotsOf(['y', 'x'])).toEqual(two)
    expect(slotsOf(['x']).get('x')).toBe(two.get('x'))
    expect(new Set(slotsOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']).values()).size).toBe(8)
  })

  it('end after eight series', () => {
    const slots = [...slotsOf(Array.from({ length: 11 }, (_, i) => `key ${i}`)).values()]
    expect(slots.filter((slot) => slot === -1)).toHaveLength(3)
    expect(new Set(slots.filter((slot) => slot >= 0)).size).toBe(8)
  })
})

describe('the axis', () => {
  it('joins neighbors with one label', () => {
    expect(spansOf(['a', 'a', 'b', null, 'a'])).toEqual([
      { label: 'a', from: 0, to: 1 },
      { label: 'b', from: 2, to: 2 },
      { label: '–', from: 3, to: 3 },
      { label: 'a', from: 4, to: 4 },
    ])
  })

  it('names months, years where they differ, and days within one month', () => {
    expect(monthLabels(['2026-09-01T00:00:00Z', '2026-10-01T00:00:00Z', null])).toEqual(['Sep', 'Oct', null])
    expect(monthLabels(['2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z'])).toEqual(['Dec 2025', 'Jan 2026'])
    expect(monthLabels(['2026-09-01T00:00:00Z', '2026-09-02T23:00:00Z'])).toEqual(['1 Sep', '2 Sep'])
  })

  it('places annotations at the first run that is not before them', () => {
    const points = [
      { time: '2026-09-01T00:00:00Z', version: '1' },
      { time: '2026-09-03T00:00:00Z', version: '2' },
    ]
    const note = (part: object) => ({
      id: 1,
      revision: 1,
      at_time: null,
      version: null,
      text: 't',
      field: null,
      value: null,
      author: null,
      created_at: '',
      changed_at: '',
      ...part,
    })
    const of = (annotations: Annotation[], lines?: Set<string> | null) => flagsOf(annotations, points, () => lines, 'a')
    expect(of([note({ version: '2' }), note({ at_time: '2026-09-02T00:00:00Z' })])).toEqual([
      { index: 1, number: 1 },
      { index: 1, number: 2 },
    ])
    expect(of([note({ version: '3' }), note({ at_time: '2026-09-04T00:00:00Z' })])).toEqual([])
    // restricted to a value that some lines have, or that is not known yet
    expect(of([note({ version: '2' })], new Set(['a', 'b']))).toEqual([{ index: 1, number: 1 }])
    expect(of([note({ version: '2' })], new Set(['b']))).toEqual([])
    expect(of([note({ version: '2' })], null)).toEqual([])
  })
})

describe('the label of a new driver', () => {
  it('is on a side where it meets no change and no end', () => {
    expect(sideFor('driver 580', 100, [50, 400])).toBe('right')
    expect(sideFor('driver 580', 350, [50, 400])).toBe('left')
    expect(sideFor('driver 580', 150, [50, 200, 400])).toBe('left')
    expect(sideFor('driver 580.159.04', 150, [50, 200, 400])).toBeNull()
  })
})

describe('files', () => {
  const answer = {
    order: { by: 'version' as const, field: 'environment.engine.version' },
    mode: 'strict' as const,
    counts: { experiments: 60, configurations: 2, series: 2, by_state: {} },
    excluded: { simulated: 0, no_time: 0, no_version: 0, no_metric: 0, older: 0 },
    series: [
      verdict({ label: '=tp4, "c64"' }),
      verdict({ key: 'b', state: 'stable', trend: null, changes: [change({ state: 'stable' })] }),
    ],
    total: 2,
    incidents: [],
    incomplete: [],
    analysis_version: 1,
    data_version: 7,
    request: {},
    at: 0,
  }

  it('have a line per change, and one per series without any', () => {
    const lines = csvOf({ answer, link: 'http://x/trends' }).trimEnd().split('\r\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toContain('data version 7')
    const width = (lines[2] as string).split(',').length
    expect(lines[3]).toContain('"\'=tp4, ""c64"""')
    expect(lines[3]).toContain(',0.30.0,0.31.0,100,112,1.12,1.08,1.16,0.001,0.004,0.78,none,,9')
    expect((lines[4] as string).split(',"tp4, c64",').join(',x,').split(',')).toHaveLength(width)
    expect(lines[4]).toMatch(/,stable,,60,2,0,,.*,9$/)
  })

  it('are valid JSON with the link', () => {
    const json = JSON.parse(jsonOf({ answer, link: 'http://x/trends' })) as { link: string; series: unknown[] }
    expect(json.link).toBe('http://x/trends')
    expect(json.series).toHaveLength(2)
  })
})

it('p below a thousandth is not written out', () => {
  expect([pText(0.0002), pText(0.0123), pText(0.456), pText(null)]).toEqual(['< 0.001', '0.012', '0.46', '–'])
})
