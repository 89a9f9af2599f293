// The uploads of this page, for the views. A large upload changes many times per second, so views are notified in
// batches.
import { create } from 'zustand'

import { usePreferences } from '../keys/store'
import { nameOf } from './files'
import { io } from './io'
import { type Choice, type Chosen, isUnderway, isUnsent, Sender } from './sender'

const TELL_EVERY_MS = 100
const UNFINISHED_KEPT = 20

interface Uploads {
  senders: Sender[]
  version: number // grows with each change of an upload
  onKnown: Choice
  chooseOnKnown: (choice: Choice) => void
  // into an upload that waits for its remaining files, or into a new one
  add: (chosen: Chosen[], job?: string) => Sender
}

// An upload that finished without a job has no address.
const isSpent = (sender: Sender) =>
  sender.job === null &&
  !sender.isBusy &&
  ![...sender.entries.values()].some((entry) => isUnsent(entry) || isUnderway(entry))

// Remembers artifacts that have not arrived, for after a reload: the server knows only the results.
function remember(sender: Sender) {
  if (sender.job === null || sender.artifacts.total === 0) return
  const { unfinished, set } = usePreferences.getState()
  const left = sender.artifacts.total - sender.artifacts.sent - sender.artifacts.there
  const now = sender.isBusy
    ? left
    : [...sender.entries.values()].filter(
        (entry) => entry.artifact && (entry.state === 'failed' || entry.state === 'cancelled'),
      ).length
  if ((unfinished[sender.job] ?? 0) === now) return
  const { [sender.job]: _, ...others } = unfinished
  set({
    unfinished:
      now === 0 ? others : Object.fromEntries([...Object.entries(others), [sender.job, now]].slice(-UNFINISHED_KEPT)),
  })
}

export const useUploads = create<Uploads>()((set, getState) => {
  // biome-ignore lint/correctness/noUnusedVariables: ??= reads it
  let telling: ReturnType<typeof setTimeout> | null = null
  const tell = () => {
    telling ??= setTimeout(() => {
      telling = null
      getState().senders.forEach(remember)
      set(({ version }) => ({ version: version + 1 }))
    }, TELL_EVERY_MS)
  }
  return {
    senders: [],
    version: 0,
    onKnown: 'skip',
    chooseOnKnown: (onKnown) => set({ onKnown }),
    add: (chosen, job) => {
      const sender = new Sender(io, chosen, { name: nameOf(chosen), onKnown: getState().onKnown }, job ?? null, tell)
      set(({ senders, version }) => ({
        senders: [...senders.filter((other) => !isSpent(other)), sender],
        version: version + 1,
      }))
      void sender.run()
      return sender
    },
  }
})

// The browser asks before it closes the page during an upload.
window.addEventListener('beforeunload', (event) => {
  if (useUploads.getState().senders.some(({ isBusy }) => isBusy)) event.preventDefault()
})
