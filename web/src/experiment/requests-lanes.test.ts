import { expect, it } from 'vitest'

import { rowHigh, shapesOf, type Span, spanAt, textOf } from './requests-lanes'

const span = (index: number, lane: number, start_s: number, more: Partial<Span> = {}): Span => ({
  index,
  lane,
  status: 'completed',
  start_s,
  sent_s: start_s + 1,
  first_s: start_s + 3,
  end_s: start_s + 10,
  stalls: [],
  stall_count: 0,
  ...more,
})

const shapes = (...spans: Span[]) => shapesOf(spans, (seconds) => seconds * 10, 10, 0, 200)

it('a request is sent, waits and has tokens', () =>
  expect(shapes(span(0, 1, 2, { stalls: [[6, 7]] }))).toEqual({
    send: 'M20.0 15.0H30.0',
    wait: 'M30.0 15.0H50.0',
    tokens: 'M50.0 15.0H120.0',
    stalls: 'M60.0 15.0H70.0',
    failed: '',
  }))

it('a failed request is one shape, also without an end', () =>
  expect(shapes(span(0, 0, 2, { status: 'failed', first_s: null, end_s: null }))).toMatchObject({
    failed: 'M20.0 5.0H20.7',
    wait: '',
    tokens: '',
  }))

it('a request outside the shown time is cut', () => {
  expect(shapes(span(0, 0, 15)).tokens).toBe('M180.0 5.0H200.0')
  expect(shapes(span(0, 0, 50)).tokens).toBe('')
})

it('the request under the pointer is in its lane, and near', () => {
  const spans = [span(0, 0, 0), span(1, 1, 5), span(2, 0, 20)]
  expect(spanAt(spans, 0, 5, 1)?.index).toBe(0)
  expect(spanAt(spans, 0, 19.5, 1)?.index).toBe(2)
  expect(spanAt(spans, 0, 15, 1)).toBeNull()
  expect(spanAt(spans, 1, 5, 0)?.index).toBe(1)
})

it('a thousand lanes are thin, and one is not thicker than a row', () => {
  expect(rowHigh(1)).toBe(12)
  expect(rowHigh(2000)).toBe(1.5)
})

it('a request in words', () => {
  expect(textOf(span(7, 0, 1.5, { stall_count: 2 }))).toBe(
    'request #7, start 1.500 s, first chunk after 3,000 ms, took 10,000 ms, 2 stalls',
  )
  expect(textOf(span(7, 0, -1, { status: 'failed', first_s: null, end_s: null }))).toBe(
    'request #7, start −1.000 s, failed',
  )
})
