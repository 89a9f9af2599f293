import { describe, expect, it } from 'vitest'

import type { Experiment } from '../api/types'
import { findLineAt, PAGE_LINES, runAfterFirstLine, stampOf } from './log-times'

const two = (n: number) => String(n).padStart(2, '0')
const at = (second: number, start = Date.UTC(2026, 6, 1, 10)) => {
  const date = new Date(start + second * 1000)
  const day = `${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
  return `INFO ${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} [a.py:1] step`
}
const access = 'INFO:     127.0.0.1:1 - "POST /v1/completions HTTP/1.1" 200 OK'

function logOf(texts: string[]) {
  const reads: number[] = []
  const read = (offset: number, limit: number) => {
    reads.push(offset)
    const rows = texts.slice(offset, offset + limit).map((text, i) => ({ line: offset + i + 1, text }))
    return Promise.resolve({ lines: texts.length, rows }) as never
  }
  return { read, reads }
}

describe('time of a line', () => {
  it('is that of the logger, with or without a year', () => {
    const seconds = Date.UTC(2026, 6, 1, 10, 0, 7) / 1000
    expect(stampOf('(APIServer pid=7) INFO 07-01 10:00:07 [a.py:1] x', 2026)).toBe(seconds)
    expect(stampOf('2026-07-01T10:00:07.250Z x', 2026)).toBe(seconds)
    expect(stampOf('[2026-07-01 10:00:07,250] x', 2026)).toBe(seconds)
    expect(stampOf(access, 2026)).toBeNull()
    expect(stampOf(`${'x'.repeat(300)} 07-01 10:00:07`, 2026)).toBeNull()
  })
})

describe('line at a time', () => {
  it('is the first one from that second on', async () => {
    const { read } = logOf([access, at(0), at(3), access, at(5), at(5), at(9), access])
    expect(await findLineAt(read, 5.9, 2026)).toBe(5)
    expect(await findLineAt(read, 6, 2026)).toBe(7)
    expect(await findLineAt(read, -4, 2026)).toBe(2)
  })
  it('is the last line if nothing was logged later', async () => {
    const { read } = logOf([at(0), access, at(4), access])
    expect(await findLineAt(read, 60, 2026)).toBe(4)
  })
  it('is not known without times', async () => {
    expect(await findLineAt(logOf([access, 'Traceback']).read, 5, 2026)).toBeNull()
    expect(await findLineAt(logOf([]).read, 5, 2026)).toBeNull()
  })
  it('is found over the end of a year', async () => {
    const start = Date.UTC(2026, 11, 31, 23, 59, 58)
    const { read } = logOf([0, 1, 2, 3, 4].map((second) => at(second, start)))
    expect(await findLineAt(read, 3, 2026)).toBe(4)
  })
  it('is found in a long log with long parts without times, each page read once', async () => {
    const texts = Array.from({ length: 200_000 }, (_, i) => (i % 4000 === 0 ? at(i / 400) : access))
    for (const second of [0, 1, 10, 11, 255, 489, 490]) {
      const { read, reads } = logOf(texts)
      expect(await findLineAt(read, second, 2026)).toBe(Math.ceil(second / 10) * 4000 + 1)
      expect(new Set(reads).size).toBe(reads.length)
      expect(reads.length).toBeLessThan((0.3 * texts.length) / PAGE_LINES)
    }
  })
})

describe('start of the run', () => {
  const fields = (values: Record<string, number>) =>
    ({
      fields: Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }])),
    }) as unknown as Experiment
  it('counts from the first line', () => {
    const all = {
      'series.measured_begin_ns': 52e9,
      'launch.phases.begin_ns': 10e9,
      'launch.phases.first_line_s': 2,
    }
    expect(runAfterFirstLine(fields(all))).toBe(40)
    const { 'launch.phases.begin_ns': _, ...rest } = all
    expect(runAfterFirstLine(fields(rest))).toBeNull()
  })
})
