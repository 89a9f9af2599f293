// The line of a log at a time. Lines have the server's local time, often without a year or a zone, and access lines
// have none. The first line with a time and the recorded time of the first line join that clock to the clock of the
// records. A line has whole seconds, so the result can be one second early.
import type { Experiment, LogLines } from '../api/types'

type Row = Pick<LogLines['rows'][number], 'line' | 'text'>
type ReadPage = (offset: number, limit: number) => Promise<Pick<LogLines, 'lines' | 'rows'>>

export const PAGE_LINES = 500
const HEAD_LETTERS = 200
const STAMP = /(?:^|[\s[(])(?:\d{4}-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?!\d)/

// The time of a line in seconds of an unknown zone; null: the line has none.
export function stampOf(text: string, year: number) {
  const found = STAMP.exec(text.slice(0, HEAD_LETTERS))
  if (!found) return null
  const [month, day, hour, minute, second] = found.slice(1).map(Number) as [number, number, number, number, number]
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000
}

const numberOf = (experiment: Experiment, id: string) => {
  const value = experiment.fields[id]?.value
  return typeof value === 'number' ? value : null
}

// The seconds from the first line of the log to the start of the measured run; null: not recorded.
export function runAfterFirstLine(experiment: Experiment) {
  const run = numberOf(experiment, 'series.measured_begin_ns')
  const launch = numberOf(experiment, 'launch.phases.begin_ns')
  const first = numberOf(experiment, 'launch.phases.first_line_s')
  return run === null || launch === null || first === null ? null : (run - launch) / 1e9 - first
}

// Finds the first line of `seconds` after the first line, or of a later time; without one, the last line. `year`: of
// the run. Reads few pages of a long log. null: no line has a time.
export async function findLineAt(read: ReadPage, seconds: number, year: number): Promise<number | null> {
  const pages = new Map<number, Row[]>()
  const head = await read(0, PAGE_LINES)
  pages.set(0, head.rows)
  // the first line with a time in [from, to)
  const firstStamped = async (from: number, to: number) => {
    for (let page = Math.floor((from - 1) / PAGE_LINES); page * PAGE_LINES + 1 < to; page++) {
      const rows = pages.get(page) ?? (await read(page * PAGE_LINES, PAGE_LINES)).rows
      pages.set(page, rows)
      for (const { line, text } of rows) {
        const stamp = line >= from && line < to ? stampOf(text, year) : null
        if (stamp !== null) return { line, stamp }
      }
    }
    return null
  }
  const first = await firstStamped(1, head.lines + 1)
  if (!first) return null
  const HALF_YEAR = 183 * 86_400
  const yearSeconds = (Date.UTC(year + 1) - Date.UTC(year)) / 1000
  const after = (stamp: number) => stamp - first.stamp + (stamp < first.stamp - HALF_YEAR ? yearSeconds : 0)
  const wanted = Math.floor(seconds)
  let [low, high, best] = [first.line, head.lines + 1, head.lines]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await firstStamped(middle, high)
    if (found && after(found.stamp) < wanted) low = found.line + 1
    else {
      if (found) best = found.line
      high = middle
    }
  }
  return best
}
