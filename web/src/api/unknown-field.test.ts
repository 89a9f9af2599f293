import { expect, it } from 'vitest'

import { ApiError } from './client'
import { unknownFieldOf } from './unknown-field'

it('recognizes the refusal of a field, and what it was for', () => {
  const of = (pointer: string, more = {}) =>
    unknownFieldOf(
      new ApiError(
        { status: 422, detail: '', pointer, found: '"server.modle"', expected: 'the id of a field', ...more },
        'POST /api/filters/apply',
      ),
    )
  expect(of('/filter/and/0/field', { nearest: 'server.model' })).toEqual({
    id: 'server.modle',
    nearest: 'server.model',
    use: 'filters by',
  })
  expect([of('/sort/0/field'), of('/x'), of('/labels/0')].map((one) => one?.use)).toEqual(['sorts by', 'draws', 'uses'])
  expect(of('/filter/and/0/op', { expected: 'one of eq, ne' })).toBeNull()
  expect(unknownFieldOf(new Error('offline'))).toBeNull()
})
