import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  chatMemory,
  inMemoryStore,
  KeepsakeError,
  type ChatMemory,
  type Message,
  type RowStore,
  type ToolResultPart,
} from '@keepsake/core'
import { createHistory, type History, type HistoryOptions } from '@keepsake/strategies'
import { scriptedModel, type ScriptedModel, type ScriptedModelOptions, type Script } from '@keepsake/store-testing'
import { tool, wrapLanguageModel, type ToolSet } from 'ai'
import { z } from 'zod'
import { historyMiddleware } from '../src/index.ts'

export interface Setup {
  store: RowStore
  chat: ChatMemory<Message>
  history: History
  /** What is behind the memory. */
  model: ScriptedModel
  /** The same model, with memory. */
  remembering: LanguageModelV4
}

/** A scripted model with memory in a store of its own. */
export function setup(
  script: Script,
  options: ScriptedModelOptions & { prepare?: NonNullable<HistoryOptions['prepare']>; store?: RowStore } = {},
): Setup {
  const { prepare = [], store = inMemoryStore(), ...modelOptions } = options
  const chat = chatMemory(store)
  const history = createHistory({ chat, prepare })
  const model = scriptedModel(script, modelOptions)
  return { store, chat, history, model, remembering: remember(model, history) }
}

export function remember(model: LanguageModelV4, history: History): LanguageModelV4 {
  return wrapLanguageModel({ model, middleware: historyMiddleware({ history }) })
}

/** A tool that says what it was asked, and how often it was run. */
export function echo(): { tools: { echo: ReturnType<typeof echoTool> }; runs: { id: string; text: string }[] } {
  const runs: { id: string; text: string }[] = []
  return { tools: { echo: echoTool(runs) }, runs }
}

/** The same for somebody else to run: the SDK's loop ends with its call. */
export const unrun: ToolSet = { echo: tool({ inputSchema: z.object({ text: z.string() }) }) }

function echoTool(runs: { id: string; text: string }[]) {
  return tool({
    description: 'Says it again',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, { toolCallId }) => {
      runs.push({ id: toolCallId, text })
      return `${text}!`
    },
  })
}

/** What a thread holds, a line a message. */
export async function linesOf({ chat }: Pick<Setup, 'chat'>, threadId = 't1'): Promise<string[]> {
  return (await chat.messages(threadId)).map(lineOf)
}

/** What a model was sent, a line a message. */
export function promptsOf(model: ScriptedModel): string[][] {
  return model.calls.map(({ prompt }) => promptLines(prompt))
}

function promptLines(prompt: LanguageModelV4Prompt): string[] {
  return prompt.map((message) => lineOf(message as Message))
}

function lineOf({ role, content }: Message): string {
  if (typeof content === 'string') return `${role}: ${content}`
  const parts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text
      case 'tool-call':
        return `call ${part.toolCallId} ${JSON.stringify(part.input)}`
      case 'tool-result':
        return `result ${part.toolCallId} ${outputOf(part)}`
      case 'tool-approval-response':
        return `approval ${part.approvalId} ${part.approved}`
      default:
        return part.type
    }
  })
  return `${role}: ${parts.join(', ')}`
}

function outputOf({ output }: ToolResultPart): string {
  if (!('value' in output)) return output.type
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
}

/** What `work` rejects with. */
export async function rejection(work: PromiseLike<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not reject')
}

/** The code of the KeepsakeError with which `work` rejects. */
export async function codeOf(work: PromiseLike<unknown>): Promise<string> {
  const error = await rejection(work)
  if (KeepsakeError.isInstance(error)) return error.code
  throw error
}

/** A thread's messages without what the store adds to them. */
export function bare(messages: readonly Message[]): unknown[] {
  return messages.map(({ id: _id, createdAtMs: _at, ...message }) => message)
}
