import type { Entry, Message } from '@keepsake/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approxTokens, assembleContext, isRecalled, type AssembleContextOptions } from '../src/index.ts'
import { gptTokens } from '../src/gpt-tokenizer.ts'
import { messageTokens } from '../src/message-tokens.ts'
import { anyHistory } from './histories.ts'
import { calls, results, say, system, user } from './messages.ts'
import { complaints } from './validator.ts'

const count = (text: string): number => text.length
const memory = (name: string, content: string): Entry<unknown> => ({
  key: ['memories', name],
  value: { content },
  version: 1,
  createdAtMs: 0,
  updatedAtMs: Date.UTC(2026, 0, 2),
})
const texts = (messages: readonly Message[]): string[] =>
  messages.map(({ role, content }) => `${role}: ${content as string}`)

describe('assembleContext', () => {
  it('puts everything in its order under its heading', () => {
    const { messages } = assembleContext({
      count,
      instructions: 'Be kind.',
      memoryFiles: '<agent_memory>…</agent_memory>',
      memories: [memory('food', 'Ada loves pizza'), memory('home', 'Ada lives in Bern')],
      notes: { currentGoal: 'Dinner' },
      history: [user('hello'), say('hi'), user('pizza?')],
    })
    expect(texts(messages)).toEqual([
      'system: Be kind.',
      'system: <agent_memory>…</agent_memory>',
      expect.stringMatching(
        /^user: <recalled_memories>\nRelevant memories from past interactions:\n.*\n- \[memories\/food, 2026-01-02\] Ada loves pizza\n- \[memories\/home, 2026-01-02\] Ada lives in Bern\n/,
      ),
      'user: <working_notes>\nCurrent working memory:\nCurrent Goal: Dinner\n</working_notes>',
      'user: hello',
      'assistant: hi',
      'user: pizza?',
    ])
    expect(isRecalled(messages[2]!)).toBe(true)
  })

  it('says what was kept, what was cut and why', () => {
    const options: AssembleContextOptions = {
      count,
      // 4 + 6, 4 + 6 for each message of six letters.
      maxTokens: 500,
      instructions: 'policy',
      memories: [memory('a', 'x'), memory('b', 'y'.repeat(900)), memory('c', 'z'), memory('d', 'v'), memory('e', 'w')],
      maxMemoryTokens: 400,
      history: [user('o'.repeat(300)), results('lost'), { ...user('newer'), id: 'm-7' }, calls('c1'), results('c1')],
    }
    const { explain, tokens, messages } = assembleContext(options)
    expect(explain.map(({ section }) => section)).toEqual(['instructions', 'memories', 'history'])
    expect(explain[0]).toEqual({
      section: 'instructions',
      tokens: 10,
      items: [{ name: 'instructions', tokens: 10, kept: true, why: 'always' }],
    })
    expect(explain[1]!.items).toEqual([
      { name: 'memories/a', tokens: 1, kept: true, why: 'fits' },
      { name: 'memories/b', tokens: 900, kept: false, why: 'no_room' },
      { name: 'memories/c', tokens: 1, kept: true, why: 'fits' },
      { name: 'memories/d', tokens: 1, kept: true, why: 'fits' },
      { name: 'memories/e', tokens: 1, kept: false, why: 'limit' },
    ])
    expect(explain[2]!.items).toEqual([
      { name: '#0', tokens: 304, kept: false, why: 'no_room' },
      { name: '#1', tokens: 8, kept: false, why: 'invalid' },
      { name: 'm-7', tokens: 9, kept: true, why: 'fits' },
      { name: '#3', tokens: 11 + 8, kept: true, why: 'always' },
    ])
    expect(explain[2]!.tokens).toBe(28)
    expect(tokens).toBe(explain[0]!.tokens + explain[1]!.tokens + 28)
    expect(messages).toHaveLength(5)
  })

  it('leaves notes out where there is no room, before the newest message', () => {
    const { explain, messages } = assembleContext({
      count,
      maxTokens: 60,
      notes: { currentGoal: 'x'.repeat(50) },
      history: [user('u'.repeat(50))],
    })
    expect(explain[0]).toMatchObject({ section: 'notes', tokens: 0, items: [{ kept: false, why: 'no_room' }] })
    expect(messages).toHaveLength(1)
  })

  it('says with both numbers when what must be there does not fit', () => {
    const options = { count, maxTokens: 20, instructions: 'i'.repeat(8), history: [user('u'.repeat(8))] }
    expect(() => assembleContext(options)).toThrow('have 24 tokens; maxTokens is 20')
    expect(assembleContext({ ...options, maxTokens: 24 }).tokens).toBe(24)
  })

  it('of nothing is nothing', () =>
    expect(assembleContext({ count })).toEqual({ messages: [], tokens: 0, explain: [] }))

  it.each([
    ['characters', count],
    ['an estimate', approxTokens],
    ['the exact counter', gptTokens],
  ])('has sums that are exactly what the messages have, and is within the budget, by %s', (_name, by) => {
    const memories = fc.array(
      fc.string({ maxLength: 80 }).map((text) => memory('m', text)),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(
        anyHistory,
        memories,
        fc.string(),
        fc.integer({ min: 300, max: 2_000 }),
        (history, found, goal, maxTokens) => {
          let made
          try {
            made = assembleContext({
              count: by,
              maxTokens,
              instructions: 'Be kind.',
              memories: found,
              notes: { currentGoal: goal },
              history,
            })
          } catch (error) {
            expect(error).toMatchObject({ code: 'too_large' })
            return
          }
          const exact = made.messages.reduce((sum, message) => sum + Math.ceil(messageTokens(message, by)), 0)
          expect(made.tokens).toBe(exact)
          expect(made.explain.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(exact)
          expect(exact).toBeLessThanOrEqual(maxTokens)
          expect(complaints(made.messages)).toEqual([])
          const ofHistory = made.explain.find(({ section }) => section === 'history')
          const kept = ofHistory?.items.filter((item) => item.kept).reduce((sum, { tokens }) => sum + tokens, 0)
          expect(kept).toBe(ofHistory?.tokens)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('puts system messages of the history before everything else that is said', () => {
    const { messages } = assembleContext({ count, memories: [memory('a', 'x')], history: [user('u'), system('s')] })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  })

  it.each([
    [{ count: 3 }, 'count'],
    [{ count, maxTokens: 0 }, 'maxTokens'],
    [{ count, memoryLimit: -1 }, 'memoryLimit'],
    [{ count, maxTokens: 5, maxMemoryTokens: 6 }, 'maxMemoryTokens'],
    [{ count, history: 'x' }, 'messages'],
  ])('refuses %j', (options, what) => {
    expect(() => assembleContext(options as never)).toThrow(what)
  })
})
