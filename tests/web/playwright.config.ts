import { defineConfig } from '@playwright/test'

// A file has a server of its own, so two can run beside each other; they wait for servers and browsers mostly.
export default defineConfig({
  testDir: '.',
  outputDir: process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results',
  workers: 2,
  // bounds for what hangs; no test measures time
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: [['line'], ['json', { outputFile: `${process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results'}.json` }]],
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      // nothing of the browser's own goes out; the tests run as root in containers, too
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
})
