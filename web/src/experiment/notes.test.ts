import { expect, it } from 'vitest'

import type { Experiment } from '../api/types'
import { changeOf } from './notes'

const of = (tags: Record<string, string>, notes: string | null = null) => ({ tags, notes }) as unknown as Experiment

it('says only what differs', () => {
  const before = of({ driver: '570', fan: 'off' }, 'hot')
  expect(
    changeOf(
      before,
      [
        ['driver', '570'],
        ['fan', 'off'],
        ['', ''],
      ],
      'hot',
    ),
  ).toEqual({})
  expect(
    changeOf(
      before,
      [
        ['driver', '575'],
        [' bad ', 'yes'],
      ],
      'hot',
    ),
  ).toEqual({ tags: { driver: '575', bad: 'yes', fan: null } })
  expect(
    changeOf(
      before,
      [
        ['driver', '570'],
        ['fan', 'off'],
      ],
      ' ',
    ),
  ).toEqual({ notes: null })
  expect(changeOf(of({}), [], '')).toEqual({})
})
