// Lays out the names of values below an axis: horizontal if they fit, otherwise slanted, with how many results each
// has.
import { count } from '../format/number'

const CHAR_WIDE = 6.2
const SLANTED_WIDE = 5.7 // of a longer name on the average
const LINE_HIGH = 13
const FLAT = 22 // room that a line below an axis takes
const FLAT_MAX = 30 // letters
const SLANTED_MAX = 22
const NARROW = 420 // on a phone
const NARROW_MAX = 15
const LEFT_MAX = 130
const STEEP_FROM = 28 // names nearer to each other are steeper
const [SLIGHT, STEEP] = [30, 52] // degrees
const PREFIX_FROM = 4
const GAP = 8

export interface Names {
  words: string[]
  rotate: number
  step: number // every so manyth has its name
  bottom: number
  left: number // room that the first needs
}

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

// Removes the part that all words begin with, up to the end of a part of a name: it says nothing.
export function withoutPrefix(words: string[]): string[] {
  const [first = ''] = words
  let length = first.length
  for (const word of words) while (!word.startsWith(first.slice(0, length))) length--
  const end = Math.max(...[...'-_/. :'].map((mark) => first.lastIndexOf(mark, length - 1))) + 1
  return words.length > 2 && end >= PREFIX_FROM ? words.map((word) => `…${word.slice(end)}`) : words
}

const longest = (words: string[]) => words.reduce((most, { length }) => Math.max(most, length), 0)

// `rows`: results per name; null to show no counts.
export function namesOf(full: string[], rows: number[] | null, wide: number): Names {
  const band = wide / Math.max(1, full.length)
  const fits = (words: string[]) => Math.min(FLAT_MAX, longest(words)) * CHAR_WIDE + GAP <= band
  const words = fits(full) ? full : withoutPrefix(full)
  const counts = rows?.map((n) => `n ${count(n)}`)
  if (fits(words)) {
    const hasCounts = counts !== undefined && fits(counts)
    return {
      words: words.map((word, i) => `${clip(word, FLAT_MAX)}${hasCounts ? `\n${counts[i]}` : ''}`),
      rotate: 0,
      step: 1,
      bottom: FLAT + (hasCounts ? LINE_HIGH : 0),
      left: 0,
    }
  }
  const rotate = band < STEEP_FROM || wide < NARROW ? STEEP : SLIGHT
  const [sine, cosine] = [Math.sin((rotate * Math.PI) / 180), Math.cos((rotate * Math.PI) / 180)]
  const step = Math.ceil(LINE_HIGH / sine / band)
  const slanted = words.map(
    (word, i) =>
      `${clip(word, wide < NARROW ? NARROW_MAX : SLANTED_MAX)}${counts && step === 1 ? `  ${counts[i]}` : ''}`,
  )
  const left = Math.max(...slanted.map(({ length }, i) => length * SLANTED_WIDE * cosine - (i + 0.5) * band)) + GAP
  return {
    words: slanted,
    rotate,
    step,
    bottom: Math.round(longest(slanted) * SLANTED_WIDE * sine + GAP + LINE_HIGH * cosine),
    left: Math.min(LEFT_MAX, Math.round(left)),
  }
}
