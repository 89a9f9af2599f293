import { expect, it } from 'vitest'

import type { ComparedRatio, ComparedValues, Field } from '../api/types'
import { formOfRow } from '../format/number'
import { valueText, wholeText, withUnit } from '../format/value'
import { namesApart } from '../fields/catalogue'
import { decimalsFor, deviate, findingText, markOf, percent, percentInterval, spanOf, ticksTo, tickText, valuesOf, valuesText, verdictsText } from './model'

const ratio = (part: Partial<ComparedRatio>): ComparedRatio => ({ ratio: null, low: null, high: null, p: null, how: 'none', finding: 'nothing', more_runs: null, regression: false, words: '', ...part })

const field = (part: Partial<Field>): Field => ({ id: 'system.host.memory_bytes', label: 'Memory bytes', help: '', group: '', unit: 'B', type: 'number', direction: 'neither', role: 'host', one: 'none', column: true, words: false, ...part })
const told = (...values: unknown[]) => ({ values: values.map((value) => ({ value, count: 1 })), distinct: values.length, null: 0, not_recorded: 0 }) as ComparedValues

it('values beside each other have one unit, and decimals that tell them apart', () => {
  const row = (...values: number[]) => { const form = formOfRow(field({}), valuesOf(values.map((value) => told(value)))); return [form.unit, ...values.map((value) => valueText(field({}), value, form))] }
  expect(row(900e6, 2e9)).toEqual(['GB', '0.900', '2.000'])
  expect(row(85_020_000_000, 85_020_100_000)).toEqual(['GB', '85.0200', '85.0201'])
  expect(valuesText(field({}), told(85.02e9))).toBe('85.02 GB')
  expect(valuesText(field({}), told(900e6, 2e9))).toBe('0.900 GB (1), 2.000 GB (1)')
  const hash = 'ab'.repeat(32)
  const text = field({ id: 'benchmark.dataset_sha256', unit: '', type: 'text' })
  expect([withUnit(text, hash), withUnit(text, `sha256:${hash}`), wholeText(text, hash), withUnit(text, 'auto')]).toEqual(['abababababab…', 'sha256:abababababab…', hash, 'auto'])
})

it('differences have their sign, and nothing is no zero', () => {
  expect([1.0523, 0.98, 1, 1.0002, 0.9998, 12.5, null].map((one) => percent(one))).toEqual(['+5.2 %', '−2.0 %', '0.0 %', '0.0 %', '0.0 %', '+1,150 %', '–'])
  expect([percentInterval({ low: 1.78014, high: 1.78021 }), decimalsFor({ low: 2, high: 2 }), percent(1.78, 3)]).toEqual(['+78.01 … +78.02', 1, '+78.000 %'])
  expect([percentInterval({ low: 0.9, high: 1.1 }), percentInterval({ low: null, high: 2 })]).toEqual(['−10.0 … +10.0', '–'])
})

it('a mark says how sure a difference is', () => {
  expect([ratio({ finding: 'worse', low: 1.1, high: 1.2 }), ratio({ finding: 'no_difference', low: 0.9, high: 1.2 }), ratio({ finding: 'not_known', ratio: 2 }), ratio({ finding: 'equal', ratio: 1 })].map(markOf)).toEqual(['filled', 'hollow', 'dashed', 'dashed'])
})

it('runs without a verdict are not trusted ones', () => {
  const side = (runs: number, trusted: number, untrusted: number) => verdictsText({ name: '', runs, simulated: 0, trusted, untrusted, not_completed: 0 })
  expect([side(3, 0, 0), side(0, 0, 0), side(4, 4, 0), side(6, 3, 1)]).toEqual(['0 trusted, 3 not measured', 'no run', '4 trusted', '3 trusted, 1 not trusted, 2 not measured'])
})

it('two rows of one name say what each is of', () => {
  const fields = [['server.model', 'Model', 'Server'], ['launch.facts.model', 'Model', 'Launch'], ['a.x.version', 'Version', 'Host'], ['b.x.version', 'Version', 'Host'], ['server.dtype', 'Dtype', 'Server']] as const
  expect([...namesApart(fields.map(([id, label, group]) => field({ id, label, group }))).values()]).toEqual(['Model, Server', 'Model, Launch', 'a.x.version', 'b.x.version', 'Dtype'])
})

it('says how many runs more it would take', () => {
  expect(findingText(ratio({ finding: 'no_difference', more_runs: 7 }), 0.05)).toBe('no difference shown · 5 % needs 7 more runs each')
  expect(findingText(ratio({ finding: 'no_difference', more_runs: 0 }), 0.05)).toBe('no difference shown')
  expect(findingText(ratio({ finding: 'no_difference' }), 0.025)).toBe('no difference shown · repeat it to know more')
  expect(findingText(ratio({ finding: 'worse', regression: true }), 0.025)).toBe('worse by more than 2.5 %')
})

it('places percentiles by the normal curve', () => {
  for (const [share, place] of [[0.5, 0], [0.9, 1.2816], [0.99, 2.3263], [0.01, -2.3263], [0.999, 3.0902]] as const) expect(Math.abs(deviate(share) - place)).toBeLessThan(0.01)
})

it('ticks are round and stay within', () => {
  expect([ticksTo(930, 3), ticksTo(0.07, 3), ticksTo(0, 3)]).toEqual([[0, 500], [0, 0.05], [0]])
  for (const top of [1e-9, 1, 3, 7.7, 12345, 1e12]) expect(ticksTo(top, 4).every((tick) => tick <= top * 1.000001)).toBe(true)
})

it('the axis of ratios holds all that is finite', () => {
  expect(spanOf([]).limit).toBeLessThan(1.1)
  const span = spanOf([ratio({ ratio: 2, low: 1.5, high: 3 }), ratio({ ratio: 0.9, low: 0.2, high: null })])
  expect(span.limit).toBeGreaterThan(5)
  expect([1 / 3, 0.8, 1.1, 2, 10].map(tickText)).toEqual(['×1/3', '−20 %', '+10 %', '×2', '×10'])
})
