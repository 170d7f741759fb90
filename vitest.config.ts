import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// One configuration for the whole workspace. `pnpm test` runs vitest once a package, in that package's folder: the
// report lands there, and turbo keeps it with the result, so that a cached run still counts.
const report = join(process.cwd(), '.vitest/report.json')
const underTurbo = process.env['TURBO_HASH'] !== undefined

const inFolders = (file: string): string[] => ['packages', 'apps', 'tooling'].map((f) => `${f}/*/test/**/${file}`)

export default defineConfig({
  test: {
    testTimeout: 30_000,
    // Hooks start servers and compilers.
    hookTimeout: 120_000,
    reporters: [underTurbo ? 'minimal' : 'default', ['json', { outputFile: report }]],
    exclude: ['**/node_modules/**'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: inFolders('*.test.ts'), exclude: ['**/node_modules/**', '**/*.live.test.ts'] },
      },
      {
        // `live` tests talk to a server or a registry, or need the machine to themselves: their file name says so.
        extends: true,
        test: {
          name: 'live',
          include: inFolders('*.live.test.ts'),
          fileParallelism: false,
          testTimeout: 120_000,
        },
      },
    ],
  },
})
