import { inMemoryStore, type RowStore } from '@keepsake/core'
import { compositeFiles, rowFiles, withPermissions, type Files, type Permission } from '@keepsake/files'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { asTool, createAgent, type Agent, type AgentOptions, type RunResult } from '../../src/index.ts'
import { all, testClock } from '../support.ts'
import { LEASE_OVER_MS, mortalStore } from './support.ts'

const LAW = '/policies/law.md'
const ASK: Permission = { operations: ['write'], paths: ['/policies/**'], mode: 'ask' }

async function office() {
  const store = inMemoryStore()
  const clock = testClock()
  const stored = rowFiles(inMemoryStore(), 'org')
  await stored.write(LAW, 'Be polite.\n')
  await stored.write('/notes.md', 'Milk.\n')
  const asked: number[] = []
  /** A process of its own: nothing but store and files is shared with another. */
  function process(
    rules: readonly Permission[] = [ASK],
    on: RowStore = store,
    more: Partial<AgentOptions<undefined>> = {},
  ): Agent<undefined> {
    return createAgent({
      store: on,
      clock,
      files: () => withPermissions(stored, rules),
      model: scriptedModel(({ prompt }) => {
        asked.push(prompt.length)
        return prompt.at(-1)!.role === 'user'
          ? [
              toolCall('edit_file', { file_path: LAW, old_string: 'polite', new_string: 'kind' }),
              toolCall('edit_file', { file_path: '/notes.md', old_string: 'Milk', new_string: 'Bread' }),
            ]
          : 'Done.'
      }),
      ...more,
    })
  }
  return { process, store, clock, stored, asked }
}

const start = { threadId: 't', prompt: 'Be kind', runId: 'r' }
const answers = (approvals: readonly { approvalId: string }[], approved: boolean, reason?: string) =>
  approvals.map(({ approvalId }) => ({ approvalId, approved, ...(reason !== undefined && { reason }) }))

function open(result: RunResult): Extract<RunResult, { status: 'suspended' }> {
  if (result.status !== 'suspended') throw new Error(`it is ${result.status}`)
  return result
}

async function textOf(files: Files, path: string): Promise<string> {
  const read = await files.read(path)
  return read.ok ? read.value.content : read.code
}

/** What the model was told of the two calls. */
function outputsOf({ messages }: RunResult): unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  )
}

test('a rule that asks suspends the run before the file is touched; other calls are run', async () => {
  const { process, stored } = await office()
  const result = open(await process().run(start))
  expect(result.approvals).toEqual([
    {
      approvalId: 'call-1@r',
      toolCallId: 'call-1',
      toolName: 'edit_file',
      input: { file_path: LAW, old_string: 'polite', new_string: 'kind' },
      reason: `A rule asks before editing ${LAW}.`,
    },
  ])
  expect(await textOf(stored, LAW)).toBe('Be polite.\n')
  expect(await textOf(stored, '/notes.md')).toBe('Bread.\n')
})

test('allowed: another process makes the call, once', async () => {
  const { process, stored, asked } = await office()
  const { approvals } = open(await process().run(start))
  const result = await process().run({ threadId: 't', approvals: answers(approvals, true) })
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(outputsOf(result)).toEqual([
    { type: 'text', value: `Edited ${LAW} (line 1)` },
    { type: 'text', value: 'Edited /notes.md (line 1)' },
  ])
  expect(await textOf(stored, LAW)).toBe('Be kind.\n')
  expect(asked).toEqual([1, 3])
})

test.each([
  [undefined, `Error: Permission denied editing ${LAW}`],
  ['Not today.', `Error: Permission denied editing ${LAW}: Not today.`],
])('denied with the reason %j: the model is told %j', async (reason, told) => {
  const { process, stored } = await office()
  const { approvals } = open(await process().run(start))
  const result = await process().run({ threadId: 't', approvals: answers(approvals, false, reason) })
  expect(outputsOf(result)).toEqual([
    { type: 'execution-denied', reason: told },
    { type: 'text', value: 'Edited /notes.md (line 1)' },
  ])
  expect(await textOf(stored, LAW)).toBe('Be polite.\n')
})

test('the process may die at any call of the store, before and after the answer: asked once, edited once', async () => {
  let deaths = 0
  for (let call = 1; ; call++) {
    let died = false
    for (const when of ['before', 'after'] as const) {
      const { process, store, clock, stored } = await office()
      const mortal = mortalStore(store, call, when)
      const whole = async (agent: Agent<undefined>): Promise<RunResult> => {
        const first = await agent.run(start)
        if (first.status === 'completed') return first
        return agent.run({ threadId: 't', approvals: answers(first.approvals, true) })
      }
      const ended = await Promise.race([whole(process([ASK], mortal)), mortal.died])
      died ||= ended === 'died'
      clock.advance(LEASE_OVER_MS)
      const result = await whole(process())
      expect(result.text, `${when} call ${call}`).toBe('Done.')
      expect(outputsOf(result), `${when} call ${call}`).toHaveLength(2)
      expect([await textOf(stored, LAW), await textOf(stored, '/notes.md')], `${when} call ${call}`).toEqual([
        'Be kind.\n',
        'Bread.\n',
      ])
    }
    if (!died) break
    deaths++
  }
  // Reads, claim, answer, decision, result, question; then reads, answer, result, answer, commit.
  expect(deaths).toBeGreaterThan(15)
})

