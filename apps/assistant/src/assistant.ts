import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createAgent, recordTools, type Agent, type Middleware } from '@keepsake/agent'
import { chatMemory } from '@keepsake/core'
import {
  backgroundConsolidation,
  createMemoryConsolidator,
  createMemoryToolset,
  type Files,
  type MemoryToolset,
  type ThreadConsolidation,
} from '@keepsake/files'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { z } from 'zod'
import { memoryFolders } from './memory-folders.ts'

/** Who is talking, and about which project. It comes from the application, never from the model. */
const Context = z.object({ userId: z.string(), project: z.string().optional() })
type Context = z.infer<typeof Context>

export interface AssistantOptions {
  model: LanguageModelV4
  /** The folder in which everything is kept: `assistant.db`, and the memory files. */
  folder: string
  middleware?: readonly Middleware<Context>[]
}

export interface Assistant extends AsyncDisposable {
  agent: Agent<Context>
  databasePath: string
  /** Where a user's memory file is, whether it exists or not. */
  memoryPath(userId: string): string
  /** At the end of a conversation: writes what will matter later from it into the user's notes and topic files. */
  consolidate(userId: string, threadId: string): Promise<ThreadConsolidation>
}

const INSTRUCTIONS = `You are a personal assistant.
Keep what the user wants you to know in every conversation in /AGENTS.md, one short line per fact, and facts about the project in /project/AGENTS.md. What /policies says holds for everybody and is not yours to change.
Keep single facts that matter only now and then as memories, and search them when they might help.`

/** Read whole in every run; those that do not exist are skipped. */
const MEMORY_FILES = ['/policies/AGENTS.md', '/project/AGENTS.md', '/AGENTS.md']
/** What is written at the end of conversations. */
const NOTES = '/NOTES.md'
const TOPICS = '/topics/'

/** One agent for all users: each run gets the files and records of its own user. */
export async function openAssistant({ model, folder, middleware = [] }: AssistantOptions): Promise<Assistant> {
  await mkdir(folder, { recursive: true })
  const databasePath = join(folder, 'assistant.db')
  const folders = memoryFolders(folder)
  const store = sqliteStore({ path: databasePath })
  const agent = createAgent({
    model,
    store,
    context: Context,
    owner: (context) => context.userId,
    instructions: INSTRUCTIONS,
    files: (run) => folders.filesOf(run.context),
    memoryFiles: MEMORY_FILES,
    toolset: (run) => notesOf(folders.filesOf(run.context)),
    tools: recordTools({ store, owner: (context: Context) => context.userId }),
    history: { store, window: 40 },
    // If its process is killed, another goes on with a run after three seconds without a sign of life.
    limits: { leaseMs: 3_000 },
    middleware,
  })
  const background = backgroundConsolidation({
    store,
    chat: chatMemory(store),
    consolidator: createMemoryConsolidator({ model, creatablePrefixes: [TOPICS] }),
    toolset: (userId) => notesOf(folders.filesOf({ userId })),
  })
  return {
    agent,
    databasePath,
    memoryPath: (userId) => join(folders.userFolder(userId), 'AGENTS.md'),
    consolidate: (userId, threadId) => background.runThread(userId, threadId),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** The notes in every prompt, the topic files by what a message is about. The agent reads; consolidation writes. */
function notesOf(files: Files): MemoryToolset {
  return createMemoryToolset(files, { always: [NOTES], browse: [TOPICS], tools: ['read_memory'] })
}
