import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  chatMemory,
  inMemoryStore,
  KeepsakeError,
  records,
  type Message,
  type Row,
  type RowStore,
} from '@keepsake/core'
import { fileTools, rowFiles } from '@keepsake/files'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { createHistory, window } from '@keepsake/strategies'
import {
  createUIMessageStreamResponse,
  generateText,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { z } from 'zod'
import { createAgent, type Agent, type Middleware, type StreamPart } from '../src/index.ts'

/*
 * The programs that users write first. That they compile is half of what they test; `programs.test.ts` runs them. The
 * number of each is that of the public API's list of programs.
 */

type Assignable<A, B> = [A] extends [B] ? true : false
export const messageToModel: Assignable<Message, ModelMessage> = true
export const modelToMessage: Assignable<ModelMessage, Message> = true
export const partToAi: Assignable<StreamPart, TextStreamPart<ToolSet>> = true

/** 1: chat history of the AI SDK, no agent. */
export async function chatHistory(model: LanguageModelV4, path: string, prompt: string): Promise<string[]> {
  await using store = sqliteStore({ path })
  const chat = chatMemory<ModelMessage>(store)
  await chat.append('t1', [{ role: 'user', content: prompt }], { owner: 'ada' })
  const reply = await generateText({ model, messages: await chat.messages('t1', { last: 40 }) })
  await chat.append('t1', reply.responseMessages)
  const ui = chatMemory<UIMessage>(store)
  await ui.append('c1', [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] }])
  const ids: string[] = []
  for await (const thread of chat.threads({ owner: 'ada' })) ids.push(thread.id)
  return ids
}

/** 2, without the adapter: a window in the AI SDK's own loop. */
export async function windowed(model: LanguageModelV4, messages: ModelMessage[]): Promise<string> {
  const result = streamText({ model, messages, prepareStep: (step) => ({ messages: window(1)(step.messages) }) })
  return result.text
}

/** 3: an agent of many users, with files and records. */
export function multiUser(model: LanguageModelV4, store: RowStore): Agent<{ userId: string }> {
  const Context = z.object({ userId: z.string() })
  const remember = tool({
    description: 'Save a fact',
    inputSchema: z.object({ fact: z.string() }),
    contextSchema: Context,
    execute: async ({ fact }, { context, toolCallId }) =>
      records(store, ['users', context.userId]).put(['memories', toolCallId], { fact }),
  })
  return createAgent({
    model,
    store,
    context: Context,
    owner: (context) => context.userId,
    tools: { remember },
    history: { window: 50 },
    files: (run) => rowFiles(store, ['users', run.context.userId]),
    memoryFiles: ['/AGENTS.md'],
  })
}

export async function runMultiUser(agent: Agent<{ userId: string }>, prompt: string): Promise<string | undefined> {
  const result = await agent.run({ threadId: 't1', prompt, context: { userId: 'ada' }, runId: 'req-1' })
  return result.status === 'completed' ? result.text : undefined
}

/** 4: an HTTP stream to useChat. */
export function httpStream(model: LanguageModelV4, prompt: string, signal: AbortSignal): Response {
  const agent = createAgent({ model })
  const run = agent.stream({ threadId: 't', prompt, signal })
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: run.stream }) })
}

/** 5: an agent that asks before it writes. */
export async function approvals(model: LanguageModelV4, store: RowStore, prompt: string): Promise<string> {
  const files = rowFiles(store, 'org')
  const agent = createAgent({
    model,
    store,
    files,
    tools: fileTools(files),
    toolApproval: { write_file: 'user-approval' },
  })
  let result = await agent.run({ threadId: 't', prompt })
  while (result.status === 'suspended') {
    result = await agent.run({
      threadId: 't',
      approvals: result.approvals.map(({ approvalId, toolName }) => ({ approvalId, approved: toolName !== 'rm' })),
    })
  }
  return result.text
}

/** 5, without our agent: file tools in the AI SDK. */
export async function fileToolsInAi(model: LanguageModelV4, store: RowStore, prompt: string): Promise<string> {
  const tools = fileTools(rowFiles(store, 'org')) as ToolSet
  return (await generateText({ model, prompt, tools, stopWhen: isStepCount(5) })).text
}

/** 8: a middleware of one's own. */
export function timing(log: (runId: string, ms: number) => void): Middleware {
  return {
    name: 'timing',
    start(run) {
      let ms = 0
      return {
        async wrapModel(request, next) {
          const startedMs = performance.now()
          try {
            return await next(request)
          } finally {
            ms += performance.now() - startedMs
          }
        },
        async end() {
          log(run.id, ms)
        },
      }
    },
  }
}

/** 9: compare and set, and a history of one's own. */
export async function compareAndSet(model: LanguageModelV4, store: RowStore): Promise<Agent<undefined>> {
  const notes = records<{ n: number }>(store, 'ada')
  await notes.update(['count'], (value) => ({ n: (value?.n ?? 0) + 1 }))
  try {
    await notes.put(['x'], { n: 1 }, { ifVersion: null })
  } catch (error) {
    if (KeepsakeError.isInstance(error, 'too_large')) console.log(error.details)
  }
  const history = createHistory({ chat: chatMemory(store), prepare: [window(20)] })
  return createAgent({ model, store, history })
}

/** 10: a store of one's own, as a type. */
interface KeyValue {
  get(key: string): Promise<Row | undefined>
}
export const kvStore = (kv: KeyValue): Partial<RowStore> => ({
  name: 'kv',
  load: (ids) => Promise.all(ids.map((id) => kv.get(id.entity + id.key))),
})

/** What must not compile, and must not work either. */
export function wrong(model: LanguageModelV4): (() => PromiseLike<unknown>)[] {
  const agent = createAgent({ model, context: z.object({ userId: z.string() }) })
  return [
    // @ts-expect-error context is missing
    () => agent.run({ threadId: 't', prompt: 'Hi' }),
    // @ts-expect-error there is no prompt
    () => agent.run({ threadId: 't', context: { userId: 'ada' } }),
    // @ts-expect-error the context is of another type
    () => agent.stream({ threadId: 't', prompt: 'Hi', context: { userId: 5 } }).result,
    // @ts-expect-error there is no such option
    async () => createAgent({ model, memoryfiles: true }),
  ]
}

/** What must not compile: tools that need more than the agent's context has. */
export function tooLittleContext(model: LanguageModelV4): void {
  const needsTeam = tool({
    inputSchema: z.object({}),
    contextSchema: z.object({ teamId: z.string() }),
    execute: async (_input, { context }) => context.teamId,
  })
  // @ts-expect-error the agent's context has no teamId
  createAgent({ model, context: z.object({ userId: z.string() }), tools: { needsTeam } })
  // @ts-expect-error the agent has no context at all
  createAgent({ model, tools: { needsTeam } })
}

/** What must compile: tools of every kind in agents of every kind. */
export function right(model: LanguageModelV4): readonly Agent<never>[] {
  const plain = tool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => q })
  const needsTeam = tool({
    inputSchema: z.object({}),
    contextSchema: z.object({ teamId: z.string() }),
    execute: async (_input, { context }) => context.teamId,
  })
  const none: Agent<undefined> = createAgent({ model, tools: { plain } })
  const some: Agent<{ teamId: string; userId: string }> = createAgent({
    model,
    context: z.object({ teamId: z.string(), userId: z.string() }),
    owner: (context) => context.userId,
    tools: { plain, needsTeam, ...fileTools(rowFiles(inMemoryStore(), 'ada')) },
    middleware: [timing(() => {}), { name: 'm', start: (run) => ({ instructions: run.context.teamId }) }],
  })
  return [none, some]
}
