// The lines of a log for display, and where a log comes from.
import type { Artifacts, Experiment } from '../api/types'

// The kind of log that an experiment has: a stored file, the tail in its document, or only a name; null: none.
export function logSource(experiment: Experiment, artifacts: Artifacts | undefined) {
  const isLog = ({ kind }: { kind: string }) => kind === 'server_log'
  const error = (experiment.document as { error?: { log_tail?: unknown } | null }).error
  if (artifacts?.artifacts.some(isLog)) return { kind: 'file' as const }
  if (error?.log_tail != null && String(error.log_tail) !== '') return { kind: 'tail' as const }
  const missing = artifacts?.missing.find(isLog)
  return missing ? { kind: 'missing' as const, name: missing.name } : null
}

// The text in parts, of which every second one is the sought text, in either case, as on the server: with the flag u, a
// regular expression ignores case by simple case folding.
export function parts(text: string, find: string) {
  if (find === '') return [text]
  const found: string[] = []
  let from = 0
  for (const { 0: match, index } of text.matchAll(new RegExp(find.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu'))) {
    found.push(text.slice(from, index), match)
    from = index + match.length
  }
  return [...found, text.slice(from)]
}

const HEAD_LETTERS = 120

// The level of a line, by the words of Python's and vLLM's loggers near its start.
export function levelOf(text: string) {
  const found = /\b(ERROR|CRITICAL|FATAL|WARNING|WARN)\b/.exec(text.slice(0, HEAD_LETTERS))?.[1]
  if (found) return found.startsWith('WARN') ? 'warning' : 'error'
  return /^\S*(Error|Exception)\b/.test(text) ? 'error' : undefined
}

// The match that follows or precedes a line, past the end from the other side.
export function nextMatch(lines: number[], line: number | null, step: 1 | -1) {
  const found =
    step === 1
      ? lines.find((one) => one > (line ?? 0))
      : lines.findLast((one) => one < (line ?? Number.MAX_SAFE_INTEGER))
  return found ?? (step === 1 ? lines[0] : lines.at(-1)) ?? null
}
