// One configuration: its membership, means with intervals, limits, runs, and the command that starts its server.
import { useMemo } from 'react'
import { Link } from 'wouter'

import frame from '../analysis/analysis.module.css'
import { ServerCommand } from '../analysis/server-command'
import type { ParetoRequest, Slo } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { boundText, count, formFor, showNumber } from '../format/number'
import { Bullet } from '../ui/bullet'
import { Act, ButtonLink, join } from '../ui/controls'
import { Explained } from '../ui/explained'
import { oneStop } from '../ui/one-stop'
import { Pin } from '../tray/pin'
import { paths } from '../url/paths'
import type { ParetoLimit } from '../url/pareto'
import { type Configuration, COSTS, intervalOf, keeps, limitWords, membershipText, percentOf, runs } from './model'
import css from './pareto.module.css'
import type { Axis } from './plot'
import { intervalOr, ONE_RUN, useMeans } from './use-means'

const RUNS_SHOWN = 6
interface Props {
  title: string // why it is shown
  one: Configuration
  axes: [Axis, Axis, ...Axis[]]
  limits: ParetoLimit[]
  slo: Slo | undefined
  nameOf: (id: number) => string
  catalogue: Catalogue
  request: ParetoRequest | null // of the configurations
  other: Configuration | undefined // to compare with
  onClose: (() => void) | null
}

