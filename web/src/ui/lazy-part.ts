// Parts of the page whose scripts load when they are shown. A failed script is requested again. If the server has
// another build, whose files have other names, the page reloads once.
import { type ComponentType, lazy } from 'react'

const TRIES = 4
const PAUSE_MS = 500
const RELOADED = 'reloaded for'

const pause = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
const scriptOf = (html: Document) => html.querySelector('script[type="module"][src]')?.getAttribute('src') ?? ''

// The script of the build that the server has now; null if the server does not respond.
async function servedScript() {
  try {
    const answer = await fetch('/', { cache: 'no-store', headers: { Accept: 'text/html' } })
    return answer.ok ? scriptOf(new DOMParser().parseFromString(await answer.text(), 'text/html')) : null
  } catch {
    return null
  }
}

function reloadOnce(script: string) {
  if (sessionStorage.getItem(RELOADED) === script) return false
  sessionStorage.setItem(RELOADED, script)
  window.location.reload()
  return true
}

// A failed style sheet remains in the head, and import() does not request it again, so it is removed. One that is still
// loading also has no sheet, but must remain, because import() waits for it.
const failedStyles = new Set<HTMLLinkElement>()
window.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target)
  },
  true,
)

const reviveStyle = (link: HTMLLinkElement) =>
  new Promise<void>((resolve, reject) => {
    failedStyles.delete(link)
    if (!link.isConnected) return resolve()
    const again = link.cloneNode() as HTMLLinkElement
    again.onload = () => resolve()
    again.onerror = () => reject(new Error(`could not load ${link.href}`))
    link.replaceWith(again)
  })

let revived: Promise<unknown> = Promise.resolve()
// One at a time: the second caller waits for the requests of the first.
const reviveStyles = () =>
  (revived = revived.catch(() => {}).then(() => Promise.all([...failedStyles].map(reviveStyle))))

async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      await reviveStyles()
      return await load()
    } catch (error) {
      const served = await servedScript()
      if (served !== null) failures += 1 // while the server is away, tries do not count
      if (served && served !== scriptOf(document) && reloadOnce(served)) return await new Promise<T>(() => {})
      if (failures >= TRIES) throw new Error('The server did not deliver a script of this page.', { cause: error })
      await pause(PAUSE_MS * 2 ** failures)
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a component of any properties, as React's own lazy() takes
export const lazyPart = <T extends ComponentType<any>>(load: () => Promise<T>) =>
  lazy(async () => ({ default: await loadPart(load) }))
