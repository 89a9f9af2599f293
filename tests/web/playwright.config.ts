import { defineConfig } from '@playwright/test'

// Each worker starts its own server per file, so any two tests can run in parallel.
export default defineConfig({
  testDir: '.',
  outputDir: process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results',
  workers: 3,
  fullyParallel: true,
  // one retry, because three browsers draw in software at the same time; tools/run-tests reports retried tests
  retries: 1,
  // bounds for what hangs; no test measures time
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['line'], ['json', { outputFile: `${process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results'}.json` }]],
  use: {
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
      ],
    },
  },
})
