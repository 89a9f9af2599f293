// Exports all matching experiments as a file of a chosen format, with their provenance.
import { useEffect, useRef, useState } from 'react'

import { download } from '../api/client'
import type { ExportRequest, Filter, Sort } from '../api/types'
import { bytes, count } from '../format/number'
import { Button, Check, IconButton, Segment } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import { save } from '../ui/save'
import css from './preset-bar.module.css'

const TYPED = 'Columns have the type of their field; its unit and definition are in the metadata of the column.'
const NOTES: Record<string, string> = {
  csv: 'Text that a spreadsheet would run as a formula is escaped.',
  parquet: TYPED,
  arrow: TYPED,
}

interface Props {
  tree: Filter | undefined
  sort: Sort[]
  columns: string[]
  rows: number
  onClose: () => void
}

export function ExportDialog({ tree, sort, columns, rows, onClose }: Props) {
  const [form, setForm] = useState('csv')
  const [which, setWhich] = useState('shown')
  const [provenance, setProvenance] = useState(true)
  const [sent, setSent] = useState<number | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const start = async () => {
    abort.current = new AbortController()
    setFailure(null)
    setSent(0)
    const request: ExportRequest = {
      sort,
      columns: which === 'shown' ? ['run.name', ...columns.filter((id) => id !== 'run.name')] : null,
      provenance,
      link: window.location.href,
    }
    try {
      const { name, blob } = await download(
        `/api/export/${form}`,
        tree ? { ...request, filter: tree } : request,
        setSent,
        abort.current.signal,
      )
      save(name, blob)
      onClose()
    } catch (error) {
      setSent(null)
      if (!(error instanceof DOMException)) setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Dialog label="Export" onClose={onClose}>
      <div className={css.form}>
        <div className={css.head}>
          <h2>
            Export {count(rows)} {rows === 1 ? 'experiment' : 'experiments'}
          </h2>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </div>
        <div>
          <Segment
            label="Format"
            value={form}
            onChange={setForm}
            options={[
              ['csv', 'CSV'],
              ['json', 'JSON'],
              ['parquet', 'Parquet'],
              ['arrow', 'Arrow'],
            ]}
          />
        </div>
        <div>
          <Segment
            label="Columns"
            value={which}
            onChange={setWhich}
            options={[
              ['shown', `Shown columns (${count(columns.length)})`],
              ['all', 'All recorded columns'],
            ]}
          />
        </div>
        <Check isSelected={provenance} onChange={setProvenance}>
          {form === 'csv' ? 'Include provenance in comment lines' : 'Include provenance'}
        </Check>
        <p className="small dim">
          Provenance is the filter, order, data version, time and link. Numbers have full precision. Values that are not
          recorded are empty. {NOTES[form]}
        </p>
        {failure !== null && (
          <p role="alert" className={css.wrong}>
            {failure}
          </p>
        )}
        <div className={css.foot}>
          <span role="status" className="small mid">
            {sent !== null && (sent > 0 ? `${bytes(sent)} so far` : 'Waiting…')}
          </span>
          {sent !== null && <Button onPress={() => abort.current?.abort()}>Cancel</Button>}
          <Button look="fill" isDisabled={sent !== null} onPress={() => void start()}>
            Export
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
