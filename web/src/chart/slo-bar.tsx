// The SLO as a number, and the best result within it with the command that started its server.
import { useEffect, useId, useState } from 'react'
import { Link } from 'wouter'

import { causeOf } from '../api/client'
import { useBest, useExperiments } from '../api/queries'
import type { Field } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { boundText, count, formFor, showNumber } from '../format/number'
import { readQuantity } from '../format/read'
import { nameOf } from '../format/value'
import { Act, Field as TextField, IconButton } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import { paths } from '../url/paths'
import css from './chart.module.css'
import { type Chart, type Named, unitOf } from './items'
import { lowerFirst } from './model'
import { namingColumns, usePointName } from './point-name'
import {
  type Best,
  bestMark,
  bestRequest,
  commandOf,
  goalOf,
  mixedWords,
  namedOf,
  ranksMarks,
  type Slo,
  THROUGHPUT,
} from './slo'

const COPIED_MS = 2000

interface Props {
  chart: Chart
  catalogue: Catalogue
  round: number
  slo: Slo
  isMoving: boolean // the line is dragged
  onChange: (value: number) => void
  onRemove: () => void
}

export function SloBar({ chart, catalogue, round, slo, isMoving, onChange, onRemove }: Props) {
  const named = namedOf(chart, slo.axis)
  const goal = goalOf(chart, slo.axis, catalogue.get(THROUGHPUT))
  const { best, row, isUnjudged, isKnown, error } = useBestWithin(chart, slo, goal, round, catalogue)
  const [experiment] = useExperiments([isMoving || !best ? null : best.id])
  const name = usePointName(best?.id ?? null, best?.own ?? null, row)
  const mixed = mixedWords(chart)
  const form = formFor(goal, [best?.goal])
  return (
    <div className={css.slo} role="group" aria-label="SLO" {...oneStop}>
      <Limit label={`${longName(named.field)} at most`} named={named} value={slo.value} onChange={onChange} />
      <p role="status" className={css.best} aria-busy={isMoving || undefined}>
        {error && <>Could not find the best result. {causeOf(error)}</>}
        {best && (
          <>
            <span className={css.result}>
              Best within SLO{mixed && ` across ${mixed}`}:{' '}
              <Link href={paths.experiment(best.id)} title={name.full}>
                <bdi>{name.short}</bdi>
              </Link>
              : <b className="n-12">{showNumber(best.goal, form)}</b> {form.unit}, {lowerFirst(named.name)}{' '}
              <b className="n-12">{showNumber(best.limited, formFor(named.field, [best.limited]))}</b> {unitOf(named)}{' '}
              <span className={css.by}>
                ({count(best.count)} {isUnjudged ? '' : 'trusted '}
                {best.count === 1 ? 'result' : 'results'}
                {isUnjudged && ' without a verdict'} {best.count === 1 ? 'meets' : 'meet'} it)
              </span>
            </span>
            <Command document={experiment?.id === best.id ? experiment.document : undefined} />
          </>
        )}
        {isKnown && !best && <NoneWithin chart={chart} slo={slo} goal={goal} named={named} round={round} />}
      </p>
      <IconButton icon="close" name="Remove the SLO" onPress={onRemove} />
    </div>
  )
}

// Returns the best result: from the server for the results of a filter, from the chart for matched inputs.
function useBestWithin(chart: Chart, slo: Slo, goal: Field, round: number, catalogue: Catalogue) {
  const naming = namingColumns(catalogue)
  const isOfMarks = ranksMarks(chart) && [chart.x, chart.y].some((axis) => axis?.field.id === goal.id)
  const trusted = useBest(isOfMarks ? null : bestRequest(chart, slo, goal, 'trusted', naming), round)
  const lacksTrusted = trusted.data?.count === 0
  const unjudged = useBest(!isOfMarks && lacksTrusted ? bestRequest(chart, slo, goal, null, naming) : null, round)
  if (isOfMarks) {
    const best = bestMark(chart, slo, goal, 'trusted')
    return {
      best: best ?? bestMark(chart, slo, goal, null),
      row: undefined,
      isUnjudged: best === null,
      isKnown: true,
      error: null,
    }
  }
  const found = lacksTrusted ? unjudged : trusted
  const row = found.data?.rows[0]
  const [value, limited] = [row?.cells[goal.id], row?.cells[namedOf(chart, slo.axis).field.id]]
  const best: Best | null =
    row && typeof value === 'number' && typeof limited === 'number'
      ? { id: row.id, own: nameOf(row), goal: value, limited, count: found.data?.count ?? 0 }
      : null
  return { best, row, isUnjudged: lacksTrusted, isKnown: found.data !== undefined, error: found.error }
}

