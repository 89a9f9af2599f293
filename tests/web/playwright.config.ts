import { defineConfig } from '@playwright/test'

// One browser at a time: the machine has few cores, and each file has a server of its own.
export default defineConfig({
  testDir: '.',
  outputDir: process.env['PROFLLM_WEB_OUT'] ?? '../../build/web-results',
  workers: 1,
  timeout: 60_000 * Number(process.env['PATIENCE'] ?? 1),
  expect: { timeout: 15_000 },
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
