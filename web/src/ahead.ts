// The first script of the page (vite.config.ts), which runs before the larger ones have arrived: it requests what the
// page of an experiment shows. The server has to read the files of a long run before it can respond.
import { keepAhead, requestAhead } from './api/ahead'
import { artifactsPath, experimentPath, requestsPath, seriesPath } from './api/experiment-paths'
import type { Artifacts, Experiment } from './api/types'
import { conditionsOf, measuredRun, rowsQuestion, timelineQuestion, wholeQuestion } from './experiment/asked'
import { readRequests } from './url/requests'
import { readTimeline } from './url/timeline'

async function bodyOf<T>(response: Promise<Response>) {
  const answer = await response
  return answer.ok ? ((await answer.clone().json()) as T) : null
}

// The page requests the parts by the number of the experiment, which is in its document.
async function requestExperiment(part: string) {
  const id = decodeURIComponent(part)
  const answer = requestAhead(experimentPath(id))
  keepAhead(experimentPath(id), answer)
  keepAhead('/api/fields', requestAhead('/api/fields'))
  const listed = requestAhead(artifactsPath(id))
  const document = bodyOf<Experiment>(answer)
  const files = (await bodyOf<Artifacts>(listed))?.artifacts ?? []
  const isStored = (kind: string) => files.some((file) => file.kind === kind)
  const timeline = readTimeline(window.location.search)
  const state = readRequests(window.location.search)
  const conditions = conditionsOf(state, timeline.range)
  const questions = [wholeQuestion(conditions)]
  if (state.sort === '' && state.page === 1) questions.push(rowsQuestion(conditions, '', 1))
  const requests = (isStored('requests') ? questions : []).map((one) => ({
    path: (number: number) => requestsPath(number, one),
    response: requestAhead(requestsPath(id, one)),
  }))
  // without a range, the start of the measured run does not matter
  const experiment = timeline.range && (await document)
  const question = timelineQuestion(timeline, experiment && (measuredRun(experiment)?.[0] ?? null), window.innerWidth)
  const series = isStored('series') ? requestAhead(seriesPath(id, question)) : null
  const number = (await document)?.id
  if (number === undefined) return
  keepAhead(artifactsPath(number), listed)
  for (const { path, response } of requests) keepAhead(path(number), response)
  if (series) keepAhead(seriesPath(number, question), series)
}

// The scripts and styles of the page, which the main script would request only when it has run.
function requestFiles() {
  const files = document.querySelector<HTMLMetaElement>('meta[name="experiment-files"]')?.content.split(' ') ?? []
  for (const href of files) {
    const link = document.createElement('link')
    const isScript = href.endsWith('.js')
    document.head.append(
      Object.assign(
        link,
        isScript ? { rel: 'modulepreload', href } : { rel: 'preload', as: 'style', crossOrigin: '', href },
      ),
    )
  }
}

const id = /^\/experiments\/([^/]+)$/.exec(window.location.pathname)?.[1]
if (id !== undefined) {
  requestExperiment(id).catch(() => {})
  requestFiles()
}
