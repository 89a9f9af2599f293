import { expect, it } from 'vitest'

import { readTimeline, writeTimeline } from './timeline'

it.each(['', 't=-12.5%2C101.234', 'series=all&table=1'])('%s is read and written', (search) =>
  expect(writeTimeline(readTimeline(search))).toBe(search),
)

it.each(['t=5', 't=5,5', 't=9,1', 't=a,b', 't=,3', 't=1,2,3', 't=1,Infinity', 'series=some', 'table='])(
  '%s is the automatic state',
  (search) => expect(readTimeline(search)).toEqual({ range: null, isAll: false, isTable: false }),
)
