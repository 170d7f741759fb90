import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { window } from '../src/window.ts'
import { wholeHistories } from './histories.ts'
import { user } from './messages.ts'

/** A model that answers its nth call with `content(n)` and notes every prompt. */
function model(content: (call: number) => LanguageModelV4Content[]): LanguageModelV4 & { prompts: Prompt[] } {
  const prompts: Prompt[] = []
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    prompts,
    async doGenerate({ prompt }) {
      prompts.push(prompt)
      const answer = content(prompts.length - 1)
      const unified = answer.some((part) => part.type === 'tool-call') ? 'tool-calls' : 'stop'
      return {
        content: answer,
        finishReason: { unified, raw: unified },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }
    },
    doStream: () => Promise.reject(new Error('not used')),
  }
}

type Prompt = LanguageModelV4CallOptions['prompt']

const look = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: () => 'seen' })
const roles = (prompt: Prompt | undefined): string => (prompt ?? []).map((message) => message.role).join(' ')

describe("the AI SDK's own loop", () => {
  it('runs 20 steps of parallel calls on a window of six messages', async () => {
    const scripted = model((call) =>
      call === 20
        ? [{ type: 'text', text: 'done' }]
        : [1, 2].map((i) => ({ type: 'tool-call', toolCallId: `c${call}-${i}`, toolName: 'look', input: '{}' })),
    )
    const result = await generateText({
      model: scripted,
      instructions: 'x',
      prompt: 'a',
      tools: { look },
      stopWhen: isStepCount(30),
      prepareStep: ({ messages }) => ({ messages: window(6)(messages) }),
    })
    expect(result.text).toBe('done')
    expect(scripted.prompts).toHaveLength(21)
    // Call and results are two messages each: the question fits beside two of them, then there are three.
    expect(roles(scripted.prompts[2])).toBe('system user assistant tool assistant tool')
    for (const prompt of scripted.prompts.slice(3)) {
      expect(roles(prompt)).toBe('system assistant tool assistant tool assistant tool')
    }
  })

  it('accepts the window of every whole history', async () => {
    await fc.assert(
      fc.asyncProperty(wholeHistories, fc.integer({ min: 0, max: 30 }), async (units, n) => {
        const scripted = model(() => [{ type: 'text', text: 'done' }])
        const messages = window(n)([...units.flat(), user('now')])
        await generateText({ model: scripted, messages, tools: { look } })
        expect(scripted.prompts).toHaveLength(1)
      }),
    )
  })
})