// Explains why no result is shown: none is within the limit, or none of those is trusted.
function NoneWithin({
  chart,
  slo,
  goal,
  named,
  round,
}: Pick<Props, 'chart' | 'slo' | 'round'> & { goal: Field; named: Named }) {
  const within = useBest(bestRequest(chart, slo, goal, 'any'), round)
  const nearest = useBest(bestRequest(chart, { axis: slo.axis, value: null }, goal, 'any'), round)
  const least = nearest.data?.rows[0]?.cells[named.field.id]
  if (!within.data || !nearest.data) return null
  if (within.data.count > 0)
    return (
      <>
        No trusted result meets the SLO. {count(within.data.count)}{' '}
        {within.data.count === 1 ? 'other result does.' : 'other results do.'}
      </>
    )
  return (
    <>
      No result meets the SLO
      {typeof least === 'number' && (
        <>
          ; the lowest {lowerFirst(named.name)} is {showNumber(least, formFor(named.field, [least]))} {unitOf(named)}
        </>
      )}
      .
    </>
  )
}

// An SLO that the chart cannot draw, so that no limit of the address is invisible.
export function IdleSlo({
  slo: { field, value },
  catalogue,
  isScatter,
  onRemove,
}: {
  slo: { field: string; value: number }
  catalogue: Catalogue
  isScatter: boolean
  onRemove: () => void
}) {
  const limited = catalogue.get(field)
  const form = formFor(limited, [value])
  return (
    <div className={css.slo} role="group" aria-label="SLO">
      <p className={css.best}>
        SLO: {longName(limited)} ≤ {showNumber(value, form)} {form.unit} is not shown, because{' '}
        {isScatter ? 'no axis has this field' : 'only a scatter plot can show it'}.
      </p>
      <IconButton icon="close" name="Remove the SLO" onPress={onRemove} />
    </div>
  )
}

function Command({ document }: { document: unknown }) {
  const [copied, setCopied] = useState<string | null>(null)
  const command = commandOf(document)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts again with each copy
  useEffect(() => {
    const timer = setTimeout(() => setCopied(null), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  if (document === undefined) return null
  if (command === null) return null
  const copy = async () => {
    await navigator.clipboard.writeText(command)
    setCopied(command)
  }
  return (
    <span className={css.command}>
      <code className="clip" title={command}>
        {command}
      </code>
      <Act onPress={() => void copy()}>
        <span aria-live="polite">{copied === command ? 'Copied' : 'Copy command'}</span>
      </Act>
    </span>
  )
}

// Reads "500" in the unit of the field, and "0.5 s".
function Limit({
  label,
  named,
  value,
  onChange,
}: {
  label: string
  named: Named
  value: number
  onChange: (value: number) => void
}) {
  const [text, setText] = useState<string | null>(null) // null: not edited
  const why = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a limit that is set elsewhere replaces what was typed
  useEffect(() => setText(null), [value])
  const read = text === null ? { value } : readQuantity(named.field, text)
  const fault = 'fault' in read ? read.fault : read.value === null || read.value > 0 ? '' : 'Enter a number above 0.'
  const shown = text ?? boundText(value, named.form)
  const commit = () => {
    if (fault) return
    setText(null)
    if ('value' in read && read.value !== null && read.value !== value) onChange(read.value)
  }
  return (
    <span className={css.limit}>
      SLO: {named.name} ≤
      <span className={css.number} style={{ width: `calc(${shown.length}ch + 26px)` }}>
        <TextField
          label={label}
          number
          value={shown}
          invalid={fault !== ''}
          aria-describedby={fault ? why : undefined}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
            if (event.key === 'Escape') setText(null)
          }}
        />
      </span>
      {unitOf(named)}
      {fault && (
        <span id={why} role="alert" className={css.why}>
          {fault}
        </span>
      )}
    </span>
  )
}
