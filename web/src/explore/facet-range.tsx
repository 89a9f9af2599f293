// A range with its histogram: two thumbs that move by bins, and two inputs for the same bounds. The histogram shows what the other
// filters leave; grey is outside the choice.
import { Slider, SliderThumb, SliderTrack } from 'react-aria-components'

import type { Facet } from '../api/types'
import { longName } from '../fields/catalogue'
import { type Ends, endsOf, withEnds } from '../filter/range'
import { RangeInputs, useEnds } from '../filter/range-inputs'
import { numberedEdges } from '../format/bin-ticks'
import { boundText, type Form, formOfScale, plainNumber, shortNumber } from '../format/number'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const PX = 252
const HIGH = 40
const LETTER_PX = 6.7 // of the mono face at 11 px

export function NumberRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const { edges, counts } = facet.histogram ?? { edges: [], counts: [] }
  const form = formOfScale(field, edges)
  const [ends, setEnds, flush] = useEnds(endsOf(choice), (next) => onChoose(withEnds(choice, next), { typing: field.id }))
  const name = longName(field)
  return (
    <div className={css.range}>
      {counts.length > 0 && <Histogram name={name} edges={edges} counts={counts} ends={ends} form={form} />}
      {counts.length > 0 && <Thumbs name={name} edges={edges} ends={ends} form={form} onChange={setEnds} onEnd={flush} />}
      {counts.length > 0 && <Ticks edges={edges} form={form} />}
      <RangeInputs name={name} field={field} ends={ends} onChange={setEnds} onDone={flush} />
    </div>
  )
}

function Histogram({ name, edges, counts, ends, form }: { name: string; edges: number[]; counts: number[]; ends: Ends; form: Form }) {
  const most = Math.max(1, ...counts)
  const width = PX / counts.length
  const isChosen = ends[0] !== null || ends[1] !== null
  const chosen = !isChosen ? 'all' : `${ends[0] === null ? '' : `from ${boundText(ends[0], form)} `}${ends[1] === null ? '' : `up to ${boundText(ends[1], form)}`}`
  return (
    <svg viewBox={`0 0 ${PX} ${HIGH}`} preserveAspectRatio="none" role="img"
      aria-label={`Histogram of ${name}, ${plainNumber(edges[0] ?? 0, form)} to ${plainNumber(edges.at(-1) ?? 0, form)} ${form.unit}. Chosen: ${chosen}.`}>
      {counts.map((n, i) => {
        // the accent is for what is chosen; where nothing is, nothing is outside either
        const inside = isChosen && (ends[1] === null || (edges[i] ?? 0) <= ends[1]) && (ends[0] === null || (edges[i + 1] ?? 0) >= ends[0])
        const high = n ? Math.max(1.5, (n / most) * HIGH) : 0
        return <rect key={i} x={i * width + 0.5} y={HIGH - high} width={Math.max(1, width - 1)} height={high} fill={`var(--${inside ? 'accent' : 'mark-quiet'})`} />
      })}
    </svg>
  )
}

// The numbers under the edges of bins, none beyond the ends of the axis.
function Ticks({ edges, form }: { edges: number[]; form: Form }) {
  const last = edges.length - 1
  const words = (edge: number) => shortNumber(edge, form, true)
  const places = numberedEdges(edges, PX, (edge) => words(edge).length * LETTER_PX)
  return (
    <div className={`n-11 ${css.ticks ?? ''}`} aria-hidden="true">
      {places.map((i) => {
        const text = words(edges[i] ?? 0)
        return <span key={i} style={{ left: `clamp(${text.length / 2}ch, ${(i / last) * 100}%, calc(100% - ${text.length / 2}ch))` }}>{text}</span>
      })}
    </div>
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
              <SliderThumb key={end} index={i} aria-label={`${name}, ${end ?? ''} ${plainNumber(edges[Number(at)] ?? 0, form)} ${form.unit}`} className={css.thumb ?? ''} />
            ))}
          </>
        )}
      </SliderTrack>
    </Slider>
  )
}
