import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Line } from './line.ts'
import { compare, type Sizes } from './measure.ts'

/** What importing core may add to bare Node, in milliseconds. */
const IMPORT_MS = 40

const built = fileURLToPath(new URL('../../../packages/core/dist/index.js', import.meta.url))

/** Importing core, as it is published, in a process of its own, beside a process that does nothing. */
export async function benchImportTime(sizes: Sizes = { rounds: 15, operations: 1 }): Promise<Line[]> {
  if (!existsSync(built)) throw new Error('Run `pnpm build` first: what is measured is the published form.')
  const { baseMicros, oursMicros } = await compare(
    { base: () => evaluate(''), ours: () => evaluate(`await import(${JSON.stringify(built)})`) },
    sizes,
  )
  const addedMs = (oursMicros - baseMicros) / 1000
  return [
    {
      what: 'import @keepsake/core, beyond bare Node',
      base: `${IMPORT_MS} ms allowed`,
      ours: `${addedMs.toFixed(1)} ms`,
      ratio: addedMs / IMPORT_MS,
      goal: 1,
    },
  ]
}

function evaluate(script: string): void {
  execFileSync(process.execPath, ['--input-type=module', '--eval', script])
}
