// Presets as tabs: saved states with a name, and whether the current state differs from the saved one.
import { memo, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'

import { usePresetActions, usePresets } from '../api/queries'
import type { Preset } from '../api/types'
import { Act, IconButton, join } from '../ui/controls'
import { lazyPart } from '../ui/lazy-part'
import { Needs } from '../ui/needs'
import { oneStop } from '../ui/one-stop'
import type { ExploreState } from '../url/explore'
import { paths } from '../url/paths'
import css from './preset-bar.module.css'
import { ALL, bodyOf, copyName, isChanged, type Named, stateOf } from './preset-state'

const PresetDialog = lazyPart(() => import('./preset-dialog').then((module) => module.PresetDialog))

export const PresetBar = memo(function PresetBar({ state }: { state: ExploreState }) {
  const presets = usePresets().data
  const actions = usePresetActions()
  const [, navigate] = useLocation()
  const [dialog, setDialog] = useState<'new' | 'edit' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: any change of the page ends the message
  useEffect(() => setFailure(null), [state])
  if (!presets) return null
  const current = presets.find(({ id }) => id === state.preset) ?? null
  const isOther = isChanged(current, state)
  const show = (preset: Preset | null, replace = false) =>
    navigate(paths.explore(preset ? stateOf(preset) : ALL), { replace })

  const save = async (named: Named) => {
    if (dialog === 'new')
      navigate(paths.explore({ ...state, preset: (await actions.add(bodyOf(state, named))).id }), { replace: true })
    // its name is changed, not what it holds
    else if (current) await actions.replace(current.id, bodyOf(stateOf(current), named))
  }
  const update = () => {
    if (!current) return
    actions.replace(current.id, bodyOf(state, current)).catch((error: Error) => setFailure(error.message))
  }
  const duplicate = async (preset: Preset) =>
    show(
      await actions.add({
        ...bodyOf(stateOf(preset), preset),
        name: copyName(
          preset.name,
          presets.map(({ name }) => name),
        ),
        is_default: false,
      }),
    )
  const drop = async (preset: Preset) => {
    await actions.remove(preset.id)
    show(null, true)
  }
  return (
    <div className={css.bar} {...oneStop}>
      <nav className={css.tabs} aria-label="Presets">
        {[null, ...presets].map((preset) => {
          const isCurrent = preset?.id === current?.id
          return (
            <Link
              key={preset?.id ?? 0}
              href={paths.explore(preset ? stateOf(preset) : ALL)}
              className={css.tab}
              aria-current={isCurrent ? 'true' : undefined}
              title={preset?.description || undefined}
            >
              <bdi>{preset?.name ?? 'All experiments'}</bdi>
              {preset?.is_default && <span className="small dim">default</span>}
              {isCurrent && preset && isOther && (
                <span className={css.unsaved} role="img" aria-label="changed since saved" />
              )}
            </Link>
          )
        })}
      </nav>
      {(current || isOther || failure !== null) && (
        <section className={css.end} aria-label="Current preset">
          {failure !== null && (
            <span role="alert" className={css.failure}>
              {failure}
            </span>
          )}
          {current && isOther && <span className={join('dim', css.words)}>Changed since saved</span>}
          {current && !isOther && current.changed_by !== null && (
            <span className="small dim">
              Saved by <bdi>{current.changed_by}</bdi>
            </span>
          )}
          {current && isOther && <Act onPress={() => show(current)}>Discard</Act>}
          {(current || isOther) && (
            <Needs role="write">
              {current && isOther && <Act onPress={update}>Update</Act>}
              {isOther && <Act onPress={() => setDialog('new')}>Save as…</Act>}
              {current && (
                <IconButton icon="more" name={`Edit preset ${current.name}`} onPress={() => setDialog('edit')} />
              )}
            </Needs>
          )}
        </section>
      )}
      <Suspense fallback={null}>
        {dialog !== null && (
          <PresetDialog
            preset={dialog === 'edit' ? current : null}
            onSave={save}
            onDuplicate={duplicate}
            onRemove={drop}
            onClose={() => setDialog(null)}
          />
        )}
      </Suspense>
    </div>
  )
})
