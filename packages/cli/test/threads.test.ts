import { chatMemory, type AnyMessage } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

const TIME = '2024-01-01 00:00:01Z'

/** Messages of AI SDK's ModelMessage and of UIMessage, with ids so that they can be expected. */
const MODEL_MESSAGES: (AnyMessage & Record<string, unknown>)[] = [
  { id: 'm1', role: 'user', content: 'Answer in German.\n\tBe brief.' },
  {
    id: 'm2',
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'They want German.' },
      { type: 'text', text: 'Gern!\u001b[2J' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Köln' } },
    ],
  },
  {
    id: 'm3',
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output: { type: 'json', value: { celsius: 21 } } },
    ],
  },
  { id: 'm4', role: 'assistant', content: [{ type: 'text', text: '21 Grad.' }] },
]

async function seedThreads(folder: string): Promise<void> {
  await seed(folder, async (store, clock) => {
    const chat = chatMemory<AnyMessage>(store, { clock })
    await chat.append('t1', MODEL_MESSAGES.slice(0, 1), { owner: 'ada' })
    await chat.append('t1', MODEL_MESSAGES.slice(1))
    await chat.append('t/2', [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hi' }] } as AnyMessage], {
      owner: 'ada',
    })
    await chat.append('bobs\u0007', [{ id: 'b1', role: 'user', content: 'hello' } as AnyMessage], { owner: 'bob/x' })
    await chat.append('cleared', [{ id: 'x1', role: 'user', content: 'gone' } as AnyMessage])
    await chat.clear('cleared')
  })
}

describe('keepsake threads', () => {
  it("lists everybody's in the order of their ids", async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    expect(await keepsake(folder, ['threads'])).toEqual({
      code: 0,
      stdout: [
        'THREAD       OWNER  CREATED               UPDATED',
        String.raw`bobs\u0007   bob/x  2024-01-01 00:00:01Z  2024-01-01 00:00:01Z`,
        't/2          ada    2024-01-01 00:00:01Z  2024-01-01 00:00:01Z',
        't1           ada    2024-01-01 00:00:01Z  2024-01-01 00:00:01Z',
        '',
      ]
        .join('\n')
        .replaceAll(/^(THREAD {6}|bobs\\u0007|t\/2 {9}|t1 {10}) /gm, '$1'),
      stderr: '',
    })
  })

  it("lists an owner's, newest first, whole or cut", async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    const all = await keepsake(folder, ['threads', '--owner', 'ada', '--json'])
    expect(jsonLines(all.stdout)).toEqual([
      { id: 't/2', owner: 'ada', createdAtMs: SEED_MS, updatedAtMs: SEED_MS },
      { id: 't1', owner: 'ada', createdAtMs: SEED_MS, updatedAtMs: SEED_MS },
    ])
    const one = await keepsake(folder, ['threads', '--owner', 'bob/x', '--json'])
    expect(jsonLines(one.stdout)).toMatchObject([{ id: 'bobs\u0007' }])
    const cut = await keepsake(folder, ['threads', '--limit', '1'])
    expect([cut.code, cut.stdout.split('\n').length, cut.stderr]).toEqual([
      0,
      3,
      'These are the first 1; there are more threads: use a larger --limit, or --json for all.\n',
    ])
  })

  it('says so where there are none', async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    expect(await keepsake(folder, ['threads', '--owner', 'eve'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'eve has no threads.\n',
    })
  })
})

describe('keepsake thread show', () => {
  it('shows what was said, and nothing that a terminal would obey', async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    expect(await keepsake(folder, ['thread', 'show', 't1'])).toEqual({
      code: 0,
      stdout: [
        `user  ${TIME}  m1`,
        '  Answer in German.',
        '  \tBe brief.',
        '',
        `assistant  ${TIME}  m2`,
        '  (thinks) They want German.',
        String.raw`  Gern!\u001b[2J`,
        '  → weather {"city":"Köln"}',
        '',
        `tool  ${TIME}  m3`,
        '  ← weather {"celsius":21}',
        '',
        `assistant  ${TIME}  m4`,
        '  21 Grad.',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it('shows the newest only, and messages of a user interface', async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    const last = await keepsake(folder, ['thread', 'show', 't1', '--last', '1'])
    expect(last.stdout).toBe(`assistant  ${TIME}  m4\n  21 Grad.\n`)
    const ui = await keepsake(folder, ['thread', 'show', 't/2'])
    expect(ui.stdout).toBe(`user  ${TIME}  u1\n  hi\n`)
  })

  it('gives machines the messages as they are stored', async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['thread', 'show', 't1', '--json'])
    expect(jsonLines(stdout)).toEqual(MODEL_MESSAGES.map((message) => ({ ...message, createdAtMs: SEED_MS })))
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each(['nobody', 'cleared'])('%s is not found', async (id) => {
    const folder = tempFolder()
    await seedThreads(folder)
    expect(await keepsake(folder, ['thread', 'show', id])).toEqual({
      code: 3,
      stdout: '',
      stderr: `keepsake: There is no thread ${id}. See them all with: keepsake threads\n`,
    })
  })

  it('refuses an id that no thread can have', async () => {
    const folder = tempFolder()
    await seedThreads(folder)
    const { code, stderr } = await keepsake(folder, ['thread', 'show', ''])
    expect([code, stderr]).toEqual([2, expect.stringContaining('threadId is empty') as string])
  })
})
