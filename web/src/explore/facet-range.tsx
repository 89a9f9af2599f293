// A range with its histogram: two thumbs that go by bins, two inputs that say the same. The histogram shows
// what the other filters leave; grey is outside the choice.
import { useId, useState } from 'react'
import { Slider, SliderThumb, SliderTrack } from 'react-aria-components'

import type { Facet, Scalar } from '../api/types'
import { longName } from '../fields/catalogue'
import type { Choice } from '../filter/model'
import { COMMA_WORDS, type Form, formFor, readNumber, showNumber } from '../format/number'
import { Field as TextField } from '../ui/controls'
import { useDraft } from '../ui/use-draft'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const PX = 252
const HIGH = 40
type Ends = [number | null, number | null]

const asNumber = (end: Scalar | null | undefined): number | null =>
  end === 'inf' ? Infinity : end === '-inf' ? -Infinity : typeof end === 'number' ? end : null
const asScalar = (end: number | null): Scalar | null => (end === null || Number.isFinite(end) ? end : end > 0 ? 'inf' : '-inf')
const shown = (value: number, form: Form) =>
  Number.isFinite(value) ? Number((value * form.scale).toPrecision(8)).toLocaleString('en-GB', { maximumFractionDigits: 8 }) : value > 0 ? 'inf' : '-inf'

export function NumberRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const { edges, counts } = facet.histogram ?? { edges: [], counts: [] }
  const form = formFor({ ...field, role: 'output' }, edges)
  const commit = (ends: Ends) => {
    const rest: Choice = { ...choice }
    delete rest.range
    const range: [Scalar | null, Scalar | null] = [asScalar(ends[0]), asScalar(ends[1])]
    onChoose(range[0] === null && range[1] === null ? rest : { ...rest, range }, { typing: field.id })
  }
  const [ends, setEnds, flush] = useDraft<Ends>([asNumber(choice?.range?.[0]), asNumber(choice?.range?.[1])], commit)
  const name = longName(field)
  return (
    <div className={css.range}>
      {counts.length > 0 && <Histogram name={name} edges={edges} counts={counts} ends={ends} form={form} />}
      {counts.length > 0 && <Thumbs name={name} edges={edges} ends={ends} form={form} onChange={setEnds} onEnd={flush} />}
      {counts.length > 0 && (
        <div className={`n-11 ${css.ends ?? ''}`}>
          <span>{showNumber(edges[0] ?? 0, form)}</span>
          <span>{showNumber(edges.at(-1) ?? 0, form)}</span>
        </div>
      )}
      <div className={css.inputs}>
        <End label={`${name}, from`} placeholder="min" value={ends[0]} form={form} onChange={(end) => setEnds([end, ends[1]])} onDone={flush} />
        –
        <End label={`${name}, to`} placeholder="max" value={ends[1]} form={form} onChange={(end) => setEnds([ends[0], end])} onDone={flush} />
        <span>{form.unit}</span>
      </div>
    </div>
  )
}

function Histogram({ name, edges, counts, ends, form }: { name: string; edges: number[]; counts: number[]; ends: Ends; form: Form }) {
  const most = Math.max(1, ...counts)
  const width = PX / counts.length
  const isChosen = ends[0] !== null || ends[1] !== null
  const chosen = !isChosen ? 'all' : `${ends[0] === null ? '' : `from ${shown(ends[0], form)} `}${ends[1] === null ? '' : `up to ${shown(ends[1], form)}`}`
  return (
    <svg viewBox={`0 0 ${PX} ${HIGH}`} preserveAspectRatio="none" role="img"
      aria-label={`Histogram of ${name}, ${shown(edges[0] ?? 0, form)} to ${shown(edges.at(-1) ?? 0, form)} ${form.unit}. Chosen: ${chosen}.`}>
      {counts.map((n, i) => {
        // the accent is for what is chosen; where nothing is, nothing is outside either
        const inside = isChosen && (ends[1] === null || (edges[i] ?? 0) <= ends[1]) && (ends[0] === null || (edges[i + 1] ?? 0) >= ends[0])
        const high = n ? Math.max(1.5, (n / most) * HIGH) : 0
        return <rect key={i} x={i * width + 0.5} y={HIGH - high} width={Math.max(1, width - 1)} height={high} fill={`var(--${inside ? 'accent' : 'mark-quiet'})`} />
      })}
    </svg>
  )
}

// The nearest edge: what was typed may lie between two.
export function edgeOf(edges: number[], value: number) {
  if (value === Infinity) return edges.length - 1
  let best = 0
  edges.forEach((edge, i) => { if (Math.abs(edge - value) < Math.abs((edges[best] ?? 0) - value)) best = i })
  return best
}

function Thumbs({ name, edges, ends, form, onChange, onEnd }: { name: string; edges: number[]; ends: Ends; form: Form; onChange: (ends: Ends) => void; onEnd: () => void }) {
  const last = edges.length - 1
  const low = ends[0] === null ? 0 : edgeOf(edges, ends[0])
  const high = ends[1] === null ? last : Math.max(low, edgeOf(edges, ends[1]))
  const move = (value: number | number[]) => {
    const [from = 0, to = last] = value as number[]
    // a thumb that was not moved keeps what was typed
    onChange([from === low ? ends[0] : from === 0 ? null : (edges[from] ?? null), to === high ? ends[1] : to === last ? null : (edges[to] ?? null)])
  }
  return (
    <Slider aria-label={`Range of ${name}`} className={css.slider ?? ''} minValue={0} maxValue={last} step={1} value={[low, high]} onChange={move} onChangeEnd={onEnd}>
      <SliderTrack className={css.track ?? ''}>
        {() => (
          <>
            {(ends[0] !== null || ends[1] !== null) && <span className={css.fill} style={{ left: `${(low / last) * 100}%`, right: `${100 - (high / last) * 100}%` }} />}
            {[['from', low], ['to', high]].map(([end, at], i) => (
              <SliderThumb key={end} index={i} aria-label={`${name}, ${end ?? ''} ${shown(edges[Number(at)] ?? 0, form)} ${form.unit}`} className={css.thumb ?? ''} />
            ))}
          </>
        )}
      </SliderTrack>
    </Slider>
  )
}

function End({ label, placeholder, value, form, onChange, onDone }: { label: string; placeholder: string; value: number | null; form: Form; onChange: (value: number | null) => void; onDone: () => void }) {
  const [text, setText] = useState<string | null>(null) // null: nobody types
  const written = value === null ? '' : shown(value, form)
  const invalid = text !== null && Number.isNaN(readNumber(text))
  const why = useId()
  return (
    <>
      <TextField label={label} number placeholder={placeholder} value={text ?? written} invalid={invalid} aria-describedby={invalid ? why : undefined}
        onChange={(event) => {
          setText(event.target.value)
          const next = readNumber(event.target.value)
          if (next === null || !Number.isNaN(next)) onChange(next === null ? null : Number((next / form.scale).toPrecision(12)))
        }}
        onBlur={() => { setText(null); onDone() }}
        onKeyDown={(event) => { if (event.key === 'Enter') onDone() }} />
      {invalid && <span id={why} role="alert" className={css.why}>{text.includes(',') ? COMMA_WORDS : 'This is no number.'}</span>}
    </>
  )
}
