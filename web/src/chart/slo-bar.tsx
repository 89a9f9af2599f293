// The SLO as a number, and the best result within it with the command that started its server.
import { useEffect, useId, useState } from 'react'
import { Link } from 'wouter'

import { useBest, useExperiments } from '../api/queries'
import { type Catalogue, longName } from '../fields/catalogue'
import { boundText, count, formFor, showNumber } from '../format/number'
import { readQuantity } from '../format/read'
import { nameOf } from '../format/value'
import { Act, Field as TextField, IconButton } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import { paths } from '../url/paths'
import css from './chart.module.css'
import { type Chart, type Named, unitOf } from './items'
import { usePointName } from './point-name'
import { bestRequest, commandOf, countsSimulated, goalOf, namedOf, type Slo, THROUGHPUT } from './slo'

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
  const trusted = useBest(bestRequest(chart, slo, goal, 'trusted'), round)
  const lacksTrusted = trusted.data?.count === 0
  const unjudged = useBest(lacksTrusted ? bestRequest(chart, slo, goal, null) : null, round)
  const isUnjudged = lacksTrusted && (unjudged.data?.count ?? 0) > 0
  const best = lacksTrusted ? unjudged : trusted
  const row = best.data?.rows[0]
  const [experiment] = useExperiments([isMoving || !row ? null : row.id])
  const value = row?.cells[goal.id]
  const name = usePointName(row?.id ?? null, row ? nameOf(row) : null)
  const kind = countsSimulated(chart) ? 'trusted' : 'trusted, measured'
  const results = best.data?.count === 1 ? 'result' : 'results'
  return (
    <div className={css.slo} role="group" aria-label="SLO" {...oneStop}>
      <Limit label={`${longName(named.field)} at most`} named={named} value={slo.value} onChange={onChange} />
      <p role="status" className={css.best} aria-busy={isMoving || undefined}>
        {best.error && <>Could not find the best result. {best.error.message}</>}
        {row && typeof value === 'number' && (
          <>
            <span className={css.result}>
              <span>Best within the SLO{isUnjudged && ', no verdict'}: </span>
              <Link className="clip" href={paths.experiment(row.id)} title={name.full}><bdi>{name.short}</bdi></Link>
              <span>, <b className="n-12">{showNumber(value, formFor(goal, [value]))}</b> {formFor(goal, [value]).unit}</span>
            </span>
            <Command document={experiment?.id === row.id ? experiment.document : undefined} />
          </>
        )}
        {best.data && !row && <>No {kind} result is within the SLO, and no result without a verdict.</>}
        {row && <span className={css.by}>of {count(best.data?.count ?? 0)} {isUnjudged ? `${results} without a verdict` : `${kind} ${results} within`}</span>}
      </p>
      <IconButton icon="close" name="Remove the SLO" onPress={onRemove} />
    </div>
  )
}

// An SLO that the chart cannot draw, so that no limit of the address is invisible.
export function IdleSlo({ slo: { field, value }, catalogue, isScatter, onRemove }: { slo: { field: string; value: number }; catalogue: Catalogue; isScatter: boolean; onRemove: () => void }) {
  const limited = catalogue.get(field)
  const form = formFor(limited, [value])
  return (
    <div className={css.slo} role="group" aria-label="SLO">
      <p className={css.best}>SLO: {longName(limited)} ≤ {showNumber(value, form)} {form.unit} is not shown, because {isScatter ? 'no axis has this field' : 'only a scatter plot can show it'}.</p>
      <IconButton icon="close" name="Remove the SLO" onPress={onRemove} />
    </div>
  )
}

function Command({ document }: { document: unknown }) {
  const [copied, setCopied] = useState<string | null>(null)
  const command = commandOf(document)
  useEffect(() => {
    const timer = setTimeout(() => setCopied(null), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  if (document === undefined) return null
  if (command === null) return <span className={css.by}>no server command recorded</span>
  const copy = async () => {
    await navigator.clipboard.writeText(command)
    setCopied(command)
  }
  return (
    <span className={css.command}>
      <code className="clip" title={command}>{command}</code>
      <Act onPress={() => void copy()}><span aria-live="polite">{copied === command ? 'Copied' : 'Copy command'}</span></Act>
    </span>
  )
}

// Reads "500" in the unit of the field, and "0.5 s".
function Limit({ label, named, value, onChange }: { label: string; named: Named; value: number; onChange: (value: number) => void }) {
  const [text, setText] = useState<string | null>(null) // null: not edited
  const why = useId()
  useEffect(() => setText(null), [value]) // a limit that is set elsewhere replaces what was typed
  const read = text === null ? { value } : readQuantity(named.field, text)
  const fault = 'fault' in read ? read.fault : read.value === null || read.value > 0 ? '' : 'An SLO is greater than 0.'
  const commit = () => {
    if (fault) return
    setText(null)
    if ('value' in read && read.value !== null && read.value !== value) onChange(read.value)
  }
  return (
    <span className={css.limit}>
      SLO: {named.name} ≤
      <TextField label={label} number value={text ?? boundText(value, named.form)} invalid={fault !== ''} aria-describedby={fault ? why : undefined} onChange={(event) => setText(event.target.value)} onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit()
          if (event.key === 'Escape') setText(null)
        }} />
      {unitOf(named)}
      {fault && <span id={why} role="alert" className={css.why}>{fault}</span>}
    </span>
  )
}
