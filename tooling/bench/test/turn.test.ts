import { inMemoryStore } from '@keepsake/core'
import { expect, test } from 'vitest'
import { memorySaverTurn } from '../src/langgraph-turn.ts'
import { measureTurn, turnBytes } from '../src/turn.ts'

test('a turn with one model call is three calls that write: claim, answer, commit', async () => {
  const { counts } = await measureTurn(inMemoryStore(), { messages: 20, long: 0, rounds: 2, operations: 1 })
  // Of reads: the heads, the event, the thread; the clean-up behind the claim reads too.
  expect(counts.writes).toBe(3)
  // The event before and the head; the answer; the turn, the commit and the head.
  expect(counts.rowsWritten).toBe(6)
})

test('a turn writes the same to a long thread as to a short one', async () => {
  const { short, long } = await turnBytes({ long: 600 })
  expect(long).toBe(short)
  expect(long).toBeLessThan(2_500)
})

test('LangGraph does the same work: two messages more with each turn', async () => {
  await using turn = await memorySaverTurn(10)
  const { messages } = (await turn.run()) as { messages: unknown[] }
  expect(messages).toHaveLength(12)
})
