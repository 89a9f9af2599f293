// Shows the reason for which a busy server is asked again (patient in api/queries.ts).
import { busySeconds } from '../api/client'
import css from './waiting.module.css'

export function Waiting({ queries }: { queries: { isFetching: boolean; failureReason: Error | null }[] }) {
  const busy = queries.find(({ isFetching, failureReason }) => isFetching && busySeconds(failureReason) !== null)
  return busy?.failureReason ? (
    <p role="status" className={css.waiting}>
      {waitingText(busy.failureReason)}
    </p>
  ) : null
}

export const waitingText = ({ message }: Error) => `Waiting for the server: ${message.replace(/; retry later$/, '')}.`
