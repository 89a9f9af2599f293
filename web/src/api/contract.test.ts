import { expect, expectTypeOf, it } from 'vitest'

import { at, type Answer, type Body } from './contract'
import type { Experiment } from './types'

it('builds the path of a route; what is undefined is not in the query', () => {
  expect(at('/api/fields')).toBe('/api/fields')
  expect(at('/api/data/experiments/{id}', { id: 'a/b c' })).toBe('/api/data/experiments/a%2Fb%20c')
  expect(at('/api/data/experiments/{id}/artifacts/{kind}/{name}', { id: 3, kind: 'series', name: 'a b.zst' })).toBe(
    '/api/data/experiments/3/artifacts/series/a%20b.zst',
  )
  expect(at('/api/upload/jobs', {}, { limit: 20, offset: 0 })).toBe('/api/upload/jobs?limit=20&offset=0')
  expect(at('/api/data/experiments/{id}', { id: 3 }, { author: undefined })).toBe('/api/data/experiments/3')
})

it('takes types from the contract', () => {
  expectTypeOf<Answer<'/api/data/experiments/{id}', 'get'>>().toEqualTypeOf<Experiment>()
  expectTypeOf<Body<'/api/upload/jobs/{job_id}/close', 'post'>>().toEqualTypeOf<undefined>()
  // @ts-expect-error: the route has no such parameter
  at('/api/data/experiments/{id}', { name: 'x' })
  // @ts-expect-error: there is no such route
  at('/api/data/nothing')
})
