import { describe, expect, it } from 'vitest'

import { ApiError } from './client'
import type { Upload } from './types'
import { jobPause } from './uploads'

const job = (state: Upload['state'], waiting = 1) => ({ state, counts: { queued: waiting, parsed: 0, valid: 0 } }) as Upload
const failed = (status?: number) => new ApiError(status === undefined ? { detail: 'no answer' } : { detail: 'no', status }, 'GET /api/upload/status/1')
const at = (data: Upload | undefined, error: Error | null, silentMs = 0) => jobPause({ data, error, dataUpdatedAt: 1000, errorUpdatedAt: 1000 + silentMs })

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
