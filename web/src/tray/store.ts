// What is pinned to be compared, kept in this browser until it is cleared. A slot's letter is its place; A is what the
// others are compared with.
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

import { LETTERS, moved, oneOf, readSide, type Side, SIDES_MAX, writeSide } from '../url/compare'

export interface Pinned {
  side: Side
  name: string // as it was called where it was pinned
}

interface Tray {
  pinned: Pinned[]
  said: string // of the last change, for readers of screens
  toggle: (side: Side, name: string) => void
  remove: (at: number) => void
  move: (from: number, to: number) => void
  set: (pinned: Pinned[]) => void
}

const isSame = (side: Side) => {
  const text = writeSide(side)
  return (pinned: Pinned) => writeSide(pinned.side) === text
}

// What another version kept, or somebody wrote there, may be anything.
const whole = (kept: unknown): Pinned[] => {
  const list: unknown = (kept as { pinned?: unknown } | undefined)?.pinned
  if (!Array.isArray(list)) return []
  return list.flatMap((one: unknown) => {
    const { side, name } = (one ?? {}) as Partial<Pinned>
    const read = typeof side === 'object' && (side as unknown) !== null ? readSide(writeSide(side)) : null
    return read && typeof name === 'string' ? [{ side: read, name }] : []
  }).slice(0, SIDES_MAX)
}

const tryWhole = (kept: unknown) => {
  try {
    return whole(kept)
  } catch {
    return []
  }
}

export const useTray = create<Tray>()(
  persist(
    (set, get) => ({
      pinned: [],
      said: '',
      toggle: (side, name) => {
        const { pinned, remove } = get()
        const at = pinned.findIndex(isSame(side))
        if (at >= 0) remove(at)
        else if (pinned.length === SIDES_MAX) set({ said: `${SIDES_MAX} are compared at most: take one out first` })
        else set({ pinned: [...pinned, { side, name }], said: `${name} pinned as ${LETTERS[pinned.length] ?? ''}` })
      },
      remove: (at) => set(({ pinned }) => ({ pinned: pinned.toSpliced(at, 1), said: `${pinned[at]?.name ?? ''} taken out` })),
      move: (from, to) => set(({ pinned }) => (to < 0 || to >= pinned.length ? {} : { pinned: moved(pinned, from, to), said: `${pinned[from]?.name ?? ''} is ${LETTERS[to] ?? ''} now` })),
      set: (pinned) => set({ pinned, said: '' }),
    }),
    { name: 'profllm.tray', partialize: ({ pinned }) => ({ pinned }), merge: (kept, now) => ({ ...now, pinned: tryWhole(kept) }) },
  ),
)

export const sidesOf = (pinned: Pinned[]) => pinned.map(({ side }) => side)
export const slotOf = (pinned: Pinned[], side: Side) => LETTERS[pinned.findIndex(isSame(side))]

// Experiments that stand there for themselves: their slots by their ids.
export function slotsById(pinned: Pinned[]): ReadonlyMap<number, string> {
  return new Map(pinned.flatMap(({ side }, at) => {
    const id = oneOf(side)
    return id === null ? [] : [[id, LETTERS[at] ?? ''] as const]
  }))
}
