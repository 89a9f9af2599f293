// Capacity: the GPUs that a load needs, with each configuration that keeps the limits.
import { useEffect, useId, useState } from 'react'

import type { Slo } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count, formFor, showNumber } from '../format/number'
import { type Quantity, readQuantity } from '../format/read'
import { NOT_RECORDED } from '../format/value'
import { Act, Field as TextField } from '../ui/controls'
import { Explained, ExplainedHead } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import { type ParetoState, USUAL_MARGIN } from '../url/pareto'
import type { ParetoChange } from '../url/use-pareto'
import { needsOf, type Need } from './capacity'
import { type Configuration, intervalOf, RATE, runs } from './model'
import css from './pareto.module.css'

const ROWS_MOST = 20

interface Props {
  state: ParetoState
  change: ParetoChange
  catalogue: Catalogue
  all: Configuration[]
  slo: Slo | undefined // the answer to the limits and a minimum of RATE
  isBusy: boolean
  onOpen: (id: number) => void
}

export function Capacity({ state, change, catalogue, all, slo, isBusy, onOpen }: Props) {
  const { load, margin } = state
  const rate = catalogue.get(RATE)
  const needs = load !== null && slo ? needsOf(all, slo, load, margin / 100) : null
  return (
    <section className={page.block} aria-label="Capacity">
      <div className={page.blockHead}>
        <h2>Capacity</h2>
        <p>the GPUs that a load needs, with each configuration that keeps all limits</p>
      </div>
      <div className={css.limits}>
        <Quantified
          label="Load to serve"
          unit="req/s"
          value={load}
          read={(text) => positive(readQuantity(rate, text))}
          onChange={(next) => change({ load: next })}
        />
        <Quantified
          label="Margin"
          unit="%"
          value={margin}
          read={(text) => notNegative(readQuantity({ ...rate, unit: '' }, text.replace(/%\s*$/, '')))}
          onChange={(next) => change({ margin: next ?? USUAL_MARGIN })}
        />
        <p role="status" aria-busy={isBusy || undefined}>
          {load === null
            ? 'Enter a load to count the GPUs.'
            : needs
              ? summaryOf(needs, load, margin, state.limits.length > 0)
              : 'Counting…'}
        </p>
      </div>
      {needs && needs.length > 0 && (
        <>
          <Needs {...{ needs, catalogue, load: load ?? 0, margin, onOpen }} />
          <p className={css.assumed}>
            {needs.length > ROWS_MOST &&
              `${count(needs.length - ROWS_MOST)} further configurations need as many or more. `}
            The count assumes equal servers that share the load evenly, requests as long as the measured ones, and each
            server at its measured load. Nothing is interpolated, and bursts must fit into the margin.
          </p>
        </>
      )}
    </section>
  )
}

const positive = (read: Quantity): Quantity =>
  'value' in read && read.value !== null && !(read.value > 0 && Number.isFinite(read.value))
    ? { fault: 'Enter a number above 0.' }
    : read
const notNegative = (read: Quantity): Quantity =>
  'value' in read && read.value !== null && !(read.value >= 0 && Number.isFinite(read.value))
    ? { fault: 'Enter a number from 0.' }
    : read

const servers = (n: number) => `${count(n)} ${n === 1 ? 'server' : 'servers'}`
const gpus = (n: number) => `${count(n)} ${n === 1 ? 'GPU' : 'GPUs'}`
const amount = (load: number) => String(Number(load.toPrecision(6)))

function summaryOf([best]: Need[], load: number, margin: number, hasLimits: boolean) {
  if (!best) return hasLimits ? 'No configuration with a known rate keeps all limits.' : 'No configuration has a rate.'
  const { one, gpus: need, gpusMost } = best
  const asked = `${amount(load)} req/s and a margin of ${amount(margin)} %`
  const most = gpusMost !== null && gpusMost !== need ? `, at most ${gpus(gpusMost)} by the 95 % CI` : ''
  return need === null
    ? `${asked} need ${servers(best.servers)} of ${one.name}, whose GPUs are not recorded.`
    : `${asked} need ${gpus(need)}${most}: ${servers(best.servers)} of ${one.name}.`
}

interface NeedsProps {
  needs: Need[]
  catalogue: Catalogue
  load: number
  margin: number
  onOpen: (id: number) => void
}

