import { describe, expect, it } from 'vitest'

import type { Choice } from '../filter/model'
import { CHART } from './chart'
import { DEFAULT_SORT, type ExploreState, readChoice, readExplore, writeChoice, writeExplore } from './explore'

const CHOICES: [string, Choice][] = [
  ['2,4', { values: [2, 4] }],
  ['true', { values: [true] }],
  ['meta-llama/Llama-3.1-70B', { values: ['meta-llama/Llama-3.1-70B'] }],
  ['"8"', { values: ['8'] }],
  ['"a,b"', { values: ['a,b'] }],
  ['"null","true","?","*"', { values: ['null', 'true', '?', '*'] }],
  ['"~x","!y"', { values: ['~x', '!y'] }],
  ['"say \\"hi\\""', { values: ['say "hi"'] }],
  ['""', { values: [''] }],
  ['"1..2"', { values: ['1..2'] }],
  ['"a\\"b","c\\"d"', { values: ['a"b', 'c"d'] }],
  ['"x,1".."y,2"', { range: ['x,1', 'y,2'] }],
  ['"x,1"..', { range: ['x,1', null] }],
  ['!fp8', { values: ['fp8'], except: true }],
  ['..2000', { range: [null, 2000] }],
  ['0.5..', { range: [0.5, null] }],
  ['-1e-7..1e+21', { range: [-1e-7, 1e21] }],
  ['2026-11-01T00:00:00Z..', { range: ['2026-11-01T00:00:00Z', null] }],
  ['..inf', { range: [null, 'inf'] }],
  ['~llama', { contains: 'llama' }],
  ['~"a,b"', { contains: 'a,b' }],
  ['fp8,null,?', { values: ['fp8'], unset: true, missing: true }],
  ['*', { present: true }],
]

describe('a choice', () => {
  it.each(CHOICES)('%s', (text, choice) => {
    expect(writeChoice(choice)).toBe(text)
    expect(readChoice(text)).toEqual(choice)
  })

  it('comes back whatever its text is', () => {
    for (const text of [
      '"',
      '\\',
      ',',
      '"a',
      'a"',
      ' a',
      'a ',
      '..',
      '~',
      '!',
      '\u202eabc',
      '{"a":[1,2]}',
      '%2C',
      '+',
      '&=#',
      '<script>',
      'é\n',
    ]) {
      const state = readExplore(
        `?${writeExplore({ ...EMPTY, choices: { 'run.name': { values: [text] }, 'run.suite': { contains: text } } })}`,
      )
      expect(state.choices).toEqual({ 'run.name': { values: [text] }, 'run.suite': { contains: text } })
    }
  })
})

const ODD = [
  '"',
  '\\',
  ',',
  '"a',
  'a"',
  'a"b',
  'c"d',
  '","',
  '\\"',
  ' a',
  'a ',
  '..',
  '"..',
  '.."',
  '~',
  '~"',
  '!',
  '!"',
  '',
  'a',
  '1',
  'null',
  '\n',
]

describe('two values', () => {
  it.each(ODD)('%j comes back with any other', (one) => {
    for (const other of ODD) {
      if (one === other) continue
      for (const choice of [
        { values: [one, other] },
        { values: [one, other], except: true },
        { contains: one || 'x', values: [other] },
        { range: [one, other] as [string, string] },
      ]) {
        expect(readChoice(writeChoice(choice))).toEqual(choice)
      }
    }
  })
})

const EMPTY: ExploreState = {
  choices: {},
  where: undefined,
  sort: DEFAULT_SORT,
  columns: null,
  page: 0,
  onlyVarying: true,
  onlyDiffering: false,
  pinned: 0,
  selected: [],
  preset: null,
  chart: CHART,
}

describe('an address', () => {
  it('leaves defaults out', () => expect(writeExplore(EMPTY)).toBe(''))

  it('comes back', () => {
    const state: ExploreState = {
      choices: { 'server.tensor_parallel_size': { values: [2, 4] }, 'results.p99_ttft_ms': { range: [null, 2000] } },
      where: { or: [{ field: 'a.b', op: 'is_null' }] },
      sort: [
        { field: 'results.p99_ttft_ms', dir: 'asc' },
        { field: 'run.timestamp', dir: 'desc' },
      ],
      columns: ['quality.verdict', 'server.model'],
      page: 2,
      onlyVarying: false,
      onlyDiffering: true,
      pinned: 1,
      selected: [7, 12],
      preset: 3,
      chart: {
        ...CHART,
        kind: 'bar',
        isOpen: false,
        x: 'server.tensor_parallel_size',
        color: '',
        logY: true,
        stat: 'p95',
        spread: 'range',
        point: 7,
        asTable: true,
      },
    }
    expect(readExplore(`?${writeExplore(state)}`)).toEqual(state)
  })

  it('keeps a scale that was chosen, and no other', () => {
    const chart = { ...CHART, logX: false, logY: true }
    expect(writeExplore({ ...EMPTY, chart })).toBe('log=-x,y')
    expect(readExplore('?log=-x,y').chart).toEqual(chart)
    expect(readExplore('?log=y').chart).toEqual({ ...CHART, logY: true })
  })

  it('keeps "no sort" and "no columns" apart from the defaults', () => {
    const state = { ...EMPTY, sort: [], columns: [] }
    expect(readExplore(`?${writeExplore(state)}`)).toEqual(state)
  })

  it('has no page that the server could not count to', () => {
    expect(readExplore('?page=99999999999999999999').page * 200).toBeLessThanOrEqual(1_000_000_000)
    expect(readExplore('?page=-7').page).toBe(0)
  })

  it('ignores what it cannot read', () => {
    expect(readExplore('?where={&page=x&run.name=&other=1&pin=-1&select=a,,1.5&preset=x')).toEqual(EMPTY)
  })
})
