// Prices of GPUs as a user edits them: texts until they are saved.
import type { Prices, PricesRequest } from '../api/types'

export interface PriceRow {
  gpu: string
  perHour: string // '': no price
}

export interface PriceDraft {
  rows: PriceRow[]
  currency: string
  carbon: string // '': unknown
}

// All GPUs with a price, then those of results without one.
export function draftOf({ prices, currency, carbon_g_per_kwh: carbon }: Prices, seen: string[]): PriceDraft {
  const known = new Set(prices.map(({ gpu }) => gpu))
  return {
    rows: [
      ...prices.map(({ gpu, per_hour: perHour }) => ({ gpu, perHour: String(perHour) })),
      ...seen.filter((gpu) => !known.has(gpu)).map((gpu) => ({ gpu, perHour: '' })),
    ],
    currency: currency ?? '',
    carbon: carbon === null ? '' : String(carbon),
  }
}

const isAmount = (text: string) => /^\d*\.?\d+(e[+-]?\d+)?$/i.test(text.trim()) && Number.isFinite(Number(text))

export const isFault = (text: string) => text.trim() !== '' && !isAmount(text)

// null: some text is no number.
export function requestOfDraft({ rows, currency, carbon }: PriceDraft): PricesRequest | null {
  if (isFault(carbon) || rows.some(({ perHour }) => isFault(perHour))) return null
  return {
    prices: rows
      .filter(({ perHour }) => perHour.trim())
      .map(({ gpu, perHour }) => ({ gpu, per_hour: Number(perHour) })),
    currency: currency.trim() || null,
    carbon_g_per_kwh: carbon.trim() ? Number(carbon) : null,
  }
}

// ---- CSV: the form of `profllm-dashboard import --prices` -----------------------------------------------------------

// The cells of one line; null: a quote is not closed.
function cellsOf(line: string): string[] | null {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const [whole, quoted, plain] = /^[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|([^",]*))(?=,|$)/.exec(rest) ?? []
    if (whole === undefined) return null
    cells.push(quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'))
    if (whole.length >= rest.length) return cells
    rest = rest.slice(whole.length + 1)
  }
}

export type PricesFile = { rows: PriceRow[]; currency: string | null } | { fault: string }

export function readPrices(text: string): PricesFile {
  const rows: PriceRow[] = []
  let places: { gpu: number; perHour: number; currency: number } | null = null
  let currency: string | null = null
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^[ \t]*(#|$)/.test(line)) continue
    const cells = cellsOf(line)
    if (!cells) return { fault: `line ${at + 1}: found no closing quote` }
    if (!places) {
      const [gpu, perHour] = [cells.indexOf('gpu'), cells.indexOf('per_hour')]
      if (gpu < 0 || perHour < 0) break
      places = { gpu, perHour, currency: cells.indexOf('currency') }
      continue
    }
    const [gpu = '', perHour = ''] = [cells[places.gpu], cells[places.perHour]]
    if (!gpu) return { fault: `line ${at + 1}: gpu: found nothing, expected the name of a GPU` }
    if (!isAmount(perHour))
      return { fault: `line ${at + 1}: per_hour: found '${perHour}', expected a number of at least 0` }
    if (rows.some((row) => row.gpu === gpu))
      return { fault: `line ${at + 1}: found '${gpu}' twice, expected one price per GPU` }
    const own = places.currency < 0 ? null : (cells[places.currency] ?? '')
    if (own !== null && currency !== null && own !== currency)
      return { fault: `line ${at + 1}: currency: found '${own}', expected '${currency}' as in the lines before` }
    currency = own ?? currency
    rows.push({ gpu, perHour })
  }
  return places ? { rows, currency } : { fault: 'expected a first line with the columns gpu and per_hour' }
}

// The rows of a file replace all prices; GPUs without a price remain in the list.
export const withFile = (
  draft: PriceDraft,
  { rows, currency }: Exclude<PricesFile, { fault: string }>,
): PriceDraft => ({
  ...draft,
  currency: currency ?? draft.currency,
  rows: [
    ...rows,
    ...draft.rows.filter(({ gpu }) => !rows.some((row) => row.gpu === gpu)).map(({ gpu }) => ({ gpu, perHour: '' })),
  ],
})
