// The shapes of requests in lanes: one path per kind of time, so that thousands of requests are a few elements.
import type { RequestPage } from '../api/types'

export type Lanes = NonNullable<RequestPage['lanes']>
export type Span = Lanes['requests'][number]

export const HIGH_MAX = 420 // px of all lanes
const ROW_MAX = 12
const ROW_LEAST = 1.5

// The height of a lane: few lanes are thick, and hundreds still fit.
export const rowHigh = (count: number) => Math.max(ROW_LEAST, Math.min(ROW_MAX, HIGH_MAX / Math.max(1, count)))

export const endOf = ({ start_s, end_s }: Span) => end_s ?? start_s

export interface Shapes {
  send: string
  wait: string
  tokens: string
  stalls: string
  failed: string
}

// Lines in the middle of a lane, from left to right; a time that is outside the drawing is cut.
export function shapesOf(
  spans: Span[],
  toX: (seconds: number) => number,
  high: number,
  left: number,
  right: number,
): Shapes {
  const parts: Record<keyof Shapes, string[]> = { send: [], wait: [], tokens: [], stalls: [], failed: [] }
  for (const span of spans) {
    const y = ((span.lane + 0.5) * high).toFixed(1)
    const line = (from: number, to: number) => {
      const [x1, x2] = [Math.max(toX(from), left), Math.min(toX(to), right)]
      return x2 < left || x1 > right ? '' : `M${x1.toFixed(1)} ${y}H${Math.max(x2, x1 + 0.7).toFixed(1)}`
    }
    const end = endOf(span)
    const first = span.first_s ?? end
    const sent = Math.min(Math.max(span.sent_s ?? span.start_s, span.start_s), first)
    if (span.status === 'failed') parts.failed.push(line(span.start_s, end))
    else {
      if (sent > span.start_s) parts.send.push(line(span.start_s, sent))
      parts.wait.push(line(sent, first))
      if (end > first) parts.tokens.push(line(first, end))
    }
    for (const [from, to] of span.stalls) parts.stalls.push(line(from ?? 0, to ?? 0))
  }
  return {
    send: parts.send.join(''),
    wait: parts.wait.join(''),
    tokens: parts.tokens.join(''),
    stalls: parts.stalls.join(''),
    failed: parts.failed.join(''),
  }
}

// The request in a lane at a time; null: none is near.
export function spanAt(spans: Span[], lane: number, seconds: number, tolerance: number) {
  let best: Span | null = null
  let least = tolerance
  for (const span of spans) {
    if (span.lane !== lane) continue
    const distance = Math.max(span.start_s - seconds, seconds - endOf(span), 0)
    if (distance <= least) [best, least] = [span, distance]
    if (distance === 0) break
  }
  return best
}

const ms = (seconds: number) => `${(seconds * 1000).toLocaleString('en-GB', { maximumSignificantDigits: 4 })} ms`

// A request in words, for screen readers and for the line below the drawing.
export function textOf(span: Span) {
  const end = endOf(span)
  const parts = [
    `request #${span.index}`,
    `start ${span.start_s.toFixed(3)} s`.replace('-', '−'),
    span.status === 'failed' ? 'failed' : null,
    span.first_s !== null ? `first chunk after ${ms(span.first_s - span.start_s)}` : null,
    span.end_s !== null ? `took ${ms(end - span.start_s)}` : null,
    span.stall_count > 0 ? `${span.stall_count} ${span.stall_count === 1 ? 'stall' : 'stalls'}` : null,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
