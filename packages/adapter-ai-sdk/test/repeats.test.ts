import { chatMemory, inMemoryStore } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { reasoning, scriptedModel, text, toolCall, type Script, type ScriptedAnswer } from '@keepsake/store-testing'
import { createHistory } from '@keepsake/strategies'
import { generateText, isStepCount, streamText, type LanguageModel } from 'ai'
import { describe, expect, test } from 'vitest'
import { withHistory } from '../src/index.ts'
import { echo, linesOf, promptsOf, rejection, remember, setup } from './support.ts'

const TURN = [
  'user: Go',
  'assistant: call call-1 {"text":"a"}',
  'tool: result call-1 a!',
  'assistant: Between, call call-2 {"text":"b"}',
  'tool: result call-2 b!',
  'assistant: Done.',
]
const TWO_STEPS = [toolCall('echo', { text: 'a' }), [text('Between'), toolCall('echo', { text: 'b' })]]

type Ask = (model: LanguageModel, tools: ReturnType<typeof echo>['tools'], opId?: string) => Promise<string>
const asks: [string, Ask][] = [
  [
    'generateText',
    async (model, tools, opId = 'req-1') =>
      (
        await generateText({
          model,
          prompt: 'Go',
          tools,
          stopWhen: isStepCount(9),
          providerOptions: withHistory('t1', { opId }),
          maxRetries: 0,
        })
      ).text,
  ],
  [
    'streamText',
    async (model, tools, opId = 'req-1') => {
      const result = streamText({
        model,
        prompt: 'Go',
        tools,
        stopWhen: isStepCount(9),
        providerOptions: withHistory('t1', { opId }),
        maxRetries: 0,
        onError() {},
      })
      for await (const part of result.fullStream) if (part.type === 'error') throw part.error
      return result.text
    },
  ],
]

describe.each(asks)('%s, repeated with the same opId', (_name, ask) => {
  test.each([
    ['memory', () => inMemoryStore()],
    ['SQLite', () => sqliteStore({ path: ':memory:' })],
  ])('after its third step failed, on %s: no answer is asked for twice, and the turn is whole', async (_, open) => {
    await using store = open()
    const one = setup([...TWO_STEPS, new Error('refused'), 'Done.'], { store })
    const { tools, runs } = echo()
    await rejection(ask(one.remembering, tools))
    expect(await linesOf(one)).toEqual(TURN.slice(0, 4))

    expect(await ask(one.remembering, tools)).toBe('Done.')
    expect(await linesOf(one)).toEqual(TURN)
    expect(promptsOf(one.model)).toEqual([1, 3, 5, 5].map((end) => TURN.slice(0, end)))
    // Tools run again, and can tell by the id that it is the same call.
    expect(runs.map(({ id }) => id)).toEqual(['call-1', 'call-2', 'call-1', 'call-2'])
  })

  test('at the same time: the turn of one of them is stored, whole, and both say how it ended', async () => {
    let calls = 0
    const one = setup(({ prompt }) =>
      prompt.at(-1)?.role === 'tool' ? 'Done.' : toolCall('echo', { text: 'a' }, `c${++calls}`),
    )
    const answers = await Promise.all([1, 2, 3].map(() => ask(one.remembering, echo().tools)))
    expect(answers).toEqual(['Done.', 'Done.', 'Done.'])
    const lines = await linesOf(one)
    const id = /call (c\d)/.exec(lines[1]!)![1]
    expect(lines).toEqual([
      'user: Go',
      `assistant: call ${id} {"text":"a"}`,
      `tool: result ${id} a!`,
      'assistant: Done.',
    ])
  })

  test('after it was complete: the model is not asked at all', async () => {
    const one = setup([...TWO_STEPS, 'Done.'])
    expect(await ask(one.remembering, echo().tools)).toBe('Done.')
    const rows = await linesOf(one)
    expect(await ask(one.remembering, echo().tools)).toBe('Done.')
    expect(one.model.calls).toHaveLength(3)
    expect(await linesOf(one)).toEqual(rows)
  })

  test('after other turns followed, it is still served', async () => {
    const one = setup([...TWO_STEPS, 'Done.', 'Other.'])
    await ask(one.remembering, echo().tools)
    await ask(one.remembering, echo().tools, 'req-2')
    expect(await ask(one.remembering, echo().tools)).toBe('Done.')
    expect(one.model.calls).toHaveLength(4)
    expect(await linesOf(one)).toEqual([...TURN, 'user: Go', 'assistant: Other.'])
  })

  test('after the answer of the store to an append was lost: the turn is stored once', async () => {
    const chat = chatMemory(inMemoryStore())
    const history = createHistory({ chat })
    let appends = 0
    const losing = {
      ...history,
      append: async (...given: Parameters<typeof history.append>) => {
        await history.append(...given)
        if (++appends === 2) throw new Error('the answer was lost')
      },
    }
    const script: Script = [...TWO_STEPS, 'Done.']
    const model = scriptedModel(script)
    await rejection(ask(remember(model, losing), echo().tools))
    expect(await ask(remember(model, losing), echo().tools)).toBe('Done.')
    expect(await linesOf({ chat })).toEqual(TURN)
    expect(model.calls).toHaveLength(3)
  })
})

