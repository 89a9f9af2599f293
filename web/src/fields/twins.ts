// Latencies that are measured twice: from events (TTFT, ITL, TPOT, as vLLM's client does) and from tokens. They are
// equal where each event carries one token and the first event carries text.
const TWINS: Record<string, string> = {
  first_token_ms: 'ttft_ms',
  token_gap_ms: 'itl_ms',
  time_per_token_ms: 'tpot_ms',
  first_token_planned_ms: 'ttft_planned_ms',
}
const FAMILY = /^(results\.(?:mean|median|std|p[\d.]+)_)(.+)$/

// The field that measures the same from events; null if there is none.
export function twinOf(id: string): string | null {
  const [, start, family = ''] = FAMILY.exec(id) ?? []
  const twin = TWINS[family]
  return start !== undefined && twin !== undefined ? `${start}${twin}` : null
}
