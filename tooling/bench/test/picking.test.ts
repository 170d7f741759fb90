import { expect, test } from 'vitest'
import { parseLocomo } from '../src/locomo.ts'
import { measurePicking, measurePickMillis } from '../src/picking/picking.ts'
import { sessionFiles } from '../src/picking/session-files.ts'

const turn = (dia_id: string, text: string): object => ({ dia_id, speaker: 'Ada', text })
const conversations = parseLocomo(
  JSON.stringify([
    {
      conversation: {
        session_1_date_time: '1 May 2026',
        session_1: [turn('D1:1', 'I planted tomatoes.'), turn('D1:2', 'And beans.')],
        session_2_date_time: '2 May 2026',
        session_2: [turn('D2:1', 'My bicycle was stolen.')],
      },
      session_summary: { session_2_summary: 'Ada lost her bike. She is sad.' },
      qa: [
        { question: 'What did she plant?', category: 4, evidence: ['D1:1; D1:02'] },
        { question: 'What about the bicycle?', category: 4, evidence: ['D2:1', 'D9:9'] },
        { question: 'Who stole the moon?', category: 5, evidence: ['D2:1'] },
        { question: 'Who?', category: 4, evidence: ['D9:9'] },
      ],
    },
    {
      conversation: { session_1_date_time: '3 May 2026', session_1: [turn('D1:1', 'The piano is out of tune.')] },
      qa: [{ question: 'Which instrument is out of tune?', category: 4, evidence: ['D1:1'] }],
    },
  ]),
)

test('sessions become files with their questions', () => {
  const [first] = conversations.map(sessionFiles)
  expect(first!.files[1]).toEqual({
    path: '/sessions/02.md',
    content: '---\ndescription: "Ada lost her bike."\n---\n\n2 May 2026\nAda: My bicycle was stolen.\n',
  })
  expect(first!.questions).toEqual([
    { text: 'What did she plant?', evidence: new Set(['/sessions/01.md']) },
    { text: 'What about the bicycle?', evidence: new Set(['/sessions/02.md']) },
  ])
})

test('picking is counted', async () => {
  expect(await measurePicking(conversations.map(sessionFiles))).toEqual({
    questions: 3,
    hitAt3: 1,
    hitAt1: 1,
    foreignPickNothing: 1,
    unknownPickNothing: 1,
  })
  expect(measurePickMillis(conversations.map(sessionFiles), 10)).toBeGreaterThan(0)
})
