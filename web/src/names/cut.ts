// Cuts names to the room that they have, so that different names still look different.

const LEAST = 4 // letters of a part that a reader recognizes
const END_SHARE = 0.6 // largest share of a cut name that its end has
const SEPARATORS = '-_/. :='
const HEAD_LEAST = 3 // letters of a beginning that is worth showing
const HEAD_SHARE = 0.5 // smallest share of its room that a beginning has if it ends with a separator

// The longest end of a text that begins after a separator and has at most `most` letters.
export function endOf(text: string, most: number) {
  for (let at = Math.max(1, text.length - most); at < text.length; at++)
    if (SEPARATORS.includes(text[at - 1] ?? '')) return text.slice(at)
  return text.slice(-Math.max(1, Math.floor(most / 2)))
}

// The longest beginning of at most `most` letters that ends with a separator, or without one if that would be too
// short.
function headOf(text: string, most: number) {
  for (let at = most; at >= Math.max(HEAD_LEAST, most * HEAD_SHARE); at--)
    if (SEPARATORS.includes(text[at - 1] ?? '')) return text.slice(0, at).trimEnd()
  return text.slice(0, most).trimEnd()
}

// A text of at most `letters` letters: its beginning and its end.
export function cutMiddle(text: string, letters: number) {
  if (text.length <= letters || letters < LEAST * 2) return text
  const end = endOf(text, Math.floor((letters - 1) * END_SHARE))
  return `${headOf(text, letters - 1 - end.length)}…${end}`
}

const partsOf = (text: string) => text.split(/(?<=[-_/. :=])/)

// The number of parts that all texts begin with. The last part of a text is never one of them.
function sharedParts(texts: readonly string[][]) {
  const [first = []] = texts
  let count = 0
  while (texts.every((parts) => count < parts.length - 1 && parts[count] === first[count])) count++
  return count
}

// The part in which a text begins to differ from others like it, with what follows, after as much of its beginning as
// there is room for.
function fromDifference(parts: string[], shared: number, letters: number) {
  const rest = parts.slice(shared).join('')
  const room = letters - 1 - rest.length
  if (room >= 0) {
    const head = headOf(parts.slice(0, shared).join(''), room)
    return `${room >= HEAD_LEAST && head.length >= HEAD_LEAST ? head : ''}…${rest}`
  }
  const begin = (parts[shared] ?? '').slice(0, letters - 2)
  const end = endOf(rest, letters - 2 - begin.length)
  return letters - 2 - begin.length >= LEAST && end.length <= letters - 2 - begin.length
    ? `…${begin}…${end}`
    : `…${rest.slice(0, letters - 2)}…`
}

interface Text {
  text: string
  letters: number // that it may have
  mark: string // shown instead of what no cut can show; unique among the texts
}

// Texts of a list that cuts them at its edge: those that begin alike as far as they would be seen are cut where they
// differ.
export function cutWhereAlike(texts: readonly string[], letters: number): string[] {
  const shown = [...texts]
  for (const same of Map.groupBy(texts.keys(), (at) => texts[at]?.slice(0, letters)).values()) {
    if (new Set(same.map((at) => texts[at])).size < 2) continue
    const cut = cutApart(same.map((at, i) => ({ text: texts[at] ?? '', letters, mark: String(i + 1) })))
    same.forEach((at, i) => {
      shown[at] = cut[i] ?? ''
    })
  }
  return shown
}

// The texts that look alike and are not, in groups.
const alikeOf = (texts: readonly Text[], shown: readonly string[]) =>
  [...Map.groupBy(texts.keys(), (at) => shown[at]).values()].filter(
    (same) => new Set(same.map((at) => texts[at]?.text)).size > 1,
  )

// Texts that fit. Two of them are equal only if the whole texts are.
export function cutApart(texts: readonly Text[]): string[] {
  const shown = texts.map(({ text, letters }) => cutMiddle(text, letters))
  for (const same of alikeOf(texts, shown)) {
    const parts = same.map((at) => partsOf(texts[at]?.text ?? ''))
    const shared = sharedParts(parts)
    same.forEach((at, i) => {
      const { text, letters } = texts[at] as Text
      if (text.length > letters) shown[at] = fromDifference(parts[i] ?? [], shared, letters)
    })
  }
  for (const same of alikeOf(texts, shown)) {
    for (const at of same) {
      const { text, letters, mark } = texts[at] as Text
      shown[at] = text.length > letters ? `${cutMiddle(text, letters - mark.length - 1)} ${mark}` : text
    }
  }
  return shown
}
