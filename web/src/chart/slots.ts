// Colors and shapes of series and groups on pages without a chart of Explore.
export const SLOTS = 8

function hashOf(text: string) {
  let hash = 2166136261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return hash >>> 0
}

// A color and shape per series that stays when others come or go: from its key, and the next free one if that is taken.
// Beyond eight series, those without one are grey.
export function slotsOf(keys: string[]): Map<string, number> {
  const taken = new Array<boolean>(SLOTS).fill(false)
  const slots = new Map<string, number>()
  for (const key of [...keys].sort()) {
    const first = hashOf(key) % SLOTS
    const slot = Array.from({ length: SLOTS }, (_, i) => (first + i) % SLOTS).find((one) => !taken[one])
    if (slot !== undefined) taken[slot] = true
    slots.set(key, slot ?? -1)
  }
  return slots
}

export const colourOf = (slot: number) => (slot < 0 ? 'var(--line-3)' : `var(--s${slot + 1})`)
