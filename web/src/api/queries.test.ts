import { describe, expect, it } from 'vitest'

import { ApiError } from './client'
import { jobPause } from './queries'
import type { Job } from './types'

const job = (state: Job['state']) => ({ state }) as Job
const failed = (status?: number) => new ApiError(status === undefined ? { detail: 'no answer' } : { detail: 'no', status }, 'GET /api/upload/status/1')
const at = (data: Job | undefined, error: Error | null, silentMs = 0) => jobPause({ data, error, dataUpdatedAt: 1000, errorUpdatedAt: 1000 + silentMs })

describe('a job is asked for', () => {
  it('until it is done', () => {
    expect(at(undefined, null)).toBe(300)
    expect(at(job('running'), null)).toBe(300)
    expect(at(job('done'), null)).toBe(false)
    expect(at(job('done'), failed())).toBe(false)
  })

  it('again and more rarely where the server is silent or failed', () => {
    for (const error of [failed(), failed(500), failed(503)]) {
      expect(at(job('running'), error, 1)).toBe(300)
      expect(at(job('running'), error, 700)).toBe(700)
      expect(at(job('running'), error, 3_600_000)).toBe(10_000)
    }
  })

  it('no more where the server refused', () => expect(at(job('running'), failed(404), 700)).toBe(false))
})
