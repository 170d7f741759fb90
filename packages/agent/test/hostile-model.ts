import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { inMemoryStore, type Message } from '@keepsake/core'
import { tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { saidIn, testClock } from './support.ts'

export const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
export const stop = { unified: 'stop', raw: 'stop' }
export const calls = { unified: 'tool-calls', raw: 'tool_calls' }
export const text = (value: string) => ({ type: 'text', text: value })
export const call = (toolName: unknown, input: unknown = '{}', toolCallId: unknown = 'c') => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
})
export const answer = (content: unknown, finishReason: unknown = stop): object => ({
  content,
  finishReason,
  usage,
  warnings: [],
})
export const done = answer([text('Done.')])

/** A model of answers as they are, typed or not. Streams are lists of parts. */
export function hostile(answers: readonly unknown[]): LanguageModelV4 & { prompts: unknown[][] } {
  const prompts: unknown[][] = []
  function next(prompt: readonly unknown[]): any {
    prompts.push([...prompt])
    const said = answers[prompts.length - 1]
    if (said instanceof Error) throw said
    return said
  }
  return {
    specificationVersion: 'v4',
    provider: 'hostile',
    modelId: 'm',
    supportedUrls: {},
    prompts,
    doGenerate: async ({ prompt }) => next(prompt),
    doStream: async ({ prompt }) => {
      const parts = next(prompt) as Iterable<LanguageModelV4StreamPart>
      return { stream: Array.isArray(parts) ? streamOf(parts) : (parts as never) }
    },
  }
}

function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(out) {
      for (const part of parts) out.enqueue(part)
      out.close()
    },
  })
}

const tools = { add: tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n + 1 }) }

/** An agent with a thread that has one turn, and what its store holds. */
export async function withPast(model: LanguageModelV4) {
  const store = inMemoryStore()
  const clock = testClock()
  const before = createAgent({
    model: hostile([answer([text('Hello.'), call('add', '{"n":1}', 'old')], calls), done]),
    store,
    clock,
    tools,
  })
  await before.run({ threadId: 't', prompt: 'Hi', runId: 'first' })
  return {
    agent: createAgent({ model, store, clock, tools, limits: { maxSteps: 4 } }),
    store,
    rows: await saidIn(store),
  }
}

/** Every call has one result, after it and before the next user message; ids are unique; contents are not empty. */
export function expectReadable(messages: readonly Message[]): void {
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const { role, content } of messages) {
    expect(content.length).toBeGreaterThan(0)
    if (role === 'user') expect([...open]).toEqual([])
    if (typeof content === 'string') continue
    expect(content.every(({ type }) => type === 'reasoning')).toBe(false)
    for (const part of content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        expect(seen).not.toContain(part.toolCallId)
        expect(part.toolCallId).not.toBe('')
        expect(part.toolName).not.toBe('')
        expect(Object.prototype.toString.call(part.input)).toBe('[object Object]')
        seen.add(part.toolCallId)
        open.add(part.toolCallId)
      }
      if (part.type === 'tool-result' && role === 'tool') expect(open.delete(part.toolCallId)).toBe(true)
    }
  }
  expect([...open]).toEqual([])
}
