import { expect, it } from 'vitest'

import type { Field } from '../api/types'
import { PLAIN } from '../format/number'
import { textIn } from './grid-columns'

it('a model is short in its column, and whole where rows are sorted by it', () => {
  const field: Field = {
    id: 'server.model',
    label: 'Model',
    help: '',
    group: '',
    unit: '',
    type: 'text',
    direction: 'neither',
    role: 'input',
    aggregation: 'none',
    column: true,
    words: false,
  }
  const column = { field, form: PLAIN, top: 0, isDivided: false }
  expect(textIn({ ...column, isWhole: false }, 'openai/gpt-oss-120b')).toBe('gpt-oss-120b')
  expect(textIn({ ...column, isWhole: true }, 'openai/gpt-oss-120b')).toBe('openai/gpt-oss-120b')
})
