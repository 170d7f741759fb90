import { inProcessIndex } from '@keepsake/core'
import { sqliteSearchIndex } from '@keepsake/store-sql/sqlite'
import { expect, test } from 'vitest'
import { ask } from '../src/recall/ask.ts'
import { measureCost } from '../src/recall/cost.ts'
import { parseLocomo } from '../src/locomo.ts'
import { qualityOf } from '../src/recall/metrics.ts'
import { benchRecall } from '../src/recall/recall.ts'
import { dateOf, turnDocuments } from '../src/recall/turn-documents.ts'

const sample = {
  sample_id: 'c',
  conversation: {
    session_10: [{ dia_id: 'D10:1', speaker: 'Ann', text: 'I bought a kayak' }],
    session_10_date_time: '1:56 pm on 8 May, 2023',
    session_2: [
      { dia_id: 'D2:1', speaker: 'Bob', text: 'Look!', blip_caption: 'a red kite' },
      { dia_id: 'D2:2', speaker: 'Ann', text: 'Nice weather' },
    ],
  },
  qa: [
    { question: 'What did Ann buy?', category: 4, evidence: ['D10:01'] },
    { question: 'Who has a kite?', category: 4, evidence: ['D2:1', 'D9:9'] },
    { question: 'zebra', category: 1, evidence: ['D2:2'] },
    { question: 'Who sold the moon?', category: 5, evidence: ['D2:2'] },
  ],
}
const conversation = turnDocuments(parseLocomo(JSON.stringify([sample]))[0]!)

test('turns are those of the sessions in order, with what is known of them', () => {
  expect(conversation.turns.map(({ id, text, position }) => [id, text, position])).toEqual([
    ['D2:1', 'Look! [shares a red kite]', 0],
    ['D2:2', 'Nice weather', 1],
    ['D10:1', 'I bought a kayak', 0],
  ])
  expect(conversation.turns[2]).toMatchObject({ speaker: 'Ann', session: '10', atMs: Date.UTC(2023, 4, 8, 13, 56) })
  expect(dateOf('12:05 am on 1 January, 2024')).toBe(Date.UTC(2024, 0, 1, 0, 5))
  expect(dateOf('undefined')).toBeUndefined()
})

test('quality is worked out as it is defined', () => {
  const wanted = new Set(['a', 'b'])
  const ranked = ['x', 'a', 'y', 'z', 'v', 'b']
  // 1 of 2 in the first 5; gains at places 2 and 6 of what places 1 and 2 would gain.
  const ndcg = (1 / Math.log2(3) + 1 / Math.log2(7)) / (1 + 1 / Math.log2(3))
  expect(qualityOf([{ ranked, wanted }])).toEqual({
    questions: 1,
    recallAt1: 0,
    recallAt5: 0.5,
    recallAt10: 1,
    ndcgAt10: ndcg,
  })
})

test('every index is asked every question, with vectors and without', async () => {
  for (const open of [() => inProcessIndex(), () => sqliteSearchIndex({ path: ':memory:' })]) {
    const found = await ask(open(), [conversation])
    expect([found.questions, found.recallAt10]).toEqual([3, 2 / 3])
    const knowing = await ask(open(), [conversation], { vectors: 'knowing', dims: 32 })
    expect(knowing.recallAt10).toBe(1)
  }
})

test('costs are of as many memories as wanted', async () => {
  const cost = await measureCost([conversation], 50)
  expect(cost.memories).toBe(50)
  expect(cost.addMicros).toBeGreaterThan(0)
})

test('without the data it says so', async () => {
  const kept = process.env['KEEPSAKE_LOCOMO']
  delete process.env['KEEPSAKE_LOCOMO']
  expect((await benchRecall()).map(({ what }) => what)).toEqual([
    expect.stringContaining('SKIPPED: set KEEPSAKE_LOCOMO'),
  ])
  if (kept !== undefined) process.env['KEEPSAKE_LOCOMO'] = kept
})