test('what was decided is kept over a deploy that changes the rules', async () => {
  const { process, stored } = await office()
  const { approvals } = open(await process().run(start))
  const stricter: Permission = { ...ASK, mode: 'deny' }
  const result = await process([stricter]).run({ threadId: 't', approvals: answers(approvals, true) })
  // It is still a rule of the file system, whoever has allowed the call.
  expect(outputsOf(result)[0]).toEqual({ type: 'text', value: `Error: Permission denied editing ${LAW}` })
  expect(await textOf(stored, LAW)).toBe('Be polite.\n')
})

test('toolApproval that allows a tool does not silence a rule; where both ask, it is asked once', async () => {
  for (const edit_file of ['approved', 'user-approval'] as const) {
    const { process, stored } = await office()
    const agent = process([ASK], undefined, { toolApproval: { edit_file } })
    const { approvals } = open(await agent.run(start))
    expect(approvals.map(({ toolCallId }) => toolCallId)).toEqual(
      edit_file === 'approved' ? ['call-1'] : ['call-1', 'call-2'],
    )
    const result = await agent.run({ threadId: 't', approvals: answers(approvals, true) })
    expect(result.status).toBe('completed')
    expect(await textOf(stored, LAW)).toBe('Be kind.\n')
  }
  const { process, stored } = await office()
  const denied = await process([ASK], undefined, { toolApproval: { edit_file: 'denied' } }).run(start)
  expect(outputsOf(denied)).toEqual([{ type: 'execution-denied' }, { type: 'execution-denied' }])
  expect(await textOf(stored, LAW)).toBe('Be polite.\n')
})

test('a rule for reading, in a mount', async () => {
  const secret = rowFiles(inMemoryStore(), 'org')
  await secret.write('/key.md', 'Swordfish.\n')
  const rule: Permission = { operations: ['read'], paths: ['/**'], mode: 'ask' }
  const agent = createAgent({
    store: inMemoryStore(),
    model: scriptedModel([toolCall('read_file', { file_path: '/vault/key.md' }), 'I see.']),
    files: compositeFiles({
      default: rowFiles(inMemoryStore(), 'ada'),
      routes: { '/vault': withPermissions(secret, [rule]) },
    }),
  })
  const { approvals } = open(await agent.run({ threadId: 't', prompt: 'Look' }))
  expect(approvals).toMatchObject([{ reason: 'A rule asks before reading /vault/key.md.' }])
  const result = await agent.run({ threadId: 't', approvals: answers(approvals, true) })
  expect(outputsOf(result)).toEqual([{ type: 'text', value: 'Swordfish.\n' }])
})

test('a tool of the agent under the name of a file tool is nothing that the rules know', async () => {
  const { process } = await office()
  const edit_file = tool({ inputSchema: z.object({ file_path: z.string() }), execute: async () => 'mine' })
  const result = await process([ASK], undefined, { tools: { edit_file } }).run(start)
  expect(outputsOf(result)).toEqual([
    { type: 'text', value: 'mine' },
    { type: 'text', value: 'mine' },
  ])
})

test('a tool learns whether its call was allowed by somebody', async () => {
  const seen: unknown[] = []
  const look = tool({
    inputSchema: z.object({}),
    execute: async (_input, options) => void seen.push((options as { approved?: boolean }).approved),
  })
  const agentOf = (toolApproval: AgentOptions<undefined>['toolApproval']) =>
    createAgent({
      store: inMemoryStore(),
      model: scriptedModel([toolCall('look', {}), 'Ok.']),
      tools: { look },
      ...(toolApproval && { toolApproval }),
    })
  await agentOf(undefined).run(start)
  const agent = agentOf({ look: 'user-approval' })
  const { approvals } = open(await agent.run(start))
  await agent.run({ threadId: 't', approvals: answers(approvals, true) })
  expect(seen).toEqual([undefined, true])
})

test('within another agent nobody can be asked: it is denied', async () => {
  const { process, stored } = await office()
  const parent = createAgent({
    store: inMemoryStore(),
    model: scriptedModel([toolCall('clerk', { task: 'Be kind' }), 'Ok.']),
    tools: { clerk: asTool(process(), { description: 'Edits.' }) },
  })
  expect(await parent.run({ threadId: 'p', prompt: 'Go' })).toMatchObject({ status: 'completed', text: 'Ok.' })
  expect(await textOf(stored, LAW)).toBe('Be polite.\n')
})

test('as a stream: the request with its reason, and the denial', async () => {
  const { process } = await office()
  const first = process().stream(start)
  const requests = (await all(first.stream)).filter(({ type }) => type === 'tool-approval-request')
  expect(requests).toMatchObject([{ approvalId: 'call-1@r', reason: `A rule asks before editing ${LAW}.` }])
  const { approvals } = open(await first.result)
  const next = process().stream({ threadId: 't', approvals: answers(approvals, false) })
  expect((await all(next.stream)).filter(({ type }) => type === 'tool-output-denied')).toHaveLength(1)
})
