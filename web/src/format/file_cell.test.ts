import { expect, test } from 'vitest'
import { codeMarkdown, escapedMarkdown, safeCell } from './file_cell'

test('texts that a spreadsheet would run begin with an apostrophe', () => {
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    "'=1",
    '\t=1',
    '\r=1',
    '\n=1',
    '\uFF1D1',
    '\uFF0B1',
    '\uFF0D1',
    '\uFF201',
  ])
    expect(safeCell(text)).toBe(`'${text}`)
  for (const value of ['a=1', '1-1', '', 'text', 5, -5, null, undefined]) expect(safeCell(value)).toBe(value)
})

test('texts in Markdown are texts', () => {
  expect(escapedMarkdown('<b>|`x`\n# y')).toBe('\\<b\\>\\|\\`x\\` \\# y')
  expect(codeMarkdown('tags.a`<img>`\nb')).toBe("`tags.a'<img>' b`")
})
