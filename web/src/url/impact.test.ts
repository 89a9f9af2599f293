import { expect, test } from 'vitest'

import { type ImpactState, NO_IMPACT, readImpact, writeImpact } from './impact'

test('the automatic state is an empty address', () => {
  expect(writeImpact(NO_IMPACT)).toBe('')
  expect(readImpact('')).toEqual(NO_IMPACT)
})

test.each<Partial<ImpactState>>([
  { metric: 'results.p99_ttft_ms' },
  { effect: 0.02 },
  { vary: ['environment.hostname', 'benchmark.seed'] },
  { input: 'server.max_num_seqs' },
  { input: 'server.max_num_seqs', change: [64, 256] },
  { input: 'server.quantization', change: [null, 'a "b", c&d'] },
  { input: 'server.enforce_eager', change: [false, true] },
  { asTable: true, withSimulated: true, withUntrusted: true },
  { choices: { 'server.model': { values: ['a/b'], negated: false } as never } },
])('%o is read and written', (part) => {
  const state = { ...NO_IMPACT, ...part }
  const written = writeImpact(state)
  expect(written).not.toBe('')
  expect(writeImpact(readImpact(`?${written}`))).toBe(written)
  if (!part.choices) expect(readImpact(`?${written}`)).toEqual(state)
})

test('what cannot be read is left out', () => {
  expect(readImpact('metric=&effect=2&vary=,,&input=&change=[1,2]')).toEqual(NO_IMPACT)
  expect(readImpact('input=a&change=[1]').change).toBeNull()
  expect(readImpact('input=a&change=[1,{}]').change).toBeNull()
  expect(readImpact('input=a&change=x').change).toBeNull()
  expect(readImpact('vary=a,a,b').vary).toEqual(['a', 'b'])
})