test('another opId is another question, whatever it says', async () => {
  const one = setup(['One.', 'Two.'])
  for (const opId of ['a', 'a/0', 'a'])
    await generateText({ model: one.remembering, prompt: 'ok', providerOptions: withHistory('t1', { opId }) })
  expect(await linesOf(one)).toEqual(['user: ok', 'assistant: One.', 'user: ok', 'assistant: Two.'])
})

test('an answer that is served has all its parts, is said to be one, and its usage is not known', async () => {
  const one = setup([[reasoning('Hm.'), text('Hello.')]])
  const providerOptions = withHistory('t1', { opId: 'req-1' })
  const ask = (): ReturnType<typeof generateText> =>
    generateText({ model: one.remembering, prompt: 'Hi', providerOptions })
  const first = await ask()
  const second = await ask()
  expect(second.text).toBe('Hello.')
  expect(second.reasoningText).toBe('Hm.')
  expect([first.finishReason, second.finishReason]).toEqual(['stop', 'stop'])
  expect([first.usage.totalTokens, second.usage.totalTokens]).toEqual([15, undefined])
  expect(second.finalStep.providerMetadata).toEqual({ keepsake: { replayed: true } })
})

test.each<[string, ScriptedAnswer]>([
  ['nothing', { content: [] }],
  ['reasoning alone', reasoning('Hm.')],
])('an answer of %s is one too, and the thread goes on behind it', async (_name, empty) => {
  const one = setup([empty, 'Hello.'])
  const call = { model: one.remembering, prompt: 'Hi' }
  for (let i = 0; i < 2; i++)
    expect((await generateText({ ...call, providerOptions: withHistory('t1', { opId: 'req-1' }) })).text).toBe('')
  await generateText({ ...call, providerOptions: withHistory('t1', { opId: 'req-2' }) })
  expect(promptsOf(one.model)).toEqual([['user: Hi'], ['user: Hi', 'user: Hi']])
})

test('a user’s message that joins in does not confuse a repeat', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), new Error('refused'), 'Done.', 'Never asked.'])
  const ask = (): PromiseLike<{ text: string }> =>
    generateText({
      model: one.remembering,
      prompt: 'Go',
      tools: echo().tools,
      stopWhen: isStepCount(5),
      providerOptions: withHistory('t1', { opId: 'req-1' }),
      maxRetries: 0,
      prepareStep: ({ messages, stepNumber }) => ({
        messages: stepNumber === 0 ? messages : [...messages, { role: 'user', content: 'Be brief' }],
      }),
    })
  await rejection(ask())
  for (let i = 0; i < 2; i++) expect((await ask()).text).toBe('Done.')
  expect(one.model.calls).toHaveLength(3)
  expect(await linesOf(one)).toEqual([
    'user: Go',
    'assistant: call call-1 {"text":"a"}',
    'tool: result call-1 a!',
    'user: Be brief',
    'assistant: Done.',
  ])
})
