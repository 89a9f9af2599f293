// A position on an axis, set by the pointer or by keys.
const FAR = 10

export const nearest = (places: number[], to: number) =>
  places.reduce((best, place, i) => (Math.abs(place - to) < Math.abs((places[best] ?? Infinity) - to) ? i : best), 0)

// The position that a key moves to; undefined if the key has no effect here.
export function moved(key: string, at: number | null, last: number): number | null | undefined {
  const to = {
    ArrowRight: (at ?? -1) + 1,
    ArrowUp: (at ?? -1) + 1,
    ArrowLeft: (at ?? last + 1) - 1,
    ArrowDown: (at ?? last + 1) - 1,
    PageUp: (at ?? -1) + FAR,
    PageDown: (at ?? last + 1) - FAR,
    Home: 0,
    End: last,
  }[key]
  if (to === undefined) return key === 'Escape' && at !== null ? null : undefined
  return Math.min(last, Math.max(0, to))
}
