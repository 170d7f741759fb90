import { inMemoryStore, type RowStore } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { readUIMessageStream, tool, toUIMessageStream } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAgent, type Agent, type AgentOptions, type RunResult } from '../../src/index.ts'
import { all, bare, rejection, testClock } from '../support.ts'
import { LEASE_OVER_MS } from './support.ts'

const Context = z.object({ userId: z.string() })
type Ctx = z.infer<typeof Context>

function files(
  store: RowStore = inMemoryStore(),
  toolApproval: AgentOptions<Ctx>['toolApproval'] = { rm: 'user-approval' },
) {
  const removed: string[] = []
  const asked: number[] = []
  const clock = testClock()
  const looked = vi.fn()
  function process(): Agent<Ctx> {
    return createAgent({
      store,
      clock,
      context: Context,
      owner: ({ userId }) => userId,
      toolApproval,
      model: scriptedModel(({ prompt }) => {
        asked.push(prompt.length)
        return prompt.length === 1
          ? [text('I clean up.'), toolCall('rm', { path: '/a' }), toolCall('ls', {}), toolCall('rm', { path: '/b' })]
          : 'Clean.'
      }),
      tools: {
        ls: tool({ inputSchema: z.object({}), execute: async () => (looked(), ['/a', '/b']) }),
        rm: tool({
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => {
            removed.push(path)
            return `removed ${path}`
          },
        }),
      },
    })
  }
  return { process, removed, asked, looked, clock, store }
}

const context = { userId: 'ada' }
const start = { threadId: 't', prompt: 'Clean up', runId: 'r', context }

function open(result: RunResult): Extract<RunResult, { status: 'suspended' }> {
  if (result.status !== 'suspended') throw new Error(`it is ${result.status}`)
  return result
}

const answer = (approvals: readonly { approvalId: string }[], ...approved: boolean[]) =>
  approvals.map(({ approvalId }, index) => ({
    approvalId,
    approved: approved[index]!,
    ...(!approved[index] && { reason: 'Keep it.' }),
  }))

describe('a run that needs approvals', () => {
  test('is suspended; other calls of the step are run; nothing is in the thread yet', async () => {
    const { process, removed, looked } = files()
    const agent = process()
    const result = open(await agent.run(start))
    expect(result).toMatchObject({ runId: 'r', threadId: 't', finishReason: 'tool-calls', replayed: false })
    expect(result.approvals).toEqual([
      { approvalId: 'call-1@r', toolCallId: 'call-1', toolName: 'rm', input: { path: '/a' } },
      { approvalId: 'call-3@r', toolCallId: 'call-3', toolName: 'rm', input: { path: '/b' } },
    ])
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect([removed, looked.mock.calls.length]).toEqual([[], 1])
    expect(await agent.messages('t')).toEqual([])
  })

  test('goes on in another process; what is denied is told to the model', async () => {
    const { process, removed, asked, looked } = files()
    const { approvals } = open(await process().run(start))
    const result = await process().run({ threadId: 't', approvals: answer(approvals, true, false), context })
    expect(result).toMatchObject({ status: 'completed', runId: 'r', text: 'Clean.', replayed: false })
    expect([removed, asked, looked.mock.calls.length]).toEqual([['/a'], [1, 3], 1])
    expect(bare(await process().messages('t')).slice(1, 3)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I clean up.' },
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'rm', input: { path: '/a' } },
          { type: 'tool-call', toolCallId: 'call-2', toolName: 'ls', input: {} },
          { type: 'tool-call', toolCallId: 'call-3', toolName: 'rm', input: { path: '/b' } },
          { type: 'tool-approval-request', approvalId: 'call-1@r', toolCallId: 'call-1' },
          { type: 'tool-approval-request', approvalId: 'call-3@r', toolCallId: 'call-3' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-approval-response', approvalId: 'call-1@r', approved: true },
          { type: 'tool-approval-response', approvalId: 'call-3@r', approved: false, reason: 'Keep it.' },
          { type: 'tool-result', toolCallId: 'call-1', toolName: 'rm', output: { type: 'text', value: 'removed /a' } },
          { type: 'tool-result', toolCallId: 'call-2', toolName: 'ls', output: { type: 'json', value: ['/a', '/b'] } },
          {
            type: 'tool-result',
            toolCallId: 'call-3',
            toolName: 'rm',
            output: { type: 'execution-denied', reason: 'Keep it.' },
          },
        ],
      },
    ])
  })

  test('the same run again, or another of the thread, is given the same question', async () => {
    const { process, asked } = files()
    const first = open(await process().run(start))
    const again = open(await process().run(start))
    expect(again).toEqual(first)
    const other = open(await process().run({ ...start, runId: 'other', prompt: 'Hello?' }))
    expect(other).toMatchObject({ runId: 'r', approvals: first.approvals })
    expect(asked).toEqual([1])
  })

  test('the answer again: the result; another answer changes nothing', async () => {
    const { process, removed } = files()
    const { approvals } = open(await process().run(start))
    const first = await process().run({ threadId: 't', approvals: answer(approvals, true, false), context })
    const again = await process().run({ threadId: 't', approvals: answer(approvals, true, true), context })
    expect(again).toEqual({ ...first, replayed: true })
    expect(removed).toEqual(['/a'])
  })

  test('two answers at once: one counts, both are told what came of it', async () => {
    const { process, removed } = files()
    const { approvals } = open(await process().run(start))
    const results = await Promise.all(
      [true, false].map((yes) => process().run({ threadId: 't', approvals: answer(approvals, yes, yes), context })),
    )
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(results[0]!.messages).toEqual(results[1]!.messages)
    expect([0, 2]).toContain(removed.length)
  })

  test.each([
    ['too few', (ids: string[]) => [{ approvalId: ids[0]!, approved: true }], 'invalid_value'],
    [
      'one twice',
      (ids: string[]) => [ids[0]!, ids[0]!].map((approvalId) => ({ approvalId, approved: true })),
      'invalid_value',
    ],
    ['unknown ones', () => [{ approvalId: 'x@other', approved: true }], 'conflict'],
  ])('%s are refused, and it stays suspended', async (_name, given, code) => {
    const { process, removed } = files()
    const { approvals } = open(await process().run(start))
    const ids = approvals.map(({ approvalId }) => approvalId)
    const error = await rejection(process().run({ threadId: 't', approvals: given(ids), context }))
    expect(error.code).toBe(code)
    expect(removed).toEqual([])
    expect(open(await process().run(start)).approvals).toEqual(approvals)
  })

  test("is not somebody else's to answer, to see or to take over", async () => {
    const { process, removed, clock } = files()
    const { approvals } = open(await process().run(start))
    const eve = { userId: 'eve' }
    for (const input of [
      { threadId: 't', approvals: answer(approvals, true, true), context: eve },
      { threadId: 't', prompt: 'Hi', context: eve },
      { ...start, context: eve },
    ]) {
      expect((await rejection(process().run(input))).code).toBe('wrong_owner')
    }
    clock.advance(LEASE_OVER_MS)
    expect(removed).toEqual([])
    expect(open(await process().run(start)).approvals).toEqual(approvals)
  })

  test('as a stream: the requests, and in the next the whole from the start', async () => {
    const { process } = files()
    const first = process().stream(start)
    const parts = await all(first.stream)
    expect(parts.map(({ type }) => type).slice(-4)).toEqual([
      'tool-approval-request',
      'tool-approval-request',
      'finish-step',
      'finish',
    ])
    const shown = await all(
      readUIMessageStream({ stream: toUIMessageStream({ stream: process().stream(start).stream }) }),
    )
    expect(shown.at(-1)!.parts.filter((part) => 'approval' in part)).toHaveLength(2)

    const { approvals } = open(await first.result)
    const next = process().stream({ threadId: 't', approvals: answer(approvals, true, false), context })
    const types = (await all(next.stream)).map(({ type }) => type)
    expect(types.filter((type) => type === 'tool-output-denied')).toHaveLength(1)
    expect(types.filter((type) => type === 'tool-result')).toHaveLength(2)
    expect(types.at(-1)).toBe('finish')
    expect(await next.result).toMatchObject({ text: 'Clean.' })
  })
})

