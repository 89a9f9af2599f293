// The letter of a side: ink, so that it is no colour that means something.
import css from './tray.module.css'

export const Slot = ({ letter }: { letter: string | undefined }) => <b className={css.slot}>{letter}</b>
