import { expect, test } from 'vitest'

import type { BaselineLine, Missing, MissingRepeat } from '../api/types'
import { differenceWords, lineName, originOf, repeatWords, summaryOf } from './model'

const answer = (part: Partial<Missing>) =>
  ({ count: 9, fields: [{}, {}], grid_count: 12, missing_count: 3, invalid: [], too_large: false, ...part }) as Missing

test('the summary names what is missing', () => {
  expect(summaryOf(answer({}))).toBe('3 of 12 combinations have no result.')
  expect(summaryOf(answer({ missing_count: 1 }))).toBe('1 of 12 combinations has no result.')
  expect(summaryOf(answer({ invalid: [{ values: [], problems: [] }] }))).toContain('1 of them are refused')
  expect(summaryOf(answer({ missing_count: 0 }))).toBe('All 12 combinations have a result.')
  expect(summaryOf(answer({ count: 0 }))).toBe('The filter removes all results.')
  expect(summaryOf(answer({ fields: [] }))).toBe('No input varies, so there is no grid.')
  expect(summaryOf(answer({ too_large: true, grid_count: null }))).toContain('More than 8 fields')
  expect(summaryOf(answer({ too_large: true, grid_count: 250000 }))).toContain('250,000 combinations')
})

test('the reasons of repeats', () => {
  const repeat = (part: Partial<MissingRepeat>) => ({ share: 0.4, settles: true, ...part }) as MissingRepeat
  expect(repeatWords(repeat({ reason: 'spread' }))).toBe('too few runs to know their spread')
  expect(repeatWords(repeat({ reason: 'settle' }))).toBe('perhaps on the frontier (40.0 % of the draws): settles it')
  expect(repeatWords(repeat({ reason: 'settle', settles: false }))).toContain('a tie')
  expect(repeatWords(repeat({ reason: 'narrow', half_width: 0.1, half_width_after: 0.08 }))).toBe(
    'narrows its interval from ±10.0 % to ±8.0 %',
  )
})

test('a line of a baseline names its origin and its differences', () => {
  const line = {
    name: 'Public',
    model: 'a/b',
    gpu: 'h100',
    precision: null,
    input_length: 1024,
    output_length: null,
    engine: 'vllm',
    note: 'speculative decoding mtp',
    sources: [],
    first_date: null,
    last_date: null,
    differences: [
      { property: 'gpu', kind: 'differs', results: ['A100'], baseline: ['h100'] },
      { property: 'concurrency', kind: 'not_recorded', results: [8], baseline: [] },
    ],
  } as unknown as BaselineLine
  expect(lineName(line)).toBe('b · h100 · 1,024/? tokens · vllm')
  expect(originOf(line)).toBe('Public, date not recorded')
  expect(originOf({ ...line, sources: ['X'], first_date: '2026-01-01', last_date: '2026-01-02' })).toBe(
    'X, 2026-01-01 to 2026-01-02',
  )
  expect(differenceWords(line)).toBe(
    'GPU h100 instead of A100; concurrency not recorded; speculative decoding mtp; another load generator',
  )
})
