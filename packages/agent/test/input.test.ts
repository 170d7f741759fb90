import { inMemoryStore, type Message } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../src/index.ts'
import { fine, rejection, rowsOf } from './support.ts'

const verbs = {
  load: async () => [],
  append: async () => {},
  prepare: (m: readonly Message[]) => [...m],
  clear: async () => {},
}

const messages = (...list: unknown[]): object => ({ threadId: 't', messages: list })

describe('input that run refuses', () => {
  const say: Message = { role: 'user', content: 'Hi' }
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} }
  const result = { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'x' } }
  const rows: [string, unknown, RegExp][] = [
    ['nothing', undefined, /input of a run must be an object; it is undefined/],
    ['a text', 'Hi', /input of a run must be an object; it is a string/],
    ['no thread', { prompt: 'Hi' }, /threadId must be a text that is not empty; it is undefined/],
    ['an empty thread', { threadId: '', prompt: 'Hi' }, /threadId.*it is empty/],
    ['a thread that is a number', { threadId: 5, prompt: 'Hi' }, /threadId.*it is a number/],
    ['a thread of half a character', { threadId: '\ud800', prompt: 'Hi' }, /threadId must be well-formed/],
    ['a thread of 513 bytes', { threadId: `${'x'.repeat(511)}é`, prompt: 'Hi' }, /threadId must be at most 512 bytes/],
    [
      'an empty run id',
      { threadId: 't', runId: '', prompt: 'Hi' },
      /runId must be a text that is not empty; it is empty/,
    ],
    ['a run id that is a number', { threadId: 't', runId: 5, prompt: 'Hi' }, /runId.*it is a number/],
    [
      'a run id of 513 bytes',
      { threadId: 't', runId: 'x'.repeat(513), prompt: 'Hi' },
      /runId must be at most 512 bytes/,
    ],
    ['neither prompt nor messages', { threadId: 't' }, /either prompt or messages/],
    ['both', { threadId: 't', prompt: 'Hi', messages: [say] }, /either prompt or messages/],
    ['an empty prompt', { threadId: 't', prompt: '' }, /prompt must be a text that is not empty; it is empty/],
    ['a prompt that is a list', { threadId: 't', prompt: [say] }, /prompt.*it is an array/],
    [
      'no approvals',
      { threadId: 't', approvals: [] },
      /approvals must be a list of answers, one for each call that waits; it is empty\./,
    ],
    [
      'an approval that says nothing',
      { threadId: 't', approvals: [{ approvalId: 'a' }] },
      /approvals\[0\]\.approved must be/,
    ],
    [
      'approvals and a prompt',
      { threadId: 't', prompt: 'Hi', approvals: [{ approvalId: 'a', approved: true }] },
      /pass one/,
    ],
    [
      'a misspelt option',
      { threadId: 't', prompt: 'Hi', abortSignal: new AbortController().signal },
      /no option "abortSignal"/,
    ],
    [
      'a signal that is a controller',
      { threadId: 't', prompt: 'Hi', signal: new AbortController() },
      /signal must be an AbortSignal; it is a AbortController/,
    ],
    [
      'messages that are a text',
      { threadId: 't', messages: 'Hi' },
      /messages must be a list of messages; it is a string/,
    ],
    ['no messages', messages(), /messages is empty/],
    ['a message that is a text', messages('Hi'), /messages\[0\] must be a message/],
    ['a message that is null', messages(null), /messages\[0\] must be a message.*null/],
    [
      'an unknown role',
      messages({ role: 'developer', content: 'x' }),
      /messages\[0\].role must be system, user, assistant or tool/,
    ],
    ['a role named __proto__', messages({ role: '__proto__', content: 'x' }), /messages\[0\].role/],
    ['no content', messages({ role: 'user' }), /messages\[0\].content must be a text or a list/],
    [
      'content of a tool that is a text',
      messages({ role: 'tool', content: 'x' }),
      /messages\[0\].content must be a list of parts/,
    ],
    [
      'content of a system that is a list',
      messages({ role: 'system', content: [] }),
      /messages\[0\].content must be a text/,
    ],
    [
      'a UI message',
      messages({ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }),
      /messages\[0\].content must be a text or a list/,
    ],
    [
      'a part that is null',
      messages({ role: 'user', content: [null] }),
      /messages\[0\].content\[0\].type must be one of text, image, file/,
    ],
    ['a part of another role', messages({ role: 'user', content: [call] }), /messages\[0\].content\[0\].type/],
    [
      'a text part without text',
      messages({ role: 'user', content: [{ type: 'text' }] }),
      /content\[0\].text must be a text/,
    ],
    [
      'a call without an id',
      messages({ role: 'assistant', content: [{ ...call, toolCallId: undefined }] }),
      /content\[0\].toolCallId/,
    ],
    [
      'a call without a name',
      messages({ role: 'assistant', content: [{ ...call, toolName: '' }] }),
      /content\[0\].toolName.*empty/,
    ],
    [
      'a call without a result',
      messages(say, { role: 'assistant', content: [call] }),
      /messages\[1\].content\[0\] is a call without a result/,
    ],
    [
      'a result without a call',
      messages({ role: 'tool', content: [result] }),
      /messages\[0\].content\[0\] is a result without its call/,
    ],
    [
      'a result before its call',
      messages({ role: 'tool', content: [result] }, { role: 'assistant', content: [call] }),
      /is a result without its call/,
    ],
    [
      'two calls of one id',
      messages({ role: 'assistant', content: [call, call] }),
      /content\[1\] has the id of another call/,
    ],
  ]
  test.each(rows)('%s', async (_name, input, words) => {
    const store = inMemoryStore()
    const quiet = fine()
    const agent = createAgent({ model: quiet, store, instructions: () => expect.unreachable() })
    const error = await rejection(agent.run(input as never))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toMatch(words)
    expect(quiet.calls).toEqual([])
    expect(await rowsOf(store)).toEqual([])
  })

  test('what a provider ran is fine in the message of the assistant', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    const input = messages(say, { role: 'assistant', content: [{ ...call, providerExecuted: true }, result] }) as never
    expect((await agent.run(input)).text).toBe('Fine 1.')
  })

  test('a call with its result is fine', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    const input = messages(say, { role: 'assistant', content: [call] }, { role: 'tool', content: [result] }) as never
    expect((await agent.run(input)).text).toBe('Fine 1.')
  })
})

