import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Middleware, type RunHooks } from '../src/index.ts'
import { fine, promptsOf, rejection } from './support.ts'

const t = tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n * 10 })

/** Writes down everything that happens to it. */
function noted(name: string, log: string[]): Middleware {
  return {
    name,
    start() {
      log.push(`${name} start`)
      return {
        instructions: `From ${name}.`,
        prepare(messages) {
          log.push(`${name} prepare`)
          return [...messages]
        },
        async wrapModel(request, next) {
          log.push(`${name} model >`)
          const answer = await next(request)
          log.push(`${name} model <`)
          return answer
        },
        async wrapTool(call, next) {
          log.push(`${name} tool > ${call.toolName}`)
          const output = await next(call)
          log.push(`${name} tool < ${String(output)}`)
          return output
        },
        async end(result) {
          log.push(`${name} end ${result.text}`)
        },
      }
    },
  }
}

test('the first is outermost: starts in order, wraps as an onion, ends in reverse', async () => {
  const log: string[] = []
  const agent = createAgent({
    model: scriptedModel([toolCall('t', { n: 1 }), 'Ok.']),
    store: inMemoryStore(),
    tools: { t },
    middleware: [noted('A', log), noted('B', log)],
  })
  await agent.run({ threadId: 't', prompt: 'Go' })
  const model = ['A model >', 'B model >', 'B model <', 'A model <']
  expect(log).toEqual([
    'A start',
    'B start',
    'A prepare',
    'B prepare',
    ...model,
    'A tool > t',
    'B tool > t',
    'B tool < 10',
    'A tool < 10',
    ...model,
    'B end Ok.',
    'A end Ok.',
  ])
})

