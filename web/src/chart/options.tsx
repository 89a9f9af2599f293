// Rarely used options: the statistic and its spread, the order of the axes, ranges as numbers.
import { useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'

import type { Catalogue } from '../fields/catalogue'
import { type Choices, withChoice } from '../filter/model'
import { endsOf, withEnds } from '../filter/range'
import { RangeInputs, useEnds } from '../filter/range-inputs'
import { isNumeric } from '../format/number'
import { Button, Check, IconButton, Segment, Select } from '../ui/controls'
import controls from '../ui/controls.module.css'
import type { ChartState, Spread, Stat } from '../url/chart'
import { STATS } from '../url/chart'
import css from './chart.module.css'
import type { Chart, Named } from './items'
import { isList, KINDS } from './kind-rows'
import { spreadOf, SPREAD_WORDS, spreadsOf, STAT_WORDS } from './model'

interface Props {
  state: ChartState
  chart: Chart | null
  choices: Choices
  catalogue: Catalogue
  onChange: (part: Partial<ChartState>) => void
  onChoose: (choices: Choices) => void
}

export function Options(props: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton
        ref={button}
        icon="more"
        name="Chart options"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <Popover
          isOpen
          triggerRef={button}
          placement="bottom end"
          onOpenChange={setOpen}
          className={controls.pop ?? ''}
        >
          <Dialog aria-label="Chart options" className={css.menu ?? ''}>
            <Menu {...props} />
            <Button look="line" onPress={() => setOpen(false)}>
              Done
            </Button>
          </Dialog>
        </Popover>
      )}
    </>
  )
}

// Axes of numbers, by what they are called here.
function rangesOf({ x, y, value, axes }: Chart): [string, Named][] {
  const all: [string, Named | null][] = axes.length
    ? axes.map((axis, i) => [String(i + 1), axis])
    : [
        ['y', y],
        ['x', x],
        ['value', value],
      ]
  return all.filter((pair): pair is [string, Named] => pair[1] !== null && !pair[1].kinds && isNumeric(pair[1].field))
}

function Menu({ state, chart, choices, onChange, onChoose }: Props) {
  const { stat, spread, isFromZero } = KINDS[state.kind]
  const ranges = chart ? rangesOf(chart) : []
  return (
    <>
      {stat && (
        <div className={css.group}>
          <h3>Statistic per {stat}</h3>
          <Segment
            label={`Statistic per ${stat}`}
            value={state.stat}
            onChange={(next) => onChange({ stat: next as Stat })}
            options={STATS.map((one) => [one, STAT_WORDS[one]])}
          />
        </div>
      )}
      {spread && (
        <div className={css.group}>
          <h3>{spread === 'whiskers' ? 'Whiskers' : 'Error bars'}</h3>
          {spread === 'whiskers' ? (
            <Select
              label="Whiskers"
              value={spreadOf(state) === 'range' ? 'range' : 'iqr'}
              onChange={(next) => onChange({ spread: next as Spread })}
              options={[
                ['iqr', 'p5 to p95'],
                ['range', SPREAD_WORDS.range],
              ]}
            />
          ) : (
            <Select
              label="Error bars"
              value={spreadOf(state)}
              onChange={(next) => onChange({ spread: next as Spread })}
              options={spreadsOf(state.stat).map((one) => [one, SPREAD_WORDS[one]])}
            />
          )}
        </div>
      )}
      {isFromZero && (
        <div className={css.group}>
          <h3>Axis</h3>
          <Check
            isSelected={!state.fromData}
            isDisabled={state.logY === true}
            onChange={(zero) => onChange({ fromData: !zero })}
          >
            {KINDS[state.kind].nouns[1]} from zero
          </Check>
        </div>
      )}
      {isList(state.kind) && chart && <Order chart={chart} onOrder={(axes) => onChange({ axes })} />}
      {ranges.length > 0 && (
        <div className={css.group}>
          <h3>Filter by range</h3>
          {ranges.map(([role, axis]) => (
            <Between key={role} axis={axis} role={role} choices={choices} onChoose={onChoose} />
          ))}
          <p className={css.why}>You can also draw a region on the chart.</p>
        </div>
      )}
    </>
  )
}

// Lines are read between adjacent axes, so the user chooses their order.
function Order({ chart, onOrder }: { chart: Chart; onOrder: (axes: string[]) => void }) {
  const ids = chart.axes.map(({ field }) => field.id)
  const swap = (at: number) => onOrder(ids.with(at, ids[at + 1] ?? '').with(at + 1, ids[at] ?? ''))
  return (
    <div className={css.group}>
      <h3>Axes from left to right</h3>
      <ol className={css.order}>
        {chart.axes.map(({ name }, at) => (
          <li key={at}>
            <span className="clip">{name}</span>
            <IconButton icon="up" name={`${name} to the left`} isDisabled={at === 0} onPress={() => swap(at - 1)} />
            <IconButton
              icon="lower"
              name={`${name} to the right`}
              isDisabled={at === ids.length - 1}
              onPress={() => swap(at)}
            />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Between({
  axis,
  role,
  choices,
  onChoose,
}: {
  axis: Named
  role: string
  choices: Choices
  onChoose: (choices: Choices) => void
}) {
  const { id } = axis.field
  const [ends, setEnds, flush] = useEnds(endsOf(choices[id]), (next) =>
    onChoose(withChoice(choices, id, withEnds(choices[id], next))),
  )
  return (
    <div className={css.between}>
      <span>
        <span className="dim">{role}</span> {axis.name}
      </span>
      <RangeInputs name={`${role}: ${axis.name}`} field={axis.field} ends={ends} onChange={setEnds} onDone={flush} />
    </div>
  )
}
