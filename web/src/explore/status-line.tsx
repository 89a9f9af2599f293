// The visible rows, the response time and the data version. Newer data appear only when the user asks for them.
import { memo } from 'react'

import type { ApplyResponse } from '../api/types'
import { useFilm } from '../film/film'
import { count } from '../format/number'
import { DATA_VERSION, NOT_RECORDED } from '../format/value'
import { Act, Button, join } from '../ui/controls'
import { Icon } from '../ui/icons'
import type { Change } from '../url/use-explore'
import css from './explore.module.css'
import { useRange } from './grid-rows'

interface Props {
  isPaged: boolean // cards; a table has all rows in one
  answer: ApplyResponse
  page: number
  pageRows: number
  change: Change
  newer: number | null // results that came since; null: none did
  nowVersion: number | undefined
  onNewer: () => void
}

export const StatusLine = memo(function StatusLine({
  isPaged: byPages,
  answer: own,
  page,
  pageRows,
  change,
  newer,
  nowVersion,
  onNewer,
}: Props) {
  const answer = useFilm(({ frame }) => (byPages ? undefined : frame?.rows)) ?? own
  const first = page * pageRows + 1
  const last = page * pageRows + answer.rows.length
  const isPaged = byPages && answer.count > pageRows
  return (
    <div className={byPages ? join(css.status, css.foot) : css.status}>
      {isPaged && (
        <Button
          look="low"
          aria-label="Previous page"
          isDisabled={page === 0}
          onPress={() => change({ page: page - 1 })}
        >
          <span aria-hidden="true">‹</span> Previous
        </Button>
      )}
      {byPages ? <Rows first={first} last={last} answer={answer} /> : <OnScreen answer={answer} />}
      {isPaged && (
        <Button
          look="low"
          aria-label="Next page"
          isDisabled={last >= answer.count}
          onPress={() => change({ page: page + 1 })}
        >
          Next <Icon name="right" small />
        </Button>
      )}
      {!byPages && newer === null && (
        <span className={css.nothings}>“{NOT_RECORDED}” = not recorded · ↑ = higher is better</span>
      )}
      <span className={css.end}>
        <span className={css.version} title={DATA_VERSION}>
          {newer !== null && nowVersion !== undefined && (
            <>
              Data version <span className="n-11">{count(nowVersion)}</span> is available; shown:{' '}
              <span className="n-11">{count(answer.data_version)}</span>
            </>
          )}
        </span>
        <span role="status">
          {newer !== null && <Act onPress={onNewer}>{newer > 0 ? `Show ${count(newer)} newer` : 'Show changes'}</Act>}
        </span>
      </span>
    </div>
  )
})

const Rows = ({ first, last, answer }: { first: number; last: number; answer: ApplyResponse }) => (
  <span
    title={`Response time: ${answer.elapsed_ms < 10 ? answer.elapsed_ms.toFixed(1) : count(answer.elapsed_ms)} ms\nData version: ${count(answer.data_version)}`}
  >
    {answer.rows.length ? (
      <>
        Rows{' '}
        <span className="n-11">
          {count(first)}–{count(last)}
        </span>{' '}
        of <span className="n-11">{count(answer.count)}</span>
      </>
    ) : (
      'No rows'
    )}
  </span>
)

function OnScreen({ answer }: { answer: ApplyResponse }) {
  const { first, last } = useRange()
  return <Rows first={first + 1} last={Math.min(last + 1, answer.count)} answer={answer} />
}
