import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createAgent, recordTools, type Agent, type Middleware } from '@keepsake/agent'
import { pathSegment } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { z } from 'zod'

/** Who is talking. It comes from the application, never from the model. */
const Context = z.object({ userId: z.string() })
type Context = z.infer<typeof Context>

export interface AssistantOptions {
  model: LanguageModelV4
  /** The folder in which everything is kept: `assistant.db`, and `memory/<user>/` with the memory files. */
  folder: string
  middleware?: readonly Middleware<Context>[]
}

export interface Assistant extends AsyncDisposable {
  agent: Agent<Context>
  databasePath: string
  /** Where a user's memory file is, whether it exists or not. */
  memoryPath(userId: string): string
}

const INSTRUCTIONS = `You are a personal assistant.
Keep what the user wants you to know in every conversation in /AGENTS.md, one short line per fact.
Keep single facts that matter only now and then as memories, and search them when they might help.`

/** One agent for all users: each run gets the files and records of its own user. */
export async function openAssistant({ model, folder, middleware = [] }: AssistantOptions): Promise<Assistant> {
  await mkdir(folder, { recursive: true })
  const databasePath = join(folder, 'assistant.db')
  const userFolder = (userId: string): string => join(folder, 'memory', pathSegment(userId))
  const store = sqliteStore({ path: databasePath })
  const agent = createAgent({
    model,
    store,
    context: Context,
    owner: (context) => context.userId,
    instructions: INSTRUCTIONS,
    files: (run) => localFiles({ root: userFolder(run.context.userId) }),
    memoryFiles: true,
    tools: recordTools({ store, owner: (context: Context) => context.userId }),
    history: { store, window: 40 },
    // If its process is killed, another goes on with a run after three seconds without a sign of life.
    limits: { leaseMs: 3_000 },
    middleware,
  })
  return {
    agent,
    databasePath,
    memoryPath: (userId) => join(userFolder(userId), 'AGENTS.md'),
    [Symbol.asyncDispose]: () => store.close(),
  }
}
