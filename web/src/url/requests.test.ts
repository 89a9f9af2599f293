import { expect, it } from 'vitest'

import { readRequests, writeRequests } from './requests'
import { readTimeline, writeTimeline } from './timeline'

it.each([
  '',
  'rsort=-ttft_ms&rstatus=failed&rerror=timeout&rmin=ttft_ms%3A500&rid=a-1&rpage=3&rall=1&rcurve=table&req=33',
  'rmin=tpot_ms%3A0.5',
])('%s is read and written', (search) => expect(writeRequests(readRequests(search), '')).toBe(search))

it.each([
  'rsort=%3C',
  'rstatus=ok',
  'rmin=5',
  'rmin=a:',
  'rmin=a:b',
  'rmin=a:1:2',
  'rmin=a:Infinity',
  'rpage=0',
  'rpage=x',
  'req=-1',
  'req=1.5',
])('%s is the automatic state', (search) => expect(writeRequests(readRequests(search), '')).toBe(''))

it('timeline and requests keep each other’s part of the address', () => {
  expect(writeRequests({ ...readRequests(''), marked: 4 }, 't=1,2&series=all')).toBe('t=1%2C2&series=all&req=4')
  expect(writeTimeline({ ...readTimeline(''), range: [1, 2] }, 'req=4&t=0,9')).toBe('req=4&t=1%2C2')
  expect(writeTimeline(readTimeline(''), 'series=all&req=4')).toBe('req=4')
})
