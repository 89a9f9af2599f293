// Sides that are pinned to be compared. This browser keeps them, and all of its tabs share them. The letter of a slot
// is its position; A is the baseline.
import { create } from 'zustand'

import { LETTERS, moved, oneOf, readSide, type Side, SIDES_MAX, writeSide } from '../url/compare'

export interface Pinned {
  side: Side
  name: string // its own name at the time of pinning
  at: number // ascending in the order of the slots
}

interface Tray {
  pinned: Pinned[]
  said: string // the last change, for screen readers
  toggle: (side: Side, name: string) => void
  remove: (side: Side) => void
  move: (from: number, to: number) => void
  set: (sides: Omit<Pinned, 'at'>[]) => void
}

const PREFIX = 'profllm.tray.'
const keyOf = (side: Side) => `${PREFIX}${writeSide(side)}`
const isSame = (side: Side) => (pinned: Pinned) => keyOf(pinned.side) === keyOf(side)

// An entry may come from another version, or be edited: what is not a side is dropped.
function readOne(key: string): Pinned[] {
  try {
    const { name, at } = JSON.parse(localStorage.getItem(key) ?? '') as Partial<Pinned>
    const side = readSide(key.slice(PREFIX.length))
    return side && typeof name === 'string' && typeof at === 'number' ? [{ side, name, at }] : []
  } catch {
    return []
  }
}

// Each pin has an entry of its own, so that two tabs that pin at the same moment both keep theirs. null: no storage.
function read(): Pinned[] | null {
  try {
    const all = Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX))
      .flatMap(readOne)
    return all.sort((a, b) => a.at - b.at || (keyOf(a.side) < keyOf(b.side) ? -1 : 1)).slice(0, SIDES_MAX)
  } catch {
    return null
  }
}

// Writes what changed alone: entries of other tabs stay as they are.
function write(before: Pinned[], after: Pinned[]) {
  const texts = (pinned: Pinned[]) =>
    new Map(pinned.map(({ side, name, at }) => [keyOf(side), JSON.stringify({ name, at })]))
  const [old, now] = [texts(before), texts(after)]
  try {
    for (const key of old.keys()) if (!now.has(key)) localStorage.removeItem(key)
    for (const [key, text] of now) if (old.get(key) !== text) localStorage.setItem(key, text)
  } catch {
    // no storage: each tab has its own tray
  }
}

// Returns ascending positions, and keeps those of existing pins.
function inOrder(pinned: Pinned[]): Pinned[] {
  const at = pinned.map((one) => one.at).sort((a, b) => a - b)
  return pinned.map((one, i) => ({ ...one, at: at[i] ?? 0 }))
}

const nextAt = (pinned: Pinned[]) => Math.max(Date.now(), (pinned.at(-1)?.at ?? 0) + 1)
const without = (pinned: Pinned[], at: number) => ({
  pinned: pinned.toSpliced(at, 1),
  said: `${pinned[at]?.name ?? ''} removed from the comparison`,
})

export const useTray = create<Tray>()((set, get) => {
  // Another tab may have changed the tray a moment ago: each change starts from what is stored.
  const change = (next: (pinned: Pinned[]) => Partial<Tray>) => {
    const before = read() ?? get().pinned
    const part = next(before)
    if (part.pinned) write(before, part.pinned)
    set({ pinned: before, ...part })
  }
  return {
    pinned: read() ?? [],
    said: '',
    toggle: (side, name) =>
      change((pinned) => {
        const at = pinned.findIndex(isSame(side))
        if (at >= 0) return without(pinned, at)
        if (pinned.length === SIDES_MAX) return { said: `${SIDES_MAX} sides can be compared; remove one first` }
        return {
          pinned: [...pinned, { side, name, at: nextAt(pinned) }],
          said: `${name} pinned as ${LETTERS[pinned.length] ?? ''}`,
        }
      }),
    remove: (side) =>
      change((pinned) => {
        const at = pinned.findIndex(isSame(side))
        return at < 0 ? {} : without(pinned, at)
      }),
    move: (from, to) =>
      change((pinned) =>
        to < 0 || to >= pinned.length
          ? {}
          : {
              pinned: inOrder(moved(pinned, from, to)),
              said: `${pinned[from]?.name ?? ''} is now ${LETTERS[to] ?? ''}`,
            },
      ),
    set: (sides) => change(() => ({ pinned: sides.map((one, at) => ({ ...one, at: Date.now() + at })), said: '' })),
  }
})

// Other tabs report their changes; key is null where all is cleared.
if (typeof window !== 'undefined')
  window.addEventListener('storage', ({ key }) => {
    if (key === null || key.startsWith(PREFIX)) useTray.setState({ pinned: read() ?? [] })
  })

export const sidesOf = (pinned: Pinned[]) => pinned.map(({ side }) => side)
export const slotOf = (pinned: Pinned[], side: Side) => LETTERS[pinned.findIndex(isSame(side))]

// The slots of single experiments, by id.
export function slotsById(pinned: Pinned[]): ReadonlyMap<number, string> {
  return new Map(
    pinned.flatMap(({ side }, at) => {
      const id = oneOf(side)
      return id === null ? [] : [[id, LETTERS[at] ?? ''] as const]
    }),
  )
}
