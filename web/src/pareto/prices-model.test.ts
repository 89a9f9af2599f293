import { expect, test } from 'vitest'

import { draftOf, readPrices, requestOfDraft, withFile } from './prices-model'

const stored = {
  prices: [{ gpu: 'NVIDIA H100', per_hour: 2.49 }],
  currency: 'EUR',
  carbon_g_per_kwh: null,
  revision: 3,
  changed_at: null,
  changed_by: null,
}

test('a draft has the GPUs of results without a price, and saves only those with one', () => {
  const draft = draftOf(stored, ['NVIDIA B200', 'NVIDIA H100'])
  expect(draft.rows).toEqual([
    { gpu: 'NVIDIA H100', perHour: '2.49' },
    { gpu: 'NVIDIA B200', perHour: '' },
  ])
  expect(requestOfDraft(draft)).toEqual({ prices: stored.prices, currency: 'EUR', carbon_g_per_kwh: null })
  expect(requestOfDraft({ ...draft, currency: ' ', carbon: '380' })).toMatchObject({
    currency: null,
    carbon_g_per_kwh: 380,
  })
  for (const text of ['free', '-1', '1,5', '1e999', '.'])
    expect(requestOfDraft({ ...draft, rows: [{ gpu: 'x', perHour: text }] }), text).toBeNull()
})

test('a file replaces all prices', () => {
  const file = readPrices('\uFEFF# list\r\ncurrency,per_hour,gpu\r\n\r\nUSD, 9 ,"B200, ""air"""\nUSD,1.5,NVIDIA H200\n')
  expect(file).toEqual({
    rows: [
      { gpu: 'B200, "air"', perHour: '9' },
      { gpu: 'NVIDIA H200', perHour: '1.5' },
    ],
    currency: 'USD',
  })
  if ('fault' in file) return
  expect(withFile(draftOf(stored, ['NVIDIA H200']), file)).toEqual({
    rows: [...file.rows, { gpu: 'NVIDIA H100', perHour: '' }],
    currency: 'USD',
    carbon: '',
  })
})

test.each([
  ['', 'expected a first line with the columns gpu and per_hour'],
  ['gpu,price\nA,1\n', 'expected a first line with the columns gpu and per_hour'],
  ['gpu,per_hour\nA,free\n', "line 2: per_hour: found 'free', expected a number of at least 0"],
  ['gpu,per_hour\n\n# x\nA,-1', "line 4: per_hour: found '-1', expected a number of at least 0"],
  ['gpu,per_hour\n,1', 'line 2: gpu: found nothing, expected the name of a GPU'],
  ['gpu,per_hour\nA,1\nA,2', "line 3: found 'A' twice, expected one price per GPU"],
  ['gpu,per_hour\n"A,1', 'line 2: found no closing quote'],
  ['gpu,per_hour,currency\nA,1,EUR\nB,1,USD', "line 3: currency: found 'USD', expected 'EUR' as in the lines before"],
])('a file that cannot be read: %j', (text, fault) => {
  expect(readPrices(text)).toEqual({ fault })
})
