import { defineConfig } from 'vitest/config'

// One configuration for the whole workspace. `live` tests talk to a server, or need the machine to themselves, and say so in their file name.
const folders = ['packages', 'apps', 'tooling']
export default defineConfig({
  test: {
    testTimeout: 30_000,
    reporters: [
      'default',
      ['json', { outputFile: process.env['KEEPSAKE_TEST_REPORT'] ?? 'node_modules/.vitest-report.json' }],
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: folders.map((f) => `${f}/*/test/**/*.test.ts`),
          exclude: ['**/*.live.test.ts', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'live',
          include: folders.map((f) => `${f}/*/test/**/*.live.test.ts`),
          exclude: ['**/node_modules/**'],
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
    ],
  },
})
