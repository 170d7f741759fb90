import { toolCall } from '@keepsake/store-testing'
import { window } from '@keepsake/strategies'
import { generateText, isStepCount, streamText, type ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import { withHistory } from '../src/index.ts'
import { echo, linesOf, promptsOf, setup } from './support.ts'

const providerOptions = withHistory('t1')
const THREE_STEPS = [
  toolCall('echo', { text: 'a' }),
  [toolCall('echo', { text: 'b' }), toolCall('echo', { text: 'c' })],
  toolCall('echo', { text: 'd' }),
  'Done.',
]
const WHOLE_TURN = [
  'user: Go',
  'assistant: call call-1 {"text":"a"}',
  'tool: result call-1 a!',
  'assistant: call call-2 {"text":"b"}, call call-3 {"text":"c"}',
  'tool: result call-2 b!, result call-3 c!',
  'assistant: call call-4 {"text":"d"}',
  'tool: result call-4 d!',
  'assistant: Done.',
]

test('generateText with three tool steps: each step is asked with the whole turn, and the turn is stored once', async () => {
  const one = setup([...THREE_STEPS, 'Again.'])
  const { remembering: model } = one
  const result = await generateText({
    model,
    prompt: 'Go',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions,
  })
  expect(result.text).toBe('Done.')
  expect(await linesOf(one)).toEqual(WHOLE_TURN)
  expect(promptsOf(one.model)).toEqual([1, 3, 5, 7].map((end) => WHOLE_TURN.slice(0, end)))

  await generateText({ model, prompt: 'And?', providerOptions })
  expect(promptsOf(one.model)[4]).toEqual([...WHOLE_TURN, 'user: And?'])
  expect(await linesOf(one)).toEqual([...WHOLE_TURN, 'user: And?', 'assistant: Again.'])
})

test('streamText with three tool steps stores and sends the same', async () => {
  const one = setup(THREE_STEPS)
  const result = streamText({
    model: one.remembering,
    prompt: 'Go',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions,
  })
  expect(await result.text).toBe('Done.')
  expect(await linesOf(one)).toEqual(WHOLE_TURN)
  expect(promptsOf(one.model)).toEqual([1, 3, 5, 7].map((end) => WHOLE_TURN.slice(0, end)))
})

test('the same text twice, and the same answer twice, are said twice', async () => {
  const one = setup(['Fine.', 'Fine.', 'Fine.'])
  for (let i = 0; i < 3; i++) await generateText({ model: one.remembering, prompt: 'ok', providerOptions })
  expect(await linesOf(one)).toEqual([
    'user: ok',
    'assistant: Fine.',
    'user: ok',
    'assistant: Fine.',
    'user: ok',
    'assistant: Fine.',
  ])
  expect(promptsOf(one.model)[2]).toEqual(['user: ok', 'assistant: Fine.', 'user: ok', 'assistant: Fine.', 'user: ok'])
})

test('the same text and the same tool call, with the same id, twice', async () => {
  const again = toolCall('echo', { text: 'a' }, 'call_0')
  const one = setup([again, 'Done.', again, 'Done.'])
  const ask = (): PromiseLike<unknown> =>
    generateText({
      model: one.remembering,
      prompt: 'ok',
      tools: echo().tools,
      stopWhen: isStepCount(9),
      providerOptions,
    })
  await ask()
  await ask()
  const turn = ['user: ok', 'assistant: call call_0 {"text":"a"}', 'tool: result call_0 a!', 'assistant: Done.']
  expect(await linesOf(one)).toEqual([...turn, ...turn])
  expect(promptsOf(one.model)[3]).toEqual([...turn, ...turn.slice(0, 3)])
})

test('a step whose prompt was cut by prepareStep is still recognised', async () => {
  const one = setup(THREE_STEPS, { prepare: [window(40)] })
  await generateText({
    model: one.remembering,
    prompt: 'Go',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions,
    prepareStep: ({ messages }) => ({ messages: window(2)(messages) }),
  })
  expect(await linesOf(one)).toEqual(WHOLE_TURN)
  // What of the past is sent is the history's to say, not the step's.
  expect(promptsOf(one.model)[3]).toEqual(WHOLE_TURN.slice(0, 7))
})

test('what a user says while tools are at work is new, and stored where it was said', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), toolCall('echo', { text: 'b' }), 'Done.'])
  const said: ModelMessage = { role: 'user', content: 'ok' }
  await generateText({
    model: one.remembering,
    prompt: 'ok',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions,
    prepareStep: ({ messages, stepNumber }) => ({ messages: stepNumber === 1 ? [...messages, said] : messages }),
  })
  const lines = await linesOf(one)
  expect(lines.slice(0, 5)).toEqual([
    'user: ok',
    'assistant: call call-1 {"text":"a"}',
    'tool: result call-1 a!',
    'user: ok',
    'assistant: call call-2 {"text":"b"}',
  ])
  expect(lines.slice(5)).toEqual(['tool: result call-2 b!', 'assistant: Done.'])
})

test('examples that are sent with every turn do not hide what was said since', async () => {
  const one = setup(['One.', 'Two.'])
  const examples: ModelMessage[] = [
    { role: 'user', content: 'Example' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'echo', input: { text: 'x' } }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'x', toolName: 'echo', output: { type: 'text', value: 'x!' } }],
    },
  ]
  for (const content of ['First', 'Second']) {
    await generateText({ model: one.remembering, messages: [...examples, { role: 'user', content }], providerOptions })
  }
  const sent = ['user: Example', 'assistant: call x {"text":"x"}', 'tool: result x x!']
  expect(promptsOf(one.model)[1]).toEqual([...sent, 'user: First', 'assistant: One.', ...sent, 'user: Second'])
})

test('a window of the history holds in the SDK’s loop, and no result is parted from its call', async () => {
  const one = setup([...THREE_STEPS, 'Again.'], { prepare: [window(2)] })
  const { remembering: model } = one
  await generateText({ model, prompt: 'Go', tools: echo().tools, stopWhen: isStepCount(9), providerOptions })
  await generateText({ model, prompt: 'And?', providerOptions })
  expect(promptsOf(one.model)).toEqual([
    WHOLE_TURN.slice(0, 1),
    WHOLE_TURN.slice(1, 3),
    WHOLE_TURN.slice(3, 5),
    WHOLE_TURN.slice(5, 7),
    ['assistant: Done.', 'user: And?'],
  ])
  expect(await linesOf(one)).toHaveLength(10)
})

test('a thread that is cleared in the middle of a turn has the whole turn again', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), 'Done.'])
  await generateText({
    model: one.remembering,
    prompt: 'Go',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions,
    prepareStep: async ({ stepNumber }) => {
      if (stepNumber === 1) await one.chat.clear('t1')
      return {}
    },
  })
  expect(await linesOf(one)).toEqual([
    'user: Go',
    'assistant: call call-1 {"text":"a"}',
    'tool: result call-1 a!',
    'assistant: Done.',
  ])
})
