// Baselines: a choice of public results, drawn in gray, with their source, date and differences.
import { useState } from 'react'

import { causeOf } from '../api/client'
import { useBaselines, useRemoveBaseline } from '../api/planner'
import type { BaselineHead, BaselineLine } from '../api/types'
import { Act, Check, Note } from '../ui/controls'
import { Needs } from '../ui/needs'
import { differenceWords, lineName, originOf, originsOf, plural } from './model'
import css from './planner.module.css'

interface Props {
  chosen: number[]
  lines: BaselineLine[]
  moreCount: number
  outsideCount?: number // points that the drawing leaves out
  isAnswered: boolean // whether `lines` are those of `chosen`
  error: Error | null
  onRetry: () => void
  onChange: (chosen: number[]) => void
}

export function Baselines({ chosen, lines, moreCount, outsideCount = 0, isAnswered, error, onRetry, onChange }: Props) {
  const { data } = useBaselines()
  const all = data?.baselines ?? []
  if (all.length === 0) return null
  return (
    <section aria-label="Baselines">
      <fieldset className={css.axes}>
        <legend>Baselines</legend>
        {all.map((one, i) => (
          <Choice
            key={one.id}
            one={one}
            isFirst={i === 0}
            isChosen={chosen.includes(one.id)}
            onChange={(is) => onChange(is ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))}
          />
        ))}
      </fieldset>
      {chosen.length > 0 && error && (
        <Note kind="bad" role="alert">
          <b>Could not load the baselines.</b> {causeOf(error)} <Act onPress={onRetry}>Retry</Act>
        </Note>
      )}
      {chosen.length > 0 && !error && (
        <p role="status">
          {lines.length === 0
            ? isAnswered
              ? 'No row of these baselines has both metrics.'
              : 'Loading the baselines…'
            : `Gray: ${plural(lines.length, 'line')} of public results, ${originsOf(lines)}${moreCount > 0 ? `; ${plural(moreCount, 'further line')} differ more and are not drawn` : ''}${outsideCount > 0 ? `; ${plural(outsideCount, 'point')} outside the axes` : ''}. They are not among the experiments.`}
        </p>
      )}
      {lines.length > 0 && (
        <details>
          <summary>Sources and differences</summary>
          <ul className={css.lines}>
            {lines.map((line, i) => (
              <li key={i}>
                <bdi>{lineName(line)}</bdi>: {originOf(line)}. <span className="dim">{differenceWords(line)}.</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Choice({
  one,
  isFirst,
  isChosen,
  onChange,
}: {
  one: BaselineHead
  isFirst: boolean // only the first one shows why nothing can be deleted
  isChosen: boolean
  onChange: (is: boolean) => void
}) {
  const [asks, setAsks] = useState(false)
  const removal = useRemoveBaseline()
  return (
    <span className={css.acts}>
      <Check isSelected={isChosen} onChange={onChange}>
        <bdi>{one.name}</bdi> <span className="dim">{plural(one.row_count, 'row')}</span>
      </Check>
      {asks ? (
        <>
          <Act
            onPress={() => {
              onChange(false)
              removal.mutate(one.id)
            }}
          >
            Delete “{one.name}”
          </Act>
          <Act onPress={() => setAsks(false)}>Keep</Act>
        </>
      ) : (
        <Needs role="admin" isListed={!isFirst}>
          <Act aria-label={`Delete baseline ${one.name}`} onPress={() => setAsks(true)}>
            Delete
          </Act>
        </Needs>
      )}
      {removal.error && (
        <Note kind="bad" role="alert">
          Could not delete the baseline. {causeOf(removal.error)}
        </Note>
      )}
    </span>
  )
}
