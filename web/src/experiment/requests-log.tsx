// The marked request in words, and the way from it to the log of the server.
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { causeOf } from '../api/client'
import { logLines } from '../api/queries'
import type { Experiment } from '../api/types'
import { formOfUnit, showNumber } from '../format/number'
import { secondsText } from '../series/lanes-plot'
import { Act, Note } from '../ui/controls'
import { findLineAt, runAfterFirstLine } from './log-times'
import { useMarkedRow } from './requests-marked'
import css from './requests.module.css'

interface Props {
  experiment: Experiment
  search: string
  onLog: ((line: number) => void) | null // null: the log is not stored
  onUnmark: () => void
}

export function MarkedRequest({ experiment, search, onLog, onUnmark }: Props) {
  const row = useMarkedRow(experiment.id, search)
  const client = useQueryClient()
  const zero = runAfterFirstLine(experiment)
  const start = row?.['start_s']
  const year = Number(String(experiment.fields['run.timestamp']?.value ?? '').slice(0, 4))
  const find = useMutation({
    mutationFn: (second: number) =>
      findLineAt((offset, limit) => logLines(client, experiment.id, offset, limit), second, year),
    onSuccess: (line) => {
      if (line !== null) onLog?.(line)
    },
  })
  if (!row) return null
  const duration = row['duration_ms']
  const canFind = onLog !== null && zero !== null && year > 0 && typeof start === 'number'
  return (
    <div className={css.chosen} role="group" aria-label="Marked request">
      <p>
        Request <span className="n">{String(row['index'])}</span> is marked
        {typeof start === 'number' && `: start ${secondsText(start, 1)}`}
        {typeof duration === 'number' && `, duration ${showNumber(duration, formOfUnit('ms', [duration]))} ms`}.
      </p>
      {canFind && (
        <Act isDisabled={find.isPending} onPress={() => find.mutate(zero + start)}>
          Show the log at its start
        </Act>
      )}
      <Act onPress={onUnmark}>Unmark</Act>
      {find.data === null && <p role="status">The lines of the log have no times.</p>}
      {find.error && (
        <Note kind="warn" role="alert">
          <b>Could not search the log.</b> {causeOf(find.error)}
        </Note>
      )}
    </div>
  )
}
