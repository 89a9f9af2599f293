import { expect, it } from 'vitest'

import { readExplore, writeExplore } from './explore'
import { withFieldReplaced } from './field-in-state'

const after = (address: string, id: string, to: string | null) => {
  const state = readExplore(address)
  return decodeURIComponent(writeExplore({ ...state, ...withFieldReplaced(state, id, to) }))
}

it('replaces a field wherever an address names it', () => {
  expect(after('server.modle=a&server.dtype=auto&sort=-server.modle', 'server.modle', 'server.model')).toBe(
    'server.model=a&server.dtype=auto&sort=-server.model',
  )
  expect(
    after(
      'x=results.p99&y=results.output_throughput&slo=results.p99:500&columns=run.name,results.p99',
      'results.p99',
      'results.p99_ttft_ms',
    ),
  ).toBe(
    'columns=run.name,results.p99_ttft_ms&x=results.p99_ttft_ms&y=results.output_throughput&slo=results.p99_ttft_ms:500',
  )
})

it('drops what names a field, and no more', () => {
  expect(after('server.modle=a&server.dtype=auto&sort=server.modle', 'server.modle', null)).toBe('server.dtype=auto')
  const where = { or: [{ field: 'a.b', op: 'gt', value: 1 }, { not: { field: 'c.d', op: 'eq', value: 2 } }] }
  expect(after(`where=${JSON.stringify(where)}`, 'c.d', null)).toBe(`where=${JSON.stringify({ or: [where.or[0]] })}`)
  expect(
    after(
      `where=${JSON.stringify({ not: { field: 'c.d', op: 'eq', value: 2 } })}&columns=c.d&axes=c.d,e.f`,
      'c.d',
      null,
    ),
  ).toBe('')
})
