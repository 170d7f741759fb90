import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  chatMemory,
  createClock,
  KeepsakeError,
  type Clock,
  type Message,
  type Row,
  type RowStore,
} from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '@keepsake/store-testing'

/** A clock that stands still until it is told, and gives ids in order. */
export function testClock(startMs: number = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let nowMs = startMs
  let ids = 0
  return Object.assign(createClock({ nowMs: () => nowMs, newId: () => `id-${++ids}` }), {
    advance(ms: number): void {
      nowMs += ms
    },
  })
}

/** Everything that a store holds. */
export async function rowsOf(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for (const entity of await store.entities({ limit: 1_000 }))
    rows.push(...(await store.scan(entity, { limit: 1_000 })))
  return rows
}

/** Everything that was said in the threads of a store, as chat memory shows it: a run that failed is no part of it. */
export async function saidIn(store: RowStore): Promise<Message[][]> {
  const chat = chatMemory(store)
  const threads: Message[][] = []
  for await (const { id } of chat.threads()) threads.push(await chat.messages(id))
  return threads
}

/** The KeepsakeError with which `work` rejects. */
export async function rejection(work: PromiseLike<unknown>): Promise<KeepsakeError> {
  try {
    await work
  } catch (error) {
    if (KeepsakeError.isInstance(error)) return error
    throw error
  }
  throw new Error('it did not reject')
}

/** The prompts that a model was sent, roles and texts only. */
export function promptsOf(model: ScriptedModel): string[][] {
  return model.calls.map(({ prompt }) => linesOf(prompt))
}

export function linesOf(prompt: LanguageModelV4Prompt): string[] {
  return prompt.map(({ role, content }) => {
    if (typeof content === 'string') return `${role}: ${content}`
    return `${role}: ${content.map((part) => ('text' in part ? part.text : 'toolCallId' in part ? `${part.type} ${part.toolCallId}` : part.type)).join(' ')}`
  })
}

/** A model that says "Fine." and a number. */
export function fine(): ScriptedModel {
  return scriptedModel((_call, index) => `Fine ${index + 1}.`)
}

/** Messages without what the store adds to them. */
export function bare(messages: readonly Message[]): unknown[] {
  return messages.map(({ role, content }) => ({ role, content }))
}

/** Everything that the assistant says in these messages. */
export function textOf(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : '')),
    )
    .join('')
}

/** All values of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = []
  for await (const value of stream) values.push(value)
  return values
}
