// Hands a trace to Perfetto in another window, by the messages that its page expects. The file leaves this host.
export const PERFETTO = 'https://ui.perfetto.dev'

const PING_MS = 100
const PATIENCE_MS = 30_000

// Resolves when the window has been sent the file. It must be opened by a click, so before the file is loaded.
export async function sendTrace(window_: Window, name: string, load: () => Promise<ArrayBuffer>) {
  const isReady = new Promise<void>((resolve, reject) => {
    const end = (then: () => void) => {
      clearInterval(ping)
      clearTimeout(patience)
      window.removeEventListener('message', hear)
      then()
    }
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source === window_ && origin === PERFETTO && data === 'PONG') end(resolve)
    }
    const ping = setInterval(() => {
      if (window_.closed) end(() => reject(new Error('its window was closed')))
      else window_.postMessage('PING', PERFETTO)
    }, PING_MS)
    const patience = setTimeout(() => end(() => reject(new Error('it does not respond'))), PATIENCE_MS)
    window.addEventListener('message', hear)
  })
  const [buffer] = await Promise.all([load(), isReady])
  window_.postMessage({ perfetto: { buffer, title: name, fileName: name } }, PERFETTO, [buffer])
}
