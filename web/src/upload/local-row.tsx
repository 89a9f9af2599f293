// A file that this page has not sent yet, or does not send.
import { bytes } from '../format/number'
import { Act, join, Meter } from '../ui/controls'
import { State } from '../ui/verdict'
import { fileName } from './file-name'
import { type Entry, isUnsent, type Sender } from './sender'
import css from './upload.module.css'

const LOOKS: Record<Entry['state'], [look: string, word: string]> = {
  waiting: ['queued', 'queued'],
  reading: ['reading', 'reading'],
  sending: ['reading', 'sending'],
  failed: ['failed', 'failed'],
  cancelled: ['cancelled', 'cancelled'],
  held: ['conflict', 'waiting'],
  refused: ['failed', 'too large'],
  passed: ['cancelled', 'skipped'],
}

interface Props {
  entry: Entry
  sender: Sender
  index: number
  measure: (element: Element | null) => void
}

export function LocalRow({ entry, sender, index, measure }: Props) {
  const [look, word] = LOOKS[entry.state]
  const isSending = entry.state === 'sending'
  return (
    <div role="row" aria-rowindex={index + 2} ref={measure} data-index={index} className={css.row}>
      <span role="cell">
        <State state={look} word={isSending && entry.share > 0 ? `${word} ${Math.floor(entry.share * 100)} %` : word} />
      </span>
      <span role="rowheader" className={css.file} title={entry.name}>
        <bdi>{fileName(entry.name)}</bdi>
      </span>
      <span role="cell" className={css.size}>
        {bytes(entry.file.size)}
      </span>
      <span role="cell" className={css.form}>
        {entry.artifact ? `artifact: ${entry.artifact.kind.replaceAll('_', ' ')}` : ''}
      </span>
      <span role="cell" className={css.result}>
        {isSending && entry.artifact ? (
          <span className={css.bar}>
            <Meter
              label={`Progress of ${entry.name}`}
              done={Math.round(entry.share * 100)}
              total={100}
              parts={[{ share: entry.share, color: 'accent' }]}
            />
          </span>
        ) : (
          entry.why
        )}
      </span>
      <span role="cell" className={css.act}>
        <LocalActs entry={entry} sender={sender} />
      </span>
    </div>
  )
}

function LocalActs({ entry, sender }: { entry: Entry; sender: Sender }) {
  const { key, name, state, way } = entry
  const leave = (word: string) => (
    <Act aria-label={`${word} ${name}`} onPress={() => void sender.leave(key)}>
      {word}
    </Act>
  )
  if (way)
    return (
      <Act aria-label={`Cancel ${name}`} onPress={() => way.abort()}>
        Cancel
      </Act>
    )
  if (state === 'waiting') return leave('Remove')
  if (!isUnsent(entry)) return null
  return (
    <span className={join(css.acts)}>
      <Act aria-label={`Retry ${name}`} onPress={() => void sender.again((other) => other === entry)}>
        Retry
      </Act>
      {leave('Skip')}
    </span>
  )
}