test('instructions, then those of middleware, make one system message that is never stored', async () => {
  const model = fine()
  const agent = createAgent({
    model,
    store: inMemoryStore(),
    instructions: (run) => Promise.resolve(`You serve ${run.threadId}.`),
    middleware: [
      noted('A', []),
      { name: 'quiet', start: () => ({}) },
      { name: 'empty', start: () => ({ instructions: '' }) },
      { name: 'none' },
      noted('B', []),
    ],
  })
  await agent.run({ threadId: 't', prompt: 'Hi' })
  await agent.run({ threadId: 't', prompt: 'Again' })
  const system = 'system: You serve t.\n\nFrom A.\n\nFrom B.'
  expect(promptsOf(model)).toEqual([
    [system, 'user: Hi'],
    [system, 'user: Hi', 'assistant: Fine 1.', 'user: Again'],
  ])
  expect((await agent.messages('t')).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('without any there is no system message', async () => {
  const model = fine()
  await createAgent({ model, history: 'none', instructions: '' }).run({ threadId: 't', prompt: 'Hi' })
  expect(promptsOf(model)).toEqual([['user: Hi']])
})

test('prepare comes after that of the history, and changes only what is sent', async () => {
  const model = fine()
  const agent = createAgent({
    model,
    store: inMemoryStore(),
    history: { window: 1 },
    middleware: [
      {
        name: 'note',
        start: () => ({ prepare: (messages) => [{ role: 'user', content: `${messages.length} below` }, ...messages] }),
      },
      {
        name: 'again',
        start: () => ({ prepare: async (messages) => [...messages, { role: 'user', content: 'Last' }] }),
      },
    ],
  })
  await agent.run({ threadId: 't', prompt: 'One' })
  await agent.run({ threadId: 't', prompt: 'Two' })
  expect(promptsOf(model)[1]).toEqual(['user: 1 below', 'user: Two', 'user: Last'])
  expect(await agent.messages('t')).toHaveLength(4)
})

describe('wrapModel', () => {
  test('may change the request and the answer; what it gives is stored', async () => {
    const model = fine()
    const agent = createAgent({
      model,
      store: inMemoryStore(),
      middleware: [
        {
          name: 'loud',
          start: () => ({
            async wrapModel(request, next) {
              const answer = await next({ ...request, temperature: 0 })
              return { ...answer, content: [{ type: 'text', text: 'LOUD' }] }
            },
          }),
        },
      ],
    })
    expect((await agent.run({ threadId: 't', prompt: 'Hi' })).text).toBe('LOUD')
    expect(model.calls[0]!.temperature).toBe(0)
    expect((await agent.messages('t'))[1]!.content).toEqual([{ type: 'text', text: 'LOUD' }])
  })

  test('may ask again after a failure', async () => {
    const model = scriptedModel([new Error('busy'), 'Ok.'])
    const retry: Middleware = {
      name: 'retry',
      start: () => ({ wrapModel: (request, next) => next(request).catch(() => next(request)) }),
    }
    expect(
      (await createAgent({ model, history: 'none', middleware: [retry] }).run({ threadId: 't', prompt: 'Hi' })).text,
    ).toBe('Ok.')
  })

  test('what it throws at once fails the run', async () => {
    const broken: Middleware = {
      name: 'broken',
      start: () => ({
        wrapModel() {
          throw new Error('oh')
        },
      }),
    }
    const error = await rejection(
      createAgent({ model: fine(), middleware: [broken] }).run({ threadId: 't', prompt: 'Hi' }),
    )
    expect(error).toMatchObject({ code: 'run_failed', cause: { message: 'oh' } })
  })

  test('a prompt that it keeps does not change afterwards', async () => {
    const kept: unknown[][] = []
    const keep: Middleware = {
      name: 'keep',
      start: () => ({
        wrapModel(request, next) {
          kept.push(request.prompt)
          return next(request)
        },
      }),
    }
    await createAgent({
      model: scriptedModel([toolCall('t', { n: 1 }), 'Ok.']),
      tools: { t },
      history: 'none',
      middleware: [keep],
    }).run({ threadId: 't', prompt: 'Hi' })
    expect(kept.map((prompt) => prompt.length)).toEqual([1, 3])
  })
})

/** What the model is shown of a call of `t` with the input { n: 1 }. */
async function outputWith(wrapTool: NonNullable<RunHooks['wrapTool']>): Promise<unknown> {
  const agent = createAgent({
    model: scriptedModel([toolCall('t', { n: 1 }), 'Ok.']),
    history: 'none',
    tools: { t },
    middleware: [{ name: 'm', start: () => ({ wrapTool }) }],
  })
  const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
  return (messages[2]!.content[0] as { output: unknown }).output
}

describe('wrapTool', () => {
  test('may change the input', async () => {
    expect(await outputWith((call, next) => next({ ...call, input: { n: 5 } }))).toEqual({ type: 'json', value: 50 })
  })

  test('may answer itself', async () => {
    expect(await outputWith(async () => 'No need.')).toEqual({ type: 'text', value: 'No need.' })
  })

  test('what it throws is handed to the model', async () => {
    expect(await outputWith(() => Promise.reject(new Error('Not allowed.')))).toEqual({
      type: 'error-text',
      value: 'Error: Not allowed.',
    })
  })

  test('a tool that there is not is one more error', async () => {
    expect(await outputWith((call, next) => next({ ...call, toolName: '__proto__' }))).toEqual({
      type: 'error-text',
      value: 'Error: There is no tool "__proto__". There is: t.',
    })
  })
})

test('tools of middleware are offered and run', async () => {
  const model = scriptedModel([toolCall('t', { n: 2 }), 'Ok.'])
  const agent = createAgent({ model, history: 'none', middleware: [{ name: 'm', tools: { t } }] })
  const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
  expect(messages[2]!.content).toMatchObject([{ output: { value: 20 } }])
})

test('state of a run lives in its start', async () => {
  const seen: number[] = []
  const counting: Middleware = {
    name: 'count',
    start() {
      let calls = 0
      return {
        wrapModel(request, next) {
          calls++
          return next(request)
        },
        end: async () => void seen.push(calls),
      }
    },
  }
  const agent = createAgent({ model: fine(), history: 'none', middleware: [counting] })
  await Promise.all([agent.run({ threadId: 'a', prompt: 'Hi' }), agent.run({ threadId: 'b', prompt: 'Hi' })])
  expect(seen).toEqual([1, 1])
})

test('an end hook may give nothing at once', async () => {
  const ended: string[] = []
  const middleware: Middleware = { name: 'm', start: () => ({ end: ({ text }) => void ended.push(text) }) }
  await createAgent({ model: fine(), history: 'none', middleware: [middleware] }).run({ threadId: 't', prompt: 'Hi' })
  expect(ended).toEqual(['Fine 1.'])
})

test('an end hook that fails rejects the run, which stays stored', async () => {
  const boom = new Error('boom')
  const agent = createAgent({
    model: fine(),
    store: inMemoryStore(),
    middleware: [{ name: 'm', start: () => ({ end: () => Promise.reject(boom) }) }],
  })
  const error = await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))
  expect(error).toMatchObject({ code: 'run_failed', cause: boom })
  expect(error.message).toBe('end of the middleware "m" failed: boom. The run is complete and stored.')
  expect(await agent.messages('t')).toHaveLength(2)
})
