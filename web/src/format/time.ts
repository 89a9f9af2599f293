// Times in UTC; relative ones only below a day, with the full time beside them.
export function time(text: string, seconds = false) {
  const at = new Date(/[Zz]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  if (Number.isNaN(at.getTime())) return text
  return at.toISOString().slice(0, seconds ? 19 : 16).replace('T', ' ')
}

export const clock = (at: number) => new Date(at).toISOString().slice(11, 19)

export function span(seconds: number) {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

// What nobody knows to the second.
export function roughSpan(seconds: number) {
  const minutes = Math.round(seconds / 60)
  return seconds < 90 ? span(seconds) : minutes < 60 ? `${minutes} min` : span(minutes * 60)
}
