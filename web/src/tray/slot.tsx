// The letter of a side, in the color of text: other colors have a meaning.
import css from './tray.module.css'

export const Slot = ({ letter }: { letter: string | undefined }) => <b className={css.slot}>{letter}</b>
