import { describe, expect, it, vi } from 'vitest'

import { ApiError } from './client'
import type { Upload } from './types'
import { jobPause, reportOf } from './uploads'

const job = (state: Upload['state'], waiting = 1) =>
  ({ state, counts: { queued: waiting, parsed: 0, valid: 0 } }) as Upload
const failed = (status?: number) =>
  new ApiError(status === undefined ? { detail: 'no answer' } : { detail: 'no', status }, 'GET /api/upload/status/1')
const at = (data: Upload | undefined, error: Error | null, silentMs = 0) =>
  jobPause({ data, error, dataUpdatedAt: 1000, errorUpdatedAt: 1000 + silentMs })

describe('a job is asked for', () => {
  it('until it is done', () => {
    expect(at(undefined, null)).toBe(500)
    expect(at(job('running'), null)).toBe(500)
    expect(at(job('done', 0), null)).toBe(false)
    expect(at(job('cancelled', 0), null)).toBe(false)
    expect(at(job('done', 0), failed())).toBe(false)
  })

  it('more rarely while it waits for files', () => {
    expect(at(job('open', 1), null)).toBe(500)
    expect(at(job('open', 0), null)).toBe(2000)
  })

  it('again and more rarely where the server is silent or failed', () => {
    for (const error of [failed(), failed(500), failed(503)]) {
      expect(at(job('running'), error, 1)).toBe(500)
      expect(at(job('running'), error, 700)).toBe(700)
      expect(at(job('running'), error, 3_600_000)).toBe(10_000)
    }
  })

  it('no more where the server refused', () => expect(at(job('running'), failed(404), 700)).toBe(false))
})

it('a report has all items, however many questions that takes', async () => {
  const asked: string[] = []
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const query = new URL(String(input instanceof Request ? input.url : input), 'http://x').searchParams
    asked.push(query.toString())
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
    const items = Array.from({ length: Math.max(0, Math.min(limit, 20_001 - offset)) }, (_, i) => ({
      index: offset + i,
    }))
    return Promise.resolve(Response.json({ job_id: '7', total: 20_001, items }))
  })
  const report = JSON.parse(await (await reportOf('7')).text()) as {
    job_id: string
    total: number
    items: { index: number }[]
  }
  fetched.mockRestore()
  expect(asked).toEqual(['limit=10000&offset=0', 'limit=10000&offset=10000', 'limit=10000&offset=20000'])
  expect([report.job_id, report.total, report.items.length]).toEqual(['7', 20_001, 20_001])
  expect(report.items.every(({ index }, i) => index === i)).toBe(true)
})
