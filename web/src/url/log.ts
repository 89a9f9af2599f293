// The state of an experiment's log in the fragment of an address, so that a link leads to a line:
//
//   #log              the section
//   #log-L123         a line
//   #log-L123&find=x  the line, and the text that is searched for
export interface LogState {
  line: number | null
  find: string
}

export function readLog(hash: string): LogState {
  const found = /^#log(?:-L([1-9]\d{0,14}))?(?:&find=(.*))?$/s.exec(hash)
  let find = ''
  try {
    find = decodeURIComponent(found?.[2] ?? '')
  } catch {
    // a fragment that no page has written
  }
  return { line: found?.[1] ? Number(found[1]) : null, find }
}

export const writeLog = ({ line, find }: LogState) =>
  `#log${line === null ? '' : `-L${line}`}${find === '' ? '' : `&find=${encodeURIComponent(find)}`}`
