import { describe, expect, it } from 'vitest'
import type { Message } from '@keepsake/core'
import { approxTokens } from '../src/approx-tokens.ts'
import { messageTokens } from '../src/message-tokens.ts'
import { tokenWindow } from '../src/token-window.ts'
import { window } from '../src/window.ts'
import { calls, results, say, system, user } from './messages.ts'

/** A thread of 400 turns, each a question, a call, its result and an answer, and the prompt of every turn. */
const turns = Array.from({ length: 400 }, (_, n): Message[] => [
  user(`Question ${n}: what does the harbour master say about ship ${n * 7}?`),
  calls(`c${n}`),
  results(`c${n}`),
  say(`Ship ${n * 7} is at pier ${n % 9}.`),
])

/** How much of each prompt the next one begins with, by tokens, over all of them; and how often it is all of it. */
function measured(cut: (messages: readonly Message[]) => Message[]): { share: number; whole: number } {
  const instructions = system('You answer questions about a harbour.')
  const prompts = turns.map((turn, n) => cut([instructions, ...turns.slice(0, n).flat(), turn[0]!]))
  let shared = 0
  let all = 0
  let whole = 0
  for (const [n, prompt] of prompts.slice(0, -1).entries()) {
    const next = prompts[n + 1]!
    const same = prompt.findIndex((message, at) => next[at] !== message)
    const kept = same < 0 ? prompt : prompt.slice(0, same)
    if (same < 0) whole++
    shared += tokens(kept)
    all += tokens(prompt)
  }
  return { share: shared / all, whole: whole / (prompts.length - 1) }
}

const tokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message, approxTokens), 0)

describe('a thread of 400 turns with a window of 20', () => {
  it('in block mode has at least 80 % of each prompt as the beginning of the next', () => {
    const { share, whole } = measured(window(80, { step: 40 }))
    expect(share).toBeGreaterThanOrEqual(0.8)
    // The window moves by ten turns at once, first in the 21st turn: 38 times in 399.
    expect(whole).toBeCloseTo(361 / 399, 10)
  })

  it('has next to nothing without', () => {
    expect(measured(window(80)).share).toBeLessThan(0.15)
  })

  it('has it by tokens, too', () => {
    const maxTokens = tokens(turns.slice(200, 220).flat())
    const { share, whole } = measured(tokenWindow({ maxTokens, step: Math.floor(maxTokens / 2), count: approxTokens }))
    expect(share).toBeGreaterThanOrEqual(0.8)
    expect(whole).toBeGreaterThanOrEqual(0.85)
  })
})
