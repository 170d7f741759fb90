import { inMemoryStore } from '@keepsake/core'
import { redacted } from '@keepsake/privacy'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { rowsOf, testClock } from '../support.ts'
import { LEASE_OVER_MS, mortalStore } from './support.ts'

const input = { threadId: 't', prompt: 'Write to bob@example.com', runId: 'r' }

/** A run over redaction, of two steps that pass an address on, whose process dies at a call of the store; another goes on. */
async function killAt(call: number) {
  const database = inMemoryStore()
  const clock = testClock()
  const asked: string[] = []
  const sent: string[] = []
  const agentOver = (store: ReturnType<typeof inMemoryStore>) =>
    createAgent({
      store: redacted(store, { secret: 'of this test' }),
      clock,
      owner: () => 'ada',
      model: scriptedModel(({ prompt }) => {
        const own = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user'))
        asked.push(String(own.length))
        if (own.length === 1)
          return [text('To carol@example.com, then.'), toolCall('send', { to: 'carol@example.com' })]
        return 'Sent to carol@example.com.'
      }),
      tools: {
        send: tool({
          inputSchema: z.object({ to: z.string() }),
          execute: async ({ to }) => {
            sent.push(to)
            return { accepted: to, by: '+49 171 1234567' }
          },
        }),
      },
    })
  const mortal = mortalStore(database, call)
  const running = agentOver(mortal).run(input)
  const ended = await Promise.race([running.then(() => 'ended'), mortal.died])
  clock.advance(LEASE_OVER_MS)
  const result = await agentOver(mortalStore(database)).run(input)
  const again = await agentOver(mortalStore(database)).run(input)
  const stored = (await rowsOf(database)).map(({ rec }) => Buffer.from(rec).toString('latin1')).join('\n')
  const messages = await agentOver(mortalStore(database)).messages('t', { owner: 'ada' })
  return { died: ended === 'died', result, again, stored, messages, asked, sent }
}

test('a run over redaction that is killed at any call goes on, repeats nothing that is journaled, and keeps no address', async () => {
  let deaths = 0
  for (let call = 1; ; call++) {
    const { died, result, again, stored, messages, asked, sent } = await killAt(call)
    const where = `call ${call}`
    expect(result.status, where).toBe('completed')
    // Asked for again it is what is stored.
    expect(again.text, where).toMatch(/^Sent to \[EMAIL_[0-9a-f]{6}\]\.$/)
    expect(stored, where).not.toMatch(/@example\.com|1234567/)
    expect(
      messages.map(({ role }) => role),
      where,
    ).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(messages[0]?.content, where).toMatch(/^Write to \[EMAIL_[0-9a-f]{6}\]$/)
    // What was in flight may be repeated.
    expect(asked.length, where).toBeLessThanOrEqual(3)
    expect(sent.length, where).toBeLessThanOrEqual(2)
    if (!died) {
      expect([asked, sent]).toEqual([['1', '3'], ['carol@example.com']])
      expect(deaths).toBeGreaterThan(10)
      return
    }
    deaths++
  }
})
