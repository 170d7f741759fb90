import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { all, testClock, textOf } from '../support.ts'

const t = tool({ inputSchema: z.object({}), execute: async () => 'x' })

describe('streams', () => {
  test('of a run that goes on: from the start, what is served is marked, and it is what is stored', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const model = () =>
      scriptedModel(({ prompt }) => (prompt.length === 1 ? [text('First. '), toolCall('t', {})] : 'Second.'))
    const hang = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) })
    const dead = createAgent({ model: model(), store, clock, tools: { t: hang } }).stream({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    const reader = dead.stream.getReader()
    for (let type = ''; type !== 'tool-call';) type = (await reader.read()).value!.type
    clock.advance(200_000)
    const next = createAgent({ model: model(), store, clock, tools: { t } }).stream({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    const parts = await all(next.stream)
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part] : []))
    expect(deltas[0]).toMatchObject({ text: 'First. ', providerMetadata: { keepsake: { replayed: true } } })
    expect(deltas.slice(1).every(({ providerMetadata }) => providerMetadata === undefined)).toBe(true)
    const { messages } = await next.result
    expect(deltas.map(({ text: said }) => said).join('')).toBe(textOf(messages))
    expect(parts.some(({ type }) => type === 'raw')).toBe(false)
  })

  test('whose answer another worker had stored first: reset, and then what is stored', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const answers = Promise.withResolvers<string>()
    const asked = Promise.withResolvers<void>()
    const slow = createAgent({ model: scriptedModel(() => (asked.resolve(), answers.promise)), store, clock })
    const run = slow.stream({ threadId: 't', prompt: 'Go', runId: 'r' })
    const result = Promise.resolve(run.result)
    await asked.promise
    clock.advance(200_000)
    const fast = await createAgent({ model: scriptedModel(['Fast.']), store, clock }).run({
      threadId: 't',
      prompt: 'Go',
      runId: 'r',
    })
    answers.resolve('Slow.')
    expect((await result).messages).toEqual(fast.messages)
    const parts = await all(run.stream)
    const reset = parts.findLastIndex(({ type }) => type === 'raw')
    const after = parts.slice(reset + 1).flatMap((part) => (part.type === 'text-delta' ? [part.text] : []))
    expect(after).toEqual(['Fast.'])
    await expect(all(run.textStream)).rejects.toThrow(/began again/)
  })

  test('an answer that was given before a deploy changed the prompt is served, with a warning', async () => {
    const store = inMemoryStore()
    const clock = testClock()
    const warned: unknown[] = []
    const { warn } = console
    console.warn = (...words: unknown[]) => void warned.push(words.join(' '))
    try {
      const hang = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) })
      const model = scriptedModel([toolCall('t', {}), 'Ok.'])
      const begun = createAgent({ model, store, clock, instructions: 'Old.', tools: { t: hang } }).stream({
        threadId: 't',
        prompt: 'Go',
        runId: 'r',
      })
      const reader = begun.stream.getReader()
      for (let type = ''; type !== 'tool-call';) type = (await reader.read()).value!.type
      clock.advance(200_000)
      const tools = { t, more: t }
      const result = await createAgent({ model, store, clock, instructions: 'New.', tools }).run({
        threadId: 't',
        prompt: 'Go',
        runId: 'r',
      })
      expect(result.text).toBe('Ok.')
      expect(model.calls).toHaveLength(2)
      // What the run was told at first it is told to its end.
      expect(model.calls[1]!.prompt[0]).toEqual({ role: 'system', content: 'Old.' })
      expect(warned).toEqual([expect.stringMatching(/the run "r" goes on .* step 1 .* changed since/) as string])
    } finally {
      console.warn = warn
    }
  })
})
