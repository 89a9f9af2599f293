import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { keepAhead, takeAhead } from './ahead'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const response = () => Promise.resolve(new Response('{}'))

it('a response is used once', () => {
  const first = response()
  keepAhead('/a', first)
  expect(takeAhead('/b')).toBe(undefined)
  expect(takeAhead('/a')).toBe(first)
  expect(takeAhead('/a')).toBe(undefined)
})

it('a response that is not used soon is dropped, not a later one of the same path', () => {
  const later = response()
  keepAhead('/a', response())
  vi.advanceTimersByTime(20_000)
  keepAhead('/a', later)
  vi.advanceTimersByTime(15_000)
  expect(takeAhead('/a')).toBe(later)
  keepAhead('/a', response())
  vi.advanceTimersByTime(31_000)
  expect(takeAhead('/a')).toBe(undefined)
})
