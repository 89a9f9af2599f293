// Times in UTC. Relative ones only below a day, together with the full time.
export function time(text: string, seconds = false) {
  const at = new Date(/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(at.getTime())) return text
  return at
    .toISOString()
    .slice(0, seconds ? 19 : 16)
    .replace('T', ' ')
}

const RELATIVE = /^(now|today)(-\d+[mhdw])?$/
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i

// JavaScript reads 30 February as 2 March.
function isDay(date: string | undefined) {
  const at = new Date(`${date ?? ''}T00:00:00Z`)
  return date !== undefined && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
}

// A typed moment as the server reads it. Without a time it begins the day, without a zone it is in UTC.
export function readTime(text: string): { value: string } | { fault: string } {
  if (RELATIVE.test(text)) return { value: text }
  const [, date, clockTime = '00:00:00', zone = 'Z'] = MOMENT.exec(text) ?? []
  // the server wants seconds
  const moment = `${date ?? ''}T${clockTime}${clockTime.length === 5 ? ':00' : ''}${zone.toUpperCase()}`
  return isDay(date) && !Number.isNaN(new Date(moment).getTime())
    ? { value: moment }
    : { fault: 'Enter a time as 2026-11-19, 2026-11-19 14:12 (UTC) or now-30d.' }
}

export const clock = (at: number) => new Date(at).toISOString().slice(11, 19)

export function span(seconds: number) {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

// A time span that is not known to the second.
export function roughSpan(seconds: number) {
  const minutes = Math.round(seconds / 60)
  return seconds < 90 ? span(seconds) : minutes < 60 ? `${minutes} min` : span(minutes * 60)
}
