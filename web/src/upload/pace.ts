// The rate of a progress by its last samples, and the time remaining, once there are enough samples.
const WINDOW_MS = 15_000
const ENOUGH_MS = 2_000

export class Pace {
  private seen: { at: number; done: number }[] = []

  note(at: number, done: number) {
    const last = this.seen.at(-1)
    if (last && done < last.done) this.seen = [] // the count restarted
    this.seen.push({ at, done })
    while (this.seen.length > 2 && at - (this.seen[1]?.at ?? at) >= WINDOW_MS) this.seen.shift()
  }

  // Per second; null without enough samples.
  rate() {
    const [first] = this.seen
    const last = this.seen.at(-1)
    if (!first || !last || last.at - first.at < ENOUGH_MS) return null
    return ((last.done - first.done) * 1000) / (last.at - first.at)
  }

  // Seconds; null if nothing moves, or without enough samples.
  left(remaining: number) {
    const rate = this.rate()
    return rate === null || rate <= 0 ? null : remaining / rate
  }
}

// Rounded to the precision that the estimate has.
export function leftWords(seconds: number) {
  if (seconds < 5) return 'a few seconds remaining'
  if (seconds < 60) return `about ${Math.ceil(seconds / 5) * 5} s remaining`
  if (seconds < 3600) return `about ${Math.round(seconds / 60)} min remaining`
  const halves = Math.round(seconds / 1800)
  return `about ${halves / 2} h remaining`
}
