import { scriptedModel, text, toolCall, type ScriptedPart } from '@keepsake/store-testing'
import { convertToModelMessages, generateText, isStepCount, tool, type ModelMessage, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withHistory } from '../src/index.ts'
import { linesOf, promptsOf, remember, setup, type Setup } from './support.ts'

const question: ModelMessage = { role: 'user', content: 'Clean up' }

function removing() {
  const removed: string[] = []
  const input = z.object({ path: z.string() })
  const tools = {
    list: tool({ inputSchema: z.object({}), execute: async () => 'a b' }),
    remove: tool({
      inputSchema: input,
      execute: async ({ path }) => {
        removed.push(path)
        return `removed ${path}`
      },
    }),
  }
  return { tools, removed }
}

/** A call of the SDK with tools of which one needs a person's approval. */
function ask(
  { remembering }: Pick<Setup, 'remembering'>,
  tools: ReturnType<typeof removing>['tools'],
  messages: ModelMessage[],
  opId?: string,
) {
  return generateText({
    model: remembering,
    messages,
    tools,
    toolApproval: { remove: 'user-approval' },
    stopWhen: isStepCount(9),
    providerOptions: withHistory('t1', opId === undefined ? {} : { opId }),
  })
}

type Asked = Awaited<ReturnType<typeof ask>>

function answer(result: Asked, approved: boolean): ModelMessage {
  const requests = result.content.filter((part) => part.type === 'tool-approval-request')
  expect(requests.length).toBeGreaterThan(0)
  return {
    role: 'tool',
    content: requests.map(({ approvalId, toolCall: { providerExecuted = false } }) => ({
      type: 'tool-approval-response',
      approvalId,
      approved,
      reason: 'mine',
      providerExecuted,
    })),
  }
}

const SCRIPT: ScriptedPart[][] = [
  [toolCall('list', {})],
  [text('Removing.'), toolCall('list', {}), toolCall('remove', { path: 'a' })],
  [text('Done.')],
]
const BEFORE = [
  'user: Clean up',
  'assistant: call call-1 {}',
  'tool: result call-1 a b',
  'assistant: Removing., call call-2 {}, call call-3 {"path":"a"}',
]

describe('a tool that a person must approve', () => {
  test.each([undefined, 'req-2'])('approved, opId %s', async (opId) => {
    const one = setup(SCRIPT)
    const { tools, removed } = removing()
    const first = await ask(one, tools, [question], opId && 'req-1')
    expect(await linesOf(one)).toEqual(BEFORE)
    const messages = [question, ...first.responseMessages, answer(first, true)]
    const turn = [...BEFORE, 'tool: result call-2 a b, result call-3 removed a', 'assistant: Done.']
    const repeats = opId === undefined ? 1 : 2
    for (let i = 0; i < repeats; i++) expect((await ask(one, tools, messages, opId)).text).toBe('Done.')
    expect(removed).toHaveLength(repeats)
    expect(await linesOf(one)).toEqual(turn)
    expect(promptsOf(one.model)).toEqual([1, 3, 5].map((end) => turn.slice(0, end)))
  })

  test('approved in a browser: the last message of useChat alone', async () => {
    const one = setup(SCRIPT)
    const { tools } = removing()
    const first = await ask(one, tools, [question])
    const request = first.content.find((part) => part.type === 'tool-approval-request')
    const answered: UIMessage = {
      id: 'm2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'tool-list', toolCallId: 'call-1', state: 'output-available', input: {}, output: 'a b' },
        { type: 'step-start' },
        { type: 'text', text: 'Removing.' },
        { type: 'tool-list', toolCallId: 'call-2', state: 'output-available', input: {}, output: 'a b' },
        {
          type: 'tool-remove',
          toolCallId: 'call-3',
          state: 'approval-responded',
          input: { path: 'a' },
          approval: { id: request!.approvalId, approved: true },
        },
      ],
    }
    await ask(one, tools, await convertToModelMessages([answered]))
    expect(await linesOf(one)).toEqual([
      ...BEFORE,
      'tool: result call-2 a b, result call-3 removed a',
      'assistant: Done.',
    ])
  })

  test('denied', async () => {
    const one = setup(SCRIPT)
    const { tools, removed } = removing()
    const first = await ask(one, tools, [question])
    await ask(one, tools, [question, ...first.responseMessages, answer(first, false)])
    expect(removed).toEqual([])
    expect((await linesOf(one)).slice(4)).toEqual([
      'tool: result call-2 a b, result call-3 execution-denied',
      'assistant: Done.',
    ])
  })

  test('never answered: the user goes on, and the call is not sent', async () => {
    const one = setup([...SCRIPT.slice(0, 2), 'Fine.'])
    const { tools, removed } = removing()
    await ask(one, tools, [question])
    await ask(one, tools, [{ role: 'user', content: 'Leave it' }])
    expect(removed).toEqual([])
    expect(promptsOf(one.model)[2]).toEqual([...BEFORE.slice(0, 3), 'user: Leave it'])
  })
})

test('a tool that the provider runs once a person has approved it', async () => {
  const mcp = { toolCallId: 'm1', toolName: 'mcp.search', providerExecuted: true, dynamic: true } as const
  const { history, chat } = setup([])
  const model = scriptedModel([
    [
      { type: 'tool-call', ...mcp, input: '{"q":"x"}' },
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'm1' },
    ],
    [
      { type: 'tool-call', ...mcp, input: '{"q":"x"}' },
      { type: 'tool-result', ...mcp, result: 'found' },
      text('Found.'),
    ],
    'Again.',
  ])
  const one = { model, chat, remembering: remember(model, history) }
  const { tools } = removing()
  const first = await ask(one, tools, [question])
  await ask(one, tools, [question, ...first.responseMessages, answer(first, true)])
  const turn = [
    'user: Clean up',
    'assistant: call m1 {"q":"x"}, tool-approval-request',
    'tool: approval a1 true',
    'assistant: call m1 {"q":"x"}, result m1 found, Found.',
  ]
  expect(await linesOf(one)).toEqual(turn)
  // Requests are between the provider and the person: they are not sent, the answers are.
  const sent = turn.map((line) => line.replace(', tool-approval-request', ''))
  expect(promptsOf(model)[1]).toEqual(sent.slice(0, 3))
  await ask(one, tools, [{ role: 'user', content: 'More' }])
  expect(promptsOf(model)[2]).toEqual([...sent, 'user: More'])
})
