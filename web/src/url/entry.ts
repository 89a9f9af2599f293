// Entries of the browser's history. Each has a key, under which state that is not part of the address is stored: the
// scroll position and the row with the focus.
import { useLocationProperty } from 'wouter/use-browser-location'

export interface Place {
  top: number
  left: number
  row: number | null // its experiment
}

// A history entry made by typing: further typing changes the same entry.
interface Burst {
  of: string
  at: number
}

interface EntryState {
  entry?: string
  burst?: Burst
  isChange?: boolean // of the entry before, which is of the same screen
}

const STORED = 'profllm.places'
const KEPT = 100
export const SETTLED_MS = 1500

const stateOf = (state: unknown) => (state ?? {}) as EntryState
const leaving = new Set<() => void>()
const places = new Map<string, Place>(readStored())

function readStored(): [string, Place][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, Place][]
  } catch {
    return []
  }
}

function writeStored() {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places].slice(-KEPT)))
  } catch {
    // no storage: places hold until the page is left
  }
}

// Calls the prototype, because wouter's replaceState notifies all pages, even if the address did not change.
function mark() {
  const state = stateOf(history.state)
  if (state.entry === undefined)
    History.prototype.replaceState.call(
      history,
      { ...state, entry: `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}` },
      '',
    )
}

function move() {
  for (const leave of leaving) leave()
  mark()
}

// Before wouter listens, so that no page is rendered for an entry without a key, and a page that is left still sees its
// own.
export function markEntries() {
  history.scrollRestoration = 'manual'
  mark()
  for (const event of ['pushState', 'replaceState', 'popstate', 'hashchange']) window.addEventListener(event, move)
  window.addEventListener('pagehide', writeStored)
}

// Calls back when the address has changed and the page has not. Returns the function that ends this.
export function beforeLeaving(leave: () => void) {
  leaving.add(leave)
  return () => {
    leaving.delete(leave)
  }
}

export const entryNow = () => stateOf(history.state).entry ?? ''
// Renders again only for another entry, not for each change of its address.
export const useEntry = () => useLocationProperty(entryNow)
export const placeOf = (entry: string) => places.get(entry)

export function keepPlace(entry: string, place: Place) {
  places.delete(entry) // the latest is last
  places.set(entry, place)
}

// The first change of `of` makes an entry, and changes that follow closely stay in it, so that Back undoes a whole
// input and not each letter.
export function burstOptions(of: string): { replace: boolean; state: EntryState } {
  const { burst, isChange = false } = stateOf(history.state)
  const at = Date.now()
  const replace = burst?.of === of && at - burst.at < SETTLED_MS
  return { replace, state: { burst: { of, at }, isChange: isChange || !replace } }
}

export function changeOptions(replace: boolean): { replace: boolean; state: EntryState } {
  return { replace, state: { isChange: !replace || (stateOf(history.state).isChange ?? false) } }
}

// Goes back if that undoes a change on the same page.
export function undo() {
  if (stateOf(history.state).isChange) history.back()
}
