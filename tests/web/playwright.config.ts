import { defineConfig } from '@playwright/test'

// A worker starts its own servers for each file of tests. The tests of one file run one after another and share them,
// except in files whose mode is 'parallel'.
export default defineConfig({
  testDir: '.',
  // their code is also reached by tests without the tag
  ...(process.env['PROFLLM_TEST_LONG'] === '1' ? {} : { grepInvert: /@long/ }),
  outputDir: process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results',
  workers: 4, // on two processors: tests also wait
  // one retry, because several browsers draw in software at the same time; tools/run-tests reports retried tests
  retries: 1,
  // bounds for what hangs; no test measures time
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['line'], ['json', { outputFile: `${process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results'}.json` }]],
  use: {
    // cleared between tests: a new renderer would compile the scripts of the web UI for each of them
    reuseContext: true,
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
      // nothing of the browser's own goes out; the tests run as root in containers, too
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // a process less, and one renderer for the pages of a worker
        '--in-process-gpu',
        '--process-per-site',
        // optimized code takes longer to compile than it saves: pages live for a second
        '--js-flags=--no-opt --no-maglev',
      ],
    },
  },
})