describe('what functions of the run give', () => {
  const rows: [string, object, RegExp][] = [
    ['instructions', { instructions: () => 5 }, /What the instructions function gives must be a text; it is a number/],
    ['files', { files: () => ({}) }, /What the files function gives must be Files/],
    [
      'a subject',
      { subject: () => '' },
      /What the subject function gives must be a text that is not empty; it is empty/,
    ],
    [
      'a history',
      { history: { ...verbs, load: async () => undefined } },
      /What history.load gives must be a list of messages/,
    ],
    [
      'a history that prepares nothing',
      { history: { ...verbs, prepare: () => undefined } },
      /What history.prepare gives must be a list/,
    ],
    [
      'middleware that prepares nothing',
      { middleware: [{ name: 'm', start: () => ({ prepare: () => 5 }) }] },
      /What prepare of the middleware "m" gives/,
    ],
    [
      'a history of messages that are none',
      { history: { ...verbs, load: async () => [{ role: 'robot', content: 'x' }] } },
      /role that is not known: "robot"/,
    ],
  ]
  test.each(rows)('%s', async (_name, options, words) => {
    const quiet = fine()
    const error = await rejection(createAgent({ model: quiet, ...options }).run({ threadId: 't', prompt: 'Hi' }))
    expect(error).toMatchObject({ code: 'invalid_value' })
    expect(error.message).toMatch(words)
    expect(quiet.calls).toEqual([])
  })
})
