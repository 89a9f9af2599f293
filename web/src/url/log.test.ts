import { describe, expect, it } from 'vitest'

import { readLog, writeLog } from './log'

describe('the log in an address', () => {
  it.each([
    ['', null, ''],
    ['#log', null, ''],
    ['#log-L12', 12, ''],
    ['#log-L12&find=a%26b%20%E2%82%AC', 12, 'a&b €'],
    ['#log&find=x', null, 'x'],
    ['#log-L0', null, ''],
    ['#log-L1234567890123456', null, ''],
    ['#log-L1x', null, ''],
    ['#log&find=%ff', null, ''],
    ['#timeline', null, ''],
  ])('reads %s', (hash, line, find) => {
    expect(readLog(hash)).toEqual({ line, find })
  })
  it.each([
    [null, ''],
    [7, ''],
    [7, 'a&b=%#é'],
    [null, 'find=x'],
  ])('reads what it writes: %s %s', (line, find) => {
    expect(readLog(writeLog({ line, find }))).toEqual({ line, find })
  })
})
