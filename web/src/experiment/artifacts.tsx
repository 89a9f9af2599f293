// Artifacts: the other files of the run.
import { causeOf } from '../api/client'
import { at } from '../api/contract'
import { useArtifacts } from '../api/queries'
import { bytes, count } from '../format/number'
import { time } from '../format/time'
import { Act, Note } from '../ui/controls'
import page from '../ui/page.module.css'

const KINDS: Record<string, string> = {
  requests: 'one record per request',
  series: 'telemetry',
  server_log: 'log of the server',
  client_log: 'log of vLLM’s client',
  client_plot: 'plot of vLLM’s client',
  timeline: 'requests over time',
  dataset_stats: 'lengths of prompts and outputs',
  trace: 'profiler trace',
  capture: 'captured network traffic',
}

export function Artifacts({ id }: { id: number }) {
  const artifacts = useArtifacts(id)
  const { artifacts: list = [], missing: absent = [] } = artifacts.data ?? {}
  if (artifacts.error)
    return (
      <section className={page.block} id="artifacts" aria-label="Artifacts">
        <Note kind="warn" role="alert">
          <b>Could not load the artifacts.</b> {causeOf(artifacts.error)}{' '}
          <Act onPress={() => void artifacts.refetch()}>Retry</Act>
        </Note>
      </section>
    )
  return (
    <section className={page.block} id="artifacts" aria-label="Artifacts">
      <div className={page.blockHead}>
        <h2>Artifacts</h2>
        <p>
          {artifacts.data
            ? list.length === 0
              ? 'None were uploaded'
              : `${count(list.length)}, ${bytes(list.reduce((sum, one) => sum + one.bytes, 0))}`
            : ''}
        </p>
      </div>
      {list.length + absent.length > 0 && (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Artifacts table"
          aria-description="Scrolls sideways"
        >
          <table className={page.rows}>
            <thead>
              <tr>
                <th scope="col">File</th>
                <th scope="col">Content</th>
                <th scope="col" className={page.num}>
                  Size
                </th>
                <th scope="col">SHA-256</th>
                <th scope="col">Stored, UTC</th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ kind, name, bytes: size, sha256, stored_at }) => (
                <tr key={`${kind}/${name}`}>
                  <th scope="row">
                    <a
                      href={at('/api/data/experiments/{id}/artifacts/{kind}/{name}', { id, kind, name })}
                      download={name}
                    >
                      <bdi>{name}</bdi>
                    </a>
                  </th>
                  <td className="mid">{KINDS[kind] ?? kind}</td>
                  <td className={page.num}>{bytes(size)}</td>
                  <td className="n" title={sha256}>
                    {sha256.slice(0, 12)}
                  </td>
                  <td className="n">{time(stored_at)}</td>
                </tr>
              ))}
              {absent.map(({ kind, name, bytes: size, sha256 }) => (
                <tr key={`${kind}/${name}`} className={page.quiet}>
                  <th scope="row">
                    <bdi>{name}</bdi>
                  </th>
                  <td>{KINDS[kind] ?? kind}</td>
                  <td className={page.num}>{bytes(size)}</td>
                  <td className="n" title={sha256}>
                    {sha256.slice(0, 12)}
                  </td>
                  <td>not uploaded</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
