import { describe, expect, it } from 'vitest'

import type { Artifacts, Experiment } from '../api/types'
import { visible } from '../ui/visible'
import { levelOf, logSource, nextMatch, parts } from './log-lines'

const experimentOf = (error: unknown) => ({ document: { error } }) as unknown as Experiment
const filesOf = (stored: string[], missing: string[]) =>
  ({
    artifacts: stored.map((kind) => ({ kind, name: kind })),
    missing: missing.map((kind) => ({ kind, name: kind })),
  }) as unknown as Artifacts

describe('where a log comes from', () => {
  it('is a stored file, then the tail of the document, then a name', () => {
    const failed = experimentOf({ log_tail: ['a'] })
    expect(logSource(failed, filesOf(['server_log'], []))).toEqual({ kind: 'file' })
    expect(logSource(failed, filesOf(['series'], ['server_log']))).toEqual({ kind: 'tail' })
    expect(logSource(experimentOf(null), filesOf([], ['server_log']))).toEqual({ kind: 'missing', name: 'server_log' })
    expect(logSource(experimentOf({ log_tail: null }), filesOf([], []))).toBeNull()
    expect(logSource(experimentOf({ log_tail: [] }), undefined)).toBeNull()
    expect(logSource(experimentOf(undefined), undefined)).toBeNull()
  })
})

describe('text of a line', () => {
  it('shows control characters', () => {
    expect(visible('a\0\x1b[31m\tb\x7f\x9b\r<b>')).toBe('a␀␛[31m\tb␡�␍<b>')
  })
  it('hides no direction override', () => {
    expect(visible('a\u202eb\u2066')).toBe('a�b�')
    expect(visible('\u061c\u200e\u200f\u200d')).toBe('���\u200d')
  })
  it.each([
    ['abc', '', ['abc']],
    ['abc', 'x', ['abc']],
    ['aXbx', 'x', ['a', 'X', 'b', 'x', '']],
    ['aaa', 'aa', ['', 'aa', 'a']],
    ['a.c abc', '.', ['a', '.', 'c abc']],
    ['İx İX', 'x', ['İ', 'x', ' İ', 'X', '']],
    ['É é', 'é', ['', 'É', ' ', 'é', '']],
    ['Σίς', 'ΊΣ', ['Σ', 'ίς', '']],
    ['300 \u212a', 'k', ['300 ', '\u212a', '']],
    ['a\\(b)/[c]-{d}^', '\\(b)/[c]-{d}^', ['a', '\\(b)/[c]-{d}^', '']],
  ])('marks in %s the text %s', (text, find, expected) => {
    expect(parts(text, find)).toEqual(expected)
  })
  it('has a level', () => {
    expect(levelOf('(EngineCore) ERROR 07-01 [core.py:1] x')).toBe('error')
    expect(levelOf('WARNING 07-01 x')).toBe('warning')
    expect(levelOf('torch.OutOfMemoryError: CUDA')).toBe('error')
    expect(levelOf('INFO 07-01 no errors')).toBeUndefined()
    expect(levelOf(`INFO ${'x'.repeat(200)} ERROR`)).toBeUndefined()
  })
})

describe('the next match', () => {
  it('wraps at both ends', () => {
    expect(nextMatch([3, 7], null, 1)).toBe(3)
    expect(nextMatch([3, 7], 3, 1)).toBe(7)
    expect(nextMatch([3, 7], 7, 1)).toBe(3)
    expect(nextMatch([3, 7], 3, -1)).toBe(7)
    expect(nextMatch([3, 7], 5, -1)).toBe(3)
    expect(nextMatch([3, 7], null, -1)).toBe(7)
    expect(nextMatch([], 5, 1)).toBeNull()
  })
})
