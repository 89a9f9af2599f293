import { expect, it } from 'vitest'

import type { Field, Row } from '../api/types'
import { rowNames } from './rows'

const field = (id: string): Field => ({ id, label: id, help: '', group: '', unit: '', type: 'text', direction: 'neither', role: 'input', one: 'none', column: true, words: false })
const FIELDS = { get: field, fields: [] }
let made = 0
const row = (name: string | null, concurrency: number): Row => ({ id: ++made, run_id: name === 'given' ? 'run_007' : `exp_20261101_120000_${made}`, simulated: false, verdict: null, cells: { ...(name !== null && name !== 'given' && { 'run.name': name }), 'benchmark.max_concurrency': concurrency } })
const shown = (rows: Row[]) => rows.map((one) => rowNames(rows, FIELDS).get(one.id)?.short)

it('rows of one name, and those without a name, are told apart by what varies', () => {
  const rows = [row('nightly', 8), row('nightly', 64), row('alone', 8), row(null, 1), row(null, 2)]
  expect(shown(rows)).toEqual(['c8', 'c64', undefined, 'c1', 'c2'])
  expect(rowNames(rows, FIELDS).get(rows[0]?.id ?? 0)).toEqual({ short: 'c8', own: 'nightly', full: 'nightly: concurrency 8' })
  expect(rowNames(rows, FIELDS)).toBe(rowNames(rows, FIELDS))
})

it('of names that look alike in a narrow column the rest is shown', () => {
  expect(shown([row('djangodevreng__results_gemma-4-E2B_c4.json', 4), row('djangodevreng__results_gemma-4-E2B_c8.json', 8), row('other', 8)])).toEqual(['…c4.json', '…c8.json', undefined])
  expect(shown(['a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-1', 'a-long-beginning-of-a-name-gemma-4-e2b-it-and-so-on-2', 'a-long-beginning-of-a-name-qwen'].map((name) => row(name, 1)))).toEqual(['…1', '…2', '…qwen'])
  expect(shown([row('given', 1), row('run-2', 1)])).toEqual([undefined, undefined])
  expect(shown([row('run-1', 1), row('run-2', 1)])).toEqual([undefined, undefined])
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
