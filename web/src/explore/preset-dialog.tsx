// Edits the name and the purpose of a preset, duplicates it and deletes it.
import { type FormEvent, useState } from 'react'

import type { Preset } from '../api/types'
import { Button, Check, Field as TextField, IconButton } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import css from './preset-bar.module.css'
import type { Named } from './preset-state'

interface Props {
  preset: Preset | null // null: a new one
  onSave: (named: Named) => Promise<void>
  onDuplicate: (preset: Preset) => Promise<void>
  onRemove: (preset: Preset) => Promise<void>
  onClose: () => void
}

export function PresetDialog({ preset, onSave, onDuplicate, onRemove, onClose }: Props) {
  const [name, setName] = useState(preset?.name ?? '')
  const [description, setDescription] = useState(preset?.description ?? '')
  const [isDefault, setDefault] = useState(preset?.is_default ?? false)
  const [isSure, setSure] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const act = async (work: Promise<void>) => {
    setBusy(true)
    setFailure(null)
    try {
      await work
      onClose()
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') void act(onSave({ name: name.trim(), description, is_default: isDefault }))
  }
  return (
    <Dialog label={preset ? `Preset ${preset.name}` : 'Save as a preset'} onClose={onClose}>
      <form className={css.form} onSubmit={save}>
        <div className={css.head}>
          <h2>{preset ? 'Preset' : 'Save as a preset'}</h2>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </div>
        <div className={css.labeled}>
          <span aria-hidden="true">Name</span>
          <TextField
            label="Name"
            maxLength={200}
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div className={css.labeled}>
          <span aria-hidden="true">Purpose, optional</span>
          <TextField
            label="Purpose"
            maxLength={2000}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </div>
        <Check isSelected={isDefault} onChange={setDefault}>
          Open Explore with this preset
        </Check>
        {!preset && (
          <p className="small dim">
            A preset stores filters, columns and sort order. All users of this dashboard see it.
          </p>
        )}
        {failure !== null && (
          <p role="alert" className={css.wrong}>
            {failure}
          </p>
        )}
        <div className={css.foot}>
          <span>
            {preset &&
              (isSure ? (
                <Button look="line" isDisabled={isBusy} onPress={() => void act(onRemove(preset))}>
                  Confirm deletion
                </Button>
              ) : (
                <Button isDisabled={isBusy} onPress={() => setSure(true)}>
                  Delete
                </Button>
              ))}
            {preset && (
              <Button isDisabled={isBusy} onPress={() => void act(onDuplicate(preset))}>
                Duplicate
              </Button>
            )}
          </span>
          <Button look="fill" type="submit" isDisabled={isBusy || name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
