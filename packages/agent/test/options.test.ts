import { inMemoryStore, type Message } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, recordTools } from '../src/index.ts'
import { fine } from './support.ts'

const model = fine()
const execute = async (): Promise<number> => 1
const t = { inputSchema: z.object({}), execute }
const verbs = {
  load: async () => [],
  append: async () => {},
  prepare: (m: readonly Message[]) => [...m],
  clear: async () => {},
}

/** The error of a call that must throw at once. */
function thrown(work: () => unknown): { code?: string; message: string } {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

describe('options that createAgent refuses', () => {
  const rows: [string, unknown, RegExp, string?][] = [
    ['nothing', undefined, /options of createAgent must be an object; it is undefined/],
    ['no model', {}, /model must be a model of an AI SDK provider/],
    ['a model by its name', { model: 'openai/gpt-5' }, /model is a text; pass the model itself/],
    [
      'a model that is none',
      { model: {} },
      /model must be a LanguageModelV4, with doGenerate and doStream; it is an object/,
    ],
    ['null as a model', { model: null }, /model must be a LanguageModelV4.*it is null/],
    [
      'a model of another specification',
      { model: { ...model, specificationVersion: 'v2' } },
      /specification "v2"; use a provider for ai 7/,
    ],
    ['a misspelt option', { model, memoryfiles: true }, /no option "memoryfiles"/],
    ['an option that ai has', { model, system: 'x' }, /no option "system"/],
    ['instructions that are an object', { model, instructions: {} }, /instructions must be a text or a function/],
    [
      'a store that is a promise',
      { model, store: Promise.resolve(inMemoryStore()) },
      /store must be a RowStore.*it is a Promise/,
    ],
    ['a store that is a text', { model, store: 'sqlite:app.db' }, /store must be a RowStore.*it is a string/],
    ['an unknown history', { model, history: 'all' }, /history must be a history, \{ window \}.*it is a string/],
    ['history: true', { model, history: true }, /history must be a history.*it is a boolean/],
    ['history: null', { model, history: null }, /history must be a history.*it is null/],
    ['an empty history', { model, history: {} }, /history is an empty object/],
    ['a history with a misspelt option', { model, history: { windows: 5 } }, /history: there is no option "windows"/],
    ['a window of NaN', { model, history: { window: Number.NaN } }, /window: n must be a whole number/],
    ['a negative window', { model, history: { window: -1 } }, /window: n must be a whole number/],
    ['a history in a text', { model, history: { store: 'x' } }, /history.store must be a RowStore/],
    ['half a history', { model, history: { load: verbs.load, append: verbs.append } }, /it lacks prepare, clear/],
    ['a history with a verb that is none', { model, history: { ...verbs, prepare: 5 } }, /it lacks prepare/],
    ['files that are a path', { model, files: './files' }, /files must be Files.*it is a string/],
    ['files that are null', { model, files: null }, /files must be Files.*it is null/],
    ['memory files where nothing is kept', { model, history: 'none', memoryFiles: true }, /memoryFiles needs files/],
    [
      'a memory file that is no list',
      { model, files: () => ({}), memoryFiles: '/AGENTS.md' },
      /memoryFiles must be true or a list/,
    ],
    ['memoryFiles: false', { model, files: () => ({}), memoryFiles: false }, /memoryFiles must be true or a list/],
    [
      'a relative memory file',
      { model, files: () => ({}), memoryFiles: ['AGENTS.md'] },
      /Each of memoryFiles must be a path that begins with \//,
    ],
    ['a context that is no schema', { model, context: { userId: 'ada' } }, /context must be a Standard Schema/],
    ['an owner that is a text', { model, owner: 'ada' }, /owner must be a function of the context; it is a string/],
    ['a subject that is a text', { model, subject: 'ada' }, /subject must be a function/],
    ['middleware that is no list', { model, middleware: {} }, /middleware must be a list/],
    ['middleware without a name', { model, middleware: [{}] }, /middleware\[0\] must be an object with a name/],
    [
      'middleware that is null',
      { model, middleware: [null] },
      /middleware\[0\] must be an object with a name; it is null/,
    ],
    [
      'middleware whose start is none',
      { model, middleware: [{ name: 'm', start: {} }] },
      /start of middleware "m" must be a function/,
    ],
    ['tools that are a list', { model, tools: [t, 5] }, /The tool "1" must be a tool.*it is a number/],
    ['tools that are a text', { model, tools: 'x' }, /tools must be an object of tools by name/],
    ['a tool that is a function', { model, tools: { t: execute } }, /The tool "t" must be a tool.*it is a function/],
    ['a tool without a schema', { model, tools: { t: { execute } } }, /inputSchema of the tool "t" must be a schema/],
    [
      'a tool that nobody runs',
      { model, tools: { t: { inputSchema: z.object({}) } } },
      /execute of the tool "t" must be a function/,
    ],
    [
      'a tool of a provider without an id',
      { model, tools: { t: { type: 'provider', isProviderExecuted: true } } },
      /id of the tool "t" must be a text/,
    ],
    [
      'a tool of a provider that nobody runs',
      { model, tools: { t: { type: 'provider', id: 'a.b', isProviderExecuted: false } } },
      /execute of the tool "t"/,
    ],
    [
      'a tool that needs approval',
      { model, tools: { t: { ...t, needsApproval: true } } },
      /The tool "t" needs approval/,
      'unsupported',
    ],
    [
      'two tools of one name',
      { model, tools: { t }, middleware: [{ name: 'm', tools: { t } }] },
      /Two tools are named "t", one of them by tools/,
    ],
    [
      'two middleware with one tool',
      {
        model,
        middleware: [
          { name: 'a', tools: { t } },
          { name: 'b', tools: { t } },
        ],
      },
      /Two tools are named "t", one of them by middleware "b"/,
    ],
    ['limits that are a number', { model, limits: 5 }, /limits must be an object; it is a number/],
    ['limits that are null', { model, limits: null }, /limits must be an object; it is null/],
    [
      'an unknown limit',
      { model, limits: { steps: 5 } },
      /limits.steps is not known; there are maxSteps, maxTokens, timeoutMs/,
    ],
    ['no steps', { model, limits: { maxSteps: 0 } }, /limits.maxSteps must be a whole number from 1.*it is 0/],
    ['half a step', { model, limits: { maxSteps: 1.5 } }, /limits.maxSteps.*it is 1.5/],
    ['steps that are a text', { model, limits: { maxSteps: '5' } }, /limits.maxSteps.*it is a string/],
    ['tokens that are NaN', { model, limits: { maxTokens: Number.NaN } }, /limits.maxTokens.*it is NaN/],
    [
      'a time beyond every timer',
      { model, limits: { timeoutMs: 2 ** 31 } },
      /limits.timeoutMs must be a whole number from 1 to 2147483647; it is 2147483648/,
    ],
    ['a time without end', { model, limits: { timeoutMs: Infinity } }, /limits.timeoutMs.*it is Infinity/],
  ]
  test.each(rows)('%s', (_name, options, words, code = 'invalid_value') => {
    const error = thrown(() => createAgent(options as never))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(words)
  })

  test('recordTools', () => {
    expect(thrown(() => recordTools({ store: 'x' as never, owner: () => 'ada' }))).toMatchObject({
      code: 'invalid_value',
    })
    expect(thrown(() => recordTools({ store: inMemoryStore(), owner: 'ada' as never })).message).toMatch(
      /owner must be a function of the context/,
    )
  })
})
