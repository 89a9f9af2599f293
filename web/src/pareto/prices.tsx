// The editor of the stored prices: one price per GPU, their currency, and the emissions of the electricity.
import { useId, useRef, useState } from 'react'

import { ApiError, causeOf } from '../api/client'
import { usePrices, useReloadPrices, useSavePrices } from '../api/prices'
import { useValues } from '../api/queries'
import type { Prices } from '../api/types'
import { time } from '../format/time'
import { Act, Button, Field, IconButton, Note } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import { Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import css from './prices.module.css'
import { draftOf, isFault, type PriceDraft, readPrices, requestOfDraft, withFile } from './prices-model'

const GPU = 'system.hardware_info.gpu_name'
const GPUS_MOST = 100
const OTHER_REVISION = 412

export function PricesButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look="line" aria-haspopup="dialog" onPress={() => setOpen(true)}>
        Prices
      </Button>
      {isOpen && <PricesDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function PricesDialog({ onClose }: { onClose: () => void }) {
  const prices = usePrices()
  const reload = useReloadPrices()
  const gpus = useValues({ field: GPU, search: '' }, 0, GPUS_MOST)
  const error = prices.error ?? gpus.error
  const seen = gpus.data?.values.map(({ value }) => value).filter((value) => typeof value === 'string')
  return (
    <Dialog label="Prices" onClose={onClose}>
      <div className={css.window}>
        <div className={css.head}>
          <h2>Prices</h2>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </div>
        {error ? (
          <Note kind="bad" role="alert">
            <b>Could not load the prices.</b> {causeOf(error)}{' '}
            <Act onPress={() => void (prices.error ? prices.refetch() : gpus.refetch())}>Retry</Act>
          </Note>
        ) : prices.data && seen ? (
          <Editor key={prices.data.revision} prices={prices.data} seen={seen} onReload={reload} onClose={onClose} />
        ) : (
          <p role="status">Loading the prices…</p>
        )}
      </div>
    </Dialog>
  )
}

interface EditorProps {
  prices: Prices
  seen: string[] // GPUs of results
  onReload: () => void
  onClose: () => void
}

function Editor({ prices, seen, onReload, onClose }: EditorProps) {
  const [draft, setDraft] = useState<PriceDraft>(() => draftOf(prices, seen))
  const [fault, setFault] = useState<string | null>(null) // of a file
  const picker = useRef<HTMLInputElement>(null)
  const why = useId()
  const save = useSavePrices(onClose)
  const request = requestOfDraft(draft)
  const unit = draft.currency.trim() ? `${draft.currency.trim()} per hour` : 'per hour'
  const take = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    input.value = '' // choosing the same file again is a change
    if (!file) return
    const read = readPrices(await file.text())
    if ('fault' in read) return setFault(`${file.name}: ${read.fault}`)
    setFault(null)
    setDraft(withFile(draft, read))
  }
  const isOther = save.error instanceof ApiError && save.error.status === OTHER_REVISION
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (request) save.mutate({ prices: request, revision: prices.revision })
      }}
    >
      <p className="small dim">
        The price of one GPU per hour. The fields of cost and carbon follow from these numbers, for all users of this
        dashboard.
      </p>
      <div className={css.rest}>
        <div>
          <span aria-hidden="true">Currency</span>
          <Field
            label="Currency"
            value={draft.currency}
            maxLength={8}
            placeholder="EUR"
            onChange={(event) => setDraft({ ...draft, currency: event.target.value })}
          />
        </div>
        <div>
          <span aria-hidden="true">Grid emissions</span>
          <Field
            label="Grid emissions in g CO2e per kWh"
            number
            value={draft.carbon}
            placeholder="380"
            invalid={isFault(draft.carbon)}
            aria-describedby={isFault(draft.carbon) ? why : undefined}
            onChange={(event) => setDraft({ ...draft, carbon: event.target.value })}
          />
          <span className="dim" aria-hidden="true">
            g CO₂e per kWh
          </span>
        </div>
      </div>
      {draft.rows.length === 0 ? (
        <p>No result names a GPU yet. Import a CSV file, or upload results first.</p>
      ) : (
        <div className={css.list} tabIndex={0} role="region" aria-label="Prices of GPUs" aria-description="Scrolls">
          <table className={page.rows}>
            <thead>
              <tr>
                <th scope="col">GPU</th>
                <th scope="col" className={page.num}>
                  Price, {unit}
                </th>
              </tr>
            </thead>
            <tbody>
              {draft.rows.map((row, at) => (
                <tr key={row.gpu}>
                  <th scope="row">
                    <bdi>{row.gpu}</bdi>
                  </th>
                  <td className={page.num}>
                    <span className={css.price}>
                      <Field
                        label={`Price of ${row.gpu}, ${unit}`}
                        number
                        value={row.perHour}
                        placeholder="unknown"
                        invalid={isFault(row.perHour)}
                        aria-describedby={isFault(row.perHour) ? why : undefined}
                        onChange={(event) =>
                          setDraft({ ...draft, rows: draft.rows.with(at, { ...row, perHour: event.target.value }) })
                        }
                      />
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {request === null && (
        <p id={why} role="alert" className={css.wrong}>
          A price or the emissions is not a number. Enter a number such as 2.49, or leave it empty.
        </p>
      )}
      {fault !== null && (
        <p role="alert" className={css.wrong}>
          Could not read {fault}.
        </p>
      )}
      {save.error && (
        <p role="alert" className={css.wrong}>
          {isOther ? 'Someone else has changed the prices.' : `Could not save the prices. ${causeOf(save.error)}`}{' '}
          {isOther && <Act onPress={onReload}>Load their prices</Act>}
        </p>
      )}
      <div className={css.foot}>
        <input
          ref={picker}
          type="file"
          accept=".csv,text/csv"
          hidden
          aria-label="CSV file of prices"
          data-testid="prices-file"
          onChange={(event) => void take(event.currentTarget)}
        />
        <Button onPress={() => picker.current?.click()}>Import CSV</Button>
        <span className="small mid">
          {prices.changed_at !== null && (
            <>
              Changed {time(prices.changed_at)}
              {prices.changed_by !== null && (
                <>
                  {' by '}
                  <bdi>{prices.changed_by}</bdi>
                </>
              )}
            </>
          )}
        </span>
        <Button onPress={onClose}>Cancel</Button>
        <Needs role="admin">
          <Button look="fill" type="submit" {...((request === null || save.isPending) && { isDisabled: true })}>
            Save
          </Button>
        </Needs>
      </div>
    </form>
  )
}