function Needs({ needs, catalogue, load, margin, onOpen }: NeedsProps) {
  const rate = catalogue.get(RATE)
  const form = formFor(
    rate,
    needs.map((need) => need.rate),
  )
  const formula = (need: Need) =>
    `${amount(load)} × ${amount(1 + margin / 100)} / ${showNumber(need.rate, form)}, rounded up: ${servers(need.servers)}`
  return (
    <div className={page.scroll} tabIndex={0} role="region" aria-label="Capacity table" aria-description="Scrolls">
      <table className={page.rows} {...oneStop}>
        <thead>
          <tr>
            <th scope="col">Configuration</th>
            <th scope="col">GPU</th>
            <ExplainedHead
              name={longName(rate)}
              unit={`${form.unit} per server`}
              className={page.num}
              rows={[
                ['Definition', `${rate.help || rate.id}. Mean of the runs.`],
                ['n', 'the runs of the configuration, under GPUs'],
                ['95 % CI', "Student's interval over the runs, in the next column"],
              ]}
            />
            <th scope="col" className={page.num}>
              95 % CI
            </th>
            <th scope="col" className={page.num}>
              GPUs per server
            </th>
            <th scope="col" className={page.num}>
              Servers
            </th>
            <th scope="col" className={page.num}>
              GPUs
            </th>
            <th scope="col">Within limits</th>
          </tr>
        </thead>
        <tbody>
          {needs.slice(0, ROWS_MOST).map((need) => (
            <tr key={need.one.at}>
              <th scope="row">
                <Act prints onPress={() => onOpen(need.one.id)}>
                  {need.one.name}
                </Act>
              </th>
              <td>
                <bdi>{need.gpu ?? NOT_RECORDED}</bdi>
              </td>
              <td className={page.num}>{showNumber(need.rate, form)}</td>
              <td className={page.num}>{intervalOf(need, form)}</td>
              <td className={page.num}>{need.perServer === null ? NOT_RECORDED : count(need.perServer)}</td>
              <td className={page.num}>{count(need.servers)}</td>
              <td className={page.num}>
                {need.gpus === null ? (
                  NOT_RECORDED
                ) : (
                  <>
                    <Explained
                      name="GPUs for the load"
                      rows={[
                        [
                          'Definition',
                          'Load with its margin / request rate of one server, rounded up, × GPUs per server.',
                        ],
                        ['Calculation', `${formula(need)} × ${count(need.perServer ?? 0)}`],
                        ['n', runs(need.one.point.ids.length)],
                        [
                          '95 % CI',
                          need.gpusMost === null
                            ? 'unknown: one run'
                            : `at most ${gpus(need.gpusMost)}, at the lower end of the rate`,
                        ],
                      ]}
                    >
                      {count(need.gpus)}
                    </Explained>
                    {need.gpusMost !== null && need.gpusMost !== need.gpus && (
                      <small>at most {count(need.gpusMost)}</small>
                    )}
                  </>
                )}
              </td>
              <td>{need.feasible}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface QuantifiedProps {
  label: string
  unit: string
  value: number | null
  read: (text: string) => Quantity
  onChange: (value: number | null) => void
}

// A number that counts once it is typed: Enter, or the next field. Escape restores it.
function Quantified({ label, unit, value, read, onChange }: QuantifiedProps) {
  const [text, setText] = useState<string | null>(null) // null: not edited
  const why = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a value that is set elsewhere replaces the typed text
  useEffect(() => setText(null), [value])
  const result = text === null ? { value } : read(text)
  const fault = 'fault' in result ? result.fault : ''
  const shown = text ?? (value === null ? '' : amount(value))
  const commit = () => {
    if (fault || !('value' in result)) return
    setText(null)
    if (result.value !== value) onChange(result.value)
  }
  return (
    <span className={css.limit} role="group" aria-label={label} {...oneStop}>
      <span className={css.limitName}>{label}</span>
      <span className={css.number} style={{ width: `calc(${Math.max(6, shown.length)}ch + 26px)` }}>
        <TextField
          label={`${label} in ${unit}`}
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
      {unit}
      {fault && (
        <span id={why} role="alert" className={css.why}>
          {fault}
        </span>
      )}
    </span>
  )
}
