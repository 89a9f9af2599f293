// The results of frontiers.ts without one combination, and public results as a baseline.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Dashboard, expect } from './fixtures'
import { frontiers, NEW } from './frontiers'
import { type Document, write } from './results'

export const ABSENT = 'NVIDIA H200'
const PUBLIC = `model,gpu,gpu_count,precision,input_length,output_length,concurrency,engine,source,date,median_tpot_ms,output_throughput
meta-llama/Llama-3.1-70B-Instruct,H200,1,fp8,1024,1024,4,vllm,Example Inc.,2026-09-01,8,400
meta-llama/Llama-3.1-70B-Instruct,H200,1,fp8,1024,1024,64,vllm,Example Inc.,2026-09-03,20,2400
`

export function importIncomplete(store: Dashboard, base: Document) {
  const files = mkdtempSync(join(store.folder, 'files-'))
  const some = frontiers(base).filter(
    ({ config, environment, system }) =>
      !(
        environment.engine.version === NEW &&
        system.hardware_info.gpu_name === ABSENT &&
        config.benchmark.max_concurrency === 64
      ),
  )
  expect(some).toHaveLength(92)
  for (const [at, document] of some.entries()) write(files, `${at}.json`, document)
  store.import(files)
  writeFileSync(join(store.folder, 'public.csv'), PUBLIC)
  store.import('--baseline', 'Public', join(store.folder, 'public.csv'))
}
