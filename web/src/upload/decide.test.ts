import { expect, it } from 'vitest'

import { shortTexts } from './decide'

it.each<[unknown, unknown, [string, string]]>([
  [9.2681358, 10.2681358, ['9.268', '10.27']],
  ['[9.2681358000000001,2]', '[9.5,2]', ['[9.268,2]', '[9.5,2]']],
  [0.12345678, 0.12345612, ['0.123457', '0.123456']],
  [123456, 123457, ['123456', '123457']],
  ['0.11.0', '0.11.1234.5', ['0.11.0', '0.11.1234.5']],
])('%j and %j', (there, found, texts) =>
  expect(shortTexts({ state: 'value', value: there } as never, { state: 'value', value: found } as never)).toEqual(
    texts,
  ),
)
