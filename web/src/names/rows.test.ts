import { expect, it } from 'vitest'

import type { Field, Row } from '../api/types'
import { cutMiddle, endOf, rowNames } from './rows'

const field = (id: string): Field => ({ id, label: id, help: '', group: '', unit: '', type: 'text', direction: 'neither', role: 'input', one: 'none', column: true, words: false })
const FIELDS = { get: field, fields: [] }
let made = 0
const row = (name: string | null, concurrency: number): Row => ({ id: ++made, run_id: name === 'given' ? 'run_007' : `exp_20261101_120000_${made}`, simulated: false, verdict: null, cells: { ...(name !== null && name !== 'given' && { 'run.name': name }), 'benchmark.max_concurrency': concurrency } })
const shown = (rows: Row[], letters?: number) => rows.map((one) => rowNames(rows, FIELDS, letters).get(one.id)?.short)

it('rows of one name, and those without a name, are told apart by what varies', () => {
  const rows = [row('nightly', 8), row('nightly', 64), row('alone', 8), row(null, 1), row(null, 2)]
  expect(shown(rows)).toEqual(['c8', 'c64', undefined, 'c1', 'c2'])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({ short: 'c8', own: 'nightly', full: 'nightly: concurrency 8' })
  expect(rowNames(rows, FIELDS)).toBe(rowNames(rows, FIELDS))
})

it('names that look alike in the column lose only what the column cannot show', () => {
  const named = (...names: string[]) => names.map((name) => row(name, 1))
  const long = named('a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-1', 'a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-2', 'a-long-beginning-of-a-name-qwen')
  expect(shown(long)).toEqual(['…gemma-4-e2b-it-and-so-on-1', '…gemma-4-e2b-it-and-so-on-2', '…qwen'])
  expect(shown(long, 22)).toEqual(['…4-e2b-it-and-so-on-1', '…4-e2b-it-and-so-on-2', '…qwen'])
  expect(shown(long, 60)).toEqual([undefined, undefined, undefined])
  expect(shown([row('given', 1), row('run-2', 1)])).toEqual([undefined, undefined])
  expect(shown(named('run-1', 'run-2'))).toEqual([undefined, undefined])
  expect(shown(named('nightly-benchmark-of-node-8', 'nightly-benchmark-of-node-12'))).toEqual([undefined, undefined])
})

it('long file names that begin alike are shown after a label of what varies', () => {
  const name = (tail: string) => `someone__25-03-26_openai-10.0qps-itkns-512-${tail}.json`
  const rows = [row(name('concurrency8-FP8-215107'), 8), row(name('concurrency64-FP8-215150'), 64), row('other.json', 8)]
  expect(shown(rows)).toEqual(['c8', 'c64', undefined])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({ short: 'c8', own: name('concurrency8-FP8-215107'), full: `${name('concurrency8-FP8-215107')}: concurrency 8` })
  expect(shown([row(name('215107'), 8), row(name('215150'), 8), row(name('215200'), 16)])).toEqual(['c8 · …itkns-512-215107.json', 'c8 · …itkns-512-215150.json', 'c16'])
  expect(shown([row(name('215107'), 8), row(name('215150'), 8)])).toEqual(['…itkns-512-215107.json', '…itkns-512-215150.json'])
})

it('repeats of one configuration have the last part of their run id', () => {
  const list = [row('nightly', 8), row('nightly', 8), row('nightly', 64)]
  expect(shown(list)).toEqual([`c8 · ${list[0]?.id}`, `c8 · ${list[1]?.id}`, 'c64'])
})

it('no two rows have one short name', () => {
  const rows = Array.from({ length: 100 }, (_, i) => row(i % 3 ? null : 'x', i % 7))
  const names = rows.map((one) => `${rowNames(rows, FIELDS).get(one.id)?.short} ${rowNames(rows, FIELDS).get(one.id)?.own}`)
  expect(new Set(names).size).toBe(100)
})

it('a name that is too long loses its middle, and keeps the end that tells it from others', () => {
  expect([endOf('gpt-oss-b200-tp8-c64', 8), endOf('gpt-oss-b200-tp8-c64', 5), endOf('gpt-oss-b200-tp8-c64', 2), endOf('abcdefghij', 6)]).toEqual(['tp8-c64', 'c64', '4', 'hij'])
  expect([cutMiddle('gpt-oss-b200-tp8-c64', 20), cutMiddle('gpt-oss-b200-tp8-c64', 14)]).toEqual(['gpt-oss-b200-tp8-c64', 'gpt-os…tp8-c64'])
  const cut = (rows: Row[]) => rows.map((one) => rowNames(rows, FIELDS, 25, true).get(one.id))
  const simulated = { ...row('gpt-oss-b200-tp8-c64', 8), simulated: true }
  expect(cut([simulated, row('gpt-oss-b200-tp4-c64', 8), row('alone-with-a-long-beginning-c256', 8)])).toEqual([
    { short: 'gpt-os…tp8-c64', full: 'gpt-oss-b200-tp8-c64', own: '' }, undefined, { short: 'alone-with…beginning-c256', full: 'alone-with-a-long-beginning-c256', own: '' },
  ])
  // two that would look alike stay as they are
  const other = 'another-name-0-that-has-one-end'
  expect(cut([row('a-first-name-x-of-a-suite-and-one-long-end', 8), row('a-first-name-x-in-a-suite-and-one-long-end', 8), row(other, 8)]).map((name) => name?.short)).toEqual([undefined, undefined, 'another-name-…has-one-end'])
})
