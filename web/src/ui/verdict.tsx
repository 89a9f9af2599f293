// Verdicts and states of files: a shape and a word, so that color is not the only code.
import type { Field, Row } from '../api/types'
import { isFailed, NOT_RECORDED, nullWord, statusWord, UNSET, verdictWord } from '../format/value'
import css from './controls.module.css'
import { join } from './controls'

const SHAPES = {
  circle: <circle cx="5" cy="5" r="4" />,
  triangle: <path d="M5 .8l4.6 8.2H.4z" />,
  square: <path d="M1 1h8v8H1z" />,
  twice: (
    <>
      <path d="M1 3h6v6H1z" />
      <path d="M3.5 1H9v5.5" fill="none" stroke="currentColor" />
    </>
  ),
  ring: <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" />,
  part: (
    <>
      <circle cx="5" cy="5" r="4" fill="none" stroke="var(--line-3)" />
      <path d="M5 1a4 4 0 0 1 4 4" fill="none" stroke="var(--accent)" strokeWidth="1.6" />
    </>
  ),
  dash: <path d="M1 4.2h8v1.6H1z" />,
} as const

interface Look {
  shape: keyof typeof SHAPES
  color: 'trusted' | 'degraded' | 'limited' | 'quiet' | 'faint'
}
const LOOKS: Record<string, Look> = {
  trusted: { shape: 'circle', color: 'trusted' },
  degraded: { shape: 'triangle', color: 'degraded' },
  client_limited: { shape: 'square', color: 'limited' },
  stored: { shape: 'circle', color: 'trusted' },
  duplicate: { shape: 'twice', color: 'quiet' },
  conflict: { shape: 'triangle', color: 'degraded' },
  rejected: { shape: 'square', color: 'limited' },
  queued: { shape: 'ring', color: 'faint' },
  reading: { shape: 'part', color: 'quiet' },
  cancelled: { shape: 'dash', color: 'quiet' },
  failed: { shape: 'square', color: 'limited' },
  passed: { shape: 'circle', color: 'trusted' },
  over_limit: { shape: 'triangle', color: 'degraded' },
  unknown: { shape: 'dash', color: 'faint' },
}

// part: the part of a Meter that it counts; under forced colors its mark is the pattern of that part
export function State({
  state,
  word = state.replaceAll('_', ' '),
  color,
  part,
}: {
  state: string
  word?: string
  color?: Look['color']
  part?: string | undefined
}) {
  const look = LOOKS[state]
  return (
    <span className={join(css.verdict, css[color ?? look?.color ?? 'quiet'])}>
      {part && <i className={css.part} data-part={part} aria-hidden="true" />}
      {look && (
        <svg viewBox="0 0 10 10" aria-hidden="true">
          {SHAPES[look.shape]}
        </svg>
      )}
      {word}
    </span>
  )
}

// A missing verdict has words and no shape.
export const Verdict = ({ verdict }: { verdict: string | null | undefined }) =>
  verdict ? (
    <State state={verdict} word={verdictWord(verdict)} />
  ) : (
    <span className={join(css.verdict, css.faint)}>no verdict</span>
  )

// The verdict of a row, or its status if the run failed, as a failed run has no verdict.
export function RowVerdict({ row: { verdict, cells } }: { row: Row }) {
  const status = cells['run.status']
  return !verdict && isFailed(status) ? (
    <State state="failed" word={statusWord(status)} />
  ) : (
    <Verdict verdict={verdict} />
  )
}

export const Simulated = () => <span className={css.sim}>simulated</span>

// A missing value: a dash if it is not recorded, a word for null. Only fields that are parameters can be unset.
export function Nothing({ of, field }: { of: null | undefined; field?: Field }) {
  const word = of === null ? (field ? nullWord(field) : UNSET) : NOT_RECORDED
  return word === NOT_RECORDED ? (
    <span
      className={css.none}
      title={of === null ? 'Not recorded: null in the file' : 'Not recorded: the file does not have this key'}
      aria-label="not recorded"
      role="img"
    >
      {NOT_RECORDED}
    </span>
  ) : (
    <span className={css.none} title={['Set to null in the file', field?.help].filter(Boolean).join('\n')}>
      {word}
    </span>
  )
}