export function Card({ title, one, axes, limits, slo, nameOf, catalogue, request, other, onClose }: Props) {
  const { point, id } = one
  const mean = useMeans(
    useMemo(() => [one], [one]),
    useMemo(() => COSTS.filter((field) => typeof point.row?.cells[field] === 'number'), [point]),
    request,
  )
  const measured = slo?.configurations.find(({ ids }) => ids.includes(id))
  return (
    <section className={join(frame.card, css.parts)} aria-label="Configuration">
      <p className={frame.cardTop}>
        <span>{title}</span>
        {onClose && <Act onPress={onClose}>Close</Act>}
      </p>
      <h2>
        <Link href={paths.experiment(id)} title={one.full}>
          <bdi>{one.name}</bdi>
        </Link>
      </h2>
      {one.name !== one.full && (
        <p className="dim">
          <bdi>{one.full}</bdi>
        </p>
      )}
      <div className={css.values} {...oneStop}>
        <p>
          <Explained
            name="Membership"
            rows={[
              [
                'Definition',
                'Surely: on the frontier in at least 95 % of 1,000 resamples of the runs. Not: in at most 5 %.',
              ],
              ['n', runs(point.ids.length)],
              ['Share', percentOf(point.share)],
            ]}
          >
            {membershipText(point)}
          </Explained>
          {point.knee && (
            <>
              {', '}
              <Explained
                name="Knee"
                rows={[
                  [
                    'Definition',
                    'The point that is furthest from the line through the ends of the frontier, with each metric scaled from 0 to 1.',
                  ],
                  ['n', runs(point.ids.length)],
                ]}
              >
                knee
              </Explained>
            </>
          )}
          .
        </p>
        <dl>
          {axes.map(({ field, form }, i) => {
            const value = point.values[i]
            return (
              value?.mean != null && (
                <div key={field.id}>
                  <dt>{longName(field)}</dt>
                  <dd>
                    <Explained
                      name={longName(field)}
                      rows={[
                        ['Definition', field.help || field.id],
                        ['n', runs(point.ids.length)],
                        ['95 % CI', intervalOr(value, form)],
                      ]}
                    >
                      {showNumber(value.mean, form)}
                    </Explained>{' '}
                    {form.unit}
                    <small>{value.low === null ? ONE_RUN : intervalOf(value, form)}</small>
                  </dd>
                </div>
              )
            )
          })}
          {COSTS.map((id) => {
            const newest = point.row?.cells[id]
            const field = catalogue.get(id)
            // a metric has its mean above
            if (typeof newest !== 'number' || axes.some((axis) => axis.field.id === id)) return null
            const value = mean(one.id, id)
            const form = formFor(field, [value?.mean ?? newest])
            return (
              <div key={id}>
                <dt>{longName(field)}</dt>
                <dd>
                  <Explained
                    name={longName(field)}
                    rows={[
                      ['Definition', `${field.help}. Mean of the runs.`],
                      ['n', runs(point.ids.length)],
                      ['95 % CI', value ? intervalOr(value, form) : 'loading'],
                      ['Source', 'The stored prices, under Prices'],
                    ]}
                  >
                    {showNumber(value?.mean ?? newest, form)}
                  </Explained>{' '}
                  {form.unit}
                  <small>{value ? (value.low === null ? ONE_RUN : intervalOf(value, form)) : '…'}</small>
                </dd>
              </div>
            )
          })}
          {limits.map((limit, i) => {
            const field = catalogue.get(limit.field)
            // the answer to earlier limits remains while the next one loads
            const value = slo?.limits[i]?.field === limit.field ? measured?.values[i] : undefined
            const mean = value?.mean ?? null
            const form = formFor(field, [mean])
            return (
              <div key={`${limit.field} ${limit.op}`}>
                <dt>
                  {limitWords(limit, catalogue)} {boundText(limit.value, form)} {form.unit}
                </dt>
                <dd>
                  {mean === null ? (
                    'not known'
                  ) : (
                    <>
                      <Explained
                        name={`${longName(field)} and its limit`}
                        rows={[
                          ['Definition', field.help || field.id],
                          ['n', runs(point.ids.length)],
                          ['95 % CI', value ? intervalOr(value, form) : ''],
                          ['Headroom', `${percentOf(value?.headroom ?? null)} of the limit is unused`],
                        ]}
                      >
                        {showNumber(mean, form)}
                      </Explained>{' '}
                      {form.unit}
                      <small>
                        {keeps(limit, mean) ? 'kept' : 'broken'}
                        {value?.headroom != null && `, headroom ${percentOf(value.headroom)}`}
                      </small>
                    </>
                  )}
                </dd>
                {mean !== null && limit.value > 0 && (
                  <dd className={css.headroom}>
                    <Bullet
                      value={mean}
                      limit={limit.value}
                      color={keeps(limit, mean) ? 'trusted' : 'degraded'}
                      label={`${showNumber(mean, form)} of ${boundText(limit.value, form)} ${form.unit}`.trim()}
                    />
                  </dd>
                )}
              </div>
            )
          })}
        </dl>
      </div>
      {measured && (
        <p>
          Keeps all limits: <b>{measured.feasible}</b>.
        </p>
      )}
      {point.dominated_by.length > 0 && (
        <p>
          Beaten by{' '}
          {point.dominated_by.map((by, i) => (
            <span key={by}>
              {i > 0 && ', '}
              <Link className="inline" href={paths.experiment(by)}>
                <bdi>{nameOf(by)}</bdi>
              </Link>
            </span>
          ))}
          .
        </p>
      )}
      <p {...oneStop}>
        {runs(point.ids.length)}:{' '}
        {point.ids.slice(-RUNS_SHOWN).map((run, i) => (
          <span key={run}>
            {i > 0 && ', '}
            <Link className="inline" href={paths.experiment(run)}>
              {run}
            </Link>
          </span>
        ))}
        {point.ids.length > RUNS_SHOWN && ` and ${count(point.ids.length - RUNS_SHOWN)} earlier`}
      </p>
      <ServerCommand id={id}>
        <Pin side={{ ids: point.ids }} name={one.name} look="line" />
        {other && (
          <ButtonLink
            look="line"
            href={paths.compare({
              sides: [
                { ids: point.ids, label: one.name },
                { ids: other.point.ids, label: other.name },
              ],
            })}
          >
            Compare with {other.point.knee ? 'the knee' : 'the best'}
          </ButtonLink>
        )}
      </ServerCommand>
    </section>
  )
}
