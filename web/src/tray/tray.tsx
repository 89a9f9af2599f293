// The pinned sides, at the bottom of Explore: remove one, change the baseline, compare.
import { useMemo, useState } from 'react'

import { useComparison } from '../api/queries'
import type { Catalogue } from '../fields/catalogue'
import { namesOfSides, type TrayName, trayNames } from '../names/sides'
import { Act, ButtonLink, IconButton, join } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import { LETTERS, oneOf } from '../url/compare'
import { paths } from '../url/paths'
import { Slot } from './slot'
import { type Pinned, sidesOf, useTray } from './store'
import css from './tray.module.css'

// The names of the pinned sides, with their differences as far as they are known.
function useNames(pinned: Pinned[], catalogue: Catalogue): TrayName[] {
  const request = useMemo(
    () => (pinned.length > 1 ? { sides: sidesOf(pinned), simulated: true, metrics: [] } : null),
    [pinned],
  )
  const { data, isPlaceholderData } = useComparison(request)
  return useMemo(() => {
    if (data && !isPlaceholderData && pinned.length > 1) {
      const ownNames = pinned.map(({ name }) => name)
      return trayNames(namesOfSides(data, sidesOf(pinned), ownNames, catalogue), sidesOf(pinned), ownNames)
    }
    return pinned.map(({ name }) => ({ short: name, full: name, own: '' }))
  }, [data, isPlaceholderData, pinned, catalogue])
}

export function Tray({ catalogue }: { catalogue: Catalogue }) {
  const { pinned, said, remove, move, set } = useTray()
  const [dragged, setDragged] = useState<number | null>(null)
  const names = useNames(pinned, catalogue)
  if (pinned.length === 0)
    return (
      <p className="sr" role="status" aria-label="Tray">
        {said}
      </p>
    )
  return (
    <section className={css.tray} aria-label="Tray" {...oneStop}>
      <span className={css.label}>Compare</span>
      <ol className={css.items}>
        {pinned.map((one, at) => (
          <Item
            key={LETTERS[at]}
            one={one}
            name={names[at] ?? { short: one.name, full: one.name, own: '' }}
            at={at}
            last={pinned.length - 1}
            isDragged={dragged === at}
            onRemove={() => remove(one.side)}
            onMove={(to) => move(at, to)}
            onDrag={setDragged}
            onDrop={() => {
              if (dragged !== null) move(dragged, at)
            }}
          />
        ))}
      </ol>
      <span className={css.hint}>
        {pinned.length < 2 ? (
          <>
            Press <kbd>p</kbd> on a row to add another.
          </>
        ) : (
          <>
            Press <kbd>v</kbd> to compare.
          </>
        )}
      </span>
      <p className="sr" role="status">
        {said}
      </p>
      <span className={css.end}>
        <Act onPress={() => set([])}>Clear</Act>
        {pinned.length > 1 && (
          <ButtonLink look="fill" href={paths.compare({ sides: sidesOf(pinned) })}>
            Compare {pinned.length}
          </ButtonLink>
        )}
      </span>
    </section>
  )
}

interface ItemProps {
  one: Pinned
  name: TrayName
  at: number
  last: number
  isDragged: boolean
  onRemove: () => void
  onMove: (to: number) => void
  onDrag: (at: number | null) => void
  onDrop: () => void
}

function Item({
  one: { side },
  name: { short, full: name, own },
  at,
  last,
  isDragged,
  onRemove,
  onMove,
  onDrag,
  onDrop,
}: ItemProps) {
  return (
    <li
      className={join(css.item, isDragged && css.dragged)}
      data-id={oneOf(side) ?? undefined}
      title={at === 0 ? `${name} (baseline)` : name}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData('text/plain', name)
        onDrag(at)
      }}
      onDragEnd={() => onDrag(null)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
    >
      <Slot letter={LETTERS[at]} />
      {oneOf(side) === null && <Icon name="group" small />}
      <span className="clip">
        {own && (
          <>
            <bdi>{own}</bdi>{' '}
          </>
        )}
        <bdi className={own && 'dim'}>{short}</bdi>
      </span>
      {at > 0 && <IconButton icon="left" name={`Move ${name} forward`} onPress={() => onMove(at - 1)} />}
      {at < last && <IconButton icon="right" name={`Move ${name} back`} onPress={() => onMove(at + 1)} />}
      <IconButton icon="close" name={`Remove ${name}`} onPress={onRemove} />
    </li>
  )
}
