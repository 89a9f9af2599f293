// The button that pins or unpins an experiment.
import { type Side } from '../url/compare'
import { Button } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Slot } from './slot'
import { slotOf, useTray } from './store'

export function Pin({
  side,
  name,
  words = 'Pin to compare',
  look = 'low',
}: {
  side: Side
  name: string
  words?: string
  look?: 'low' | 'line' | 'quiet'
}) {
  const { pinned, toggle } = useTray()
  const letter = slotOf(pinned, side)
  return (
    <Button
      look={look}
      aria-pressed={letter !== undefined}
      aria-label={letter === undefined ? `${words}: ${name}` : `Unpin ${letter}: ${name}`}
      onPress={() => toggle(side, name)}
    >
      {letter === undefined ? <Icon name="pin" /> : <Slot letter={letter} />}
      {letter === undefined ? words : 'Pinned'}
    </Button>
  )
}
