import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import { inMemoryStore } from '@keepsake/core'
import { rowFiles, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { onTestFinished } from 'vitest'
import { anthropicMemory } from '../src/index.ts'

export type Command = Parameters<ReturnType<typeof betaMemoryTool>['run']>[0]
/** Runs a command as the SDK's tool runner does; what it throws comes back as it tells the model. */
export type RunCommand = (command: Command) => Promise<string>

export function runner(handlers: MemoryToolHandlers): RunCommand {
  const tool = betaMemoryTool(handlers)
  return async (command) => {
    try {
      return (await tool.run(command)) as string
    } catch (error) {
      return `Error: ${(error as Error).message}`
    }
  }
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-tool-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** The SDK's own handler, on a disk. */
export async function theirs(): Promise<RunCommand> {
  return runner(await BetaLocalFilesystemMemoryTool.init(await temporaryFolder()))
}

/** Every kind of files that the tests run on. */
export const kinds: Readonly<Record<string, () => Promise<Required<Files>>>> = {
  rowFiles: async () => rowFiles(inMemoryStore(), 'ada'),
  'rowFiles on SQLite': async () => {
    const store = sqliteStore({ path: ':memory:' })
    onTestFinished(() => store.close())
    return rowFiles(store, 'ada')
  },
  localFiles: async () => localFiles({ root: await temporaryFolder() }),
}

export function ours(files: Files): RunCommand {
  return runner(anthropicMemory(files))
}