describe('toolApproval', () => {
  test('a function is given the checked input and the context; what it said is kept over the suspension', async () => {
    const decide = vi.fn((input: { path: string }, { toolContext }: { toolContext: Ctx }) =>
      input.path === '/a'
        ? ({ type: 'user-approval', reason: `Sure, ${toolContext.userId}?` } as const)
        : ('denied' as const),
    )
    const { process, removed } = files(undefined, { rm: decide })
    const { approvals } = open(await process().run(start))
    expect(approvals).toMatchObject([{ toolCallId: 'call-1', reason: 'Sure, ada?' }])
    const result = await process().run({ threadId: 't', approvals: answer(approvals, true), context })
    expect(decide).toHaveBeenCalledTimes(2)
    expect(removed).toEqual(['/a'])
    expect(JSON.stringify(result.messages)).toContain('execution-denied')
  })

  test.each([['approved' as const], ['not-applicable' as const], [{ type: 'approved' as const }]])(
    '%j: it runs',
    async (rm) => {
      const { process, removed } = files(undefined, { rm })
      expect((await process().run(start)).status).toBe('completed')
      expect(removed).toEqual(['/a', '/b'])
    },
  )

  test('denied: it does not, and nobody is asked', async () => {
    const { process, removed } = files(undefined, { rm: { type: 'denied', reason: 'Never.' } })
    const result = await process().run(start)
    expect(result.status).toBe('completed')
    expect(JSON.stringify(result.messages).match(/Never\./g)).toHaveLength(2)
    expect(removed).toEqual([])
  })

  test.each([
    [{ rn: 'user-approval' }, /names the tool "rn"/],
    [{ rm: 'always' }, /must be 'approved', 'denied'/],
    ['yes', /must be an object/],
  ])('%j is refused', (toolApproval, words) => {
    expect(() => files(undefined, toolApproval as never).process()).toThrow(words)
  })

  test('a function that gives none of these fails the run: the call is not run', async () => {
    const { process, removed } = files(undefined, { rm: () => true as never })
    expect((await rejection(process().run(start))).code).toBe('invalid_value')
    expect(removed).toEqual([])
  })

  test('without a history a run can be answered as long as its agent lives', async () => {
    const agent = createAgent({
      history: 'none',
      model: scriptedModel([toolCall('t', {}), 'Ok.']),
      tools: { t: tool({ inputSchema: z.object({}), execute: async () => 1 }) },
      toolApproval: { t: 'user-approval' },
    })
    const { approvals } = open(await agent.run({ threadId: 't', prompt: 'Go' }))
    expect((await agent.run({ threadId: 't', approvals: answer(approvals, true) })).text).toBe('Ok.')
  })
})
