import { scriptedModel, text, toolCall, type Script } from '@keepsake/store-testing'
import { window } from '@keepsake/strategies'
import { generateText, isStepCount, streamText, type LanguageModel } from 'ai'
import { describe, expect, test } from 'vitest'
import { withHistory } from '../src/index.ts'
import { codeOf, echo, linesOf, promptsOf, remember, setup, unrun } from './support.ts'

/** Calls a tool with the last text of the user, then says it. */
const parrot: Script = ({ prompt }) => {
  const user = prompt.findLast(({ role }) => role === 'user')
  const said = user?.role === 'user' && user.content[0]?.type === 'text' ? user.content[0].text : ''
  return prompt.at(-1)?.role === 'tool' ? `Said ${said}.` : toolCall('echo', { text: said }, `of-${said}`)
}

function ask(model: LanguageModel, threadId: string, prompt: string, stream: boolean): PromiseLike<string> {
  const call = {
    model,
    prompt,
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions: withHistory(threadId),
  }
  return stream ? streamText(call).text : generateText(call).then((result) => result.text)
}

function turnOf(said: string): string[] {
  return [
    `user: ${said}`,
    `assistant: call of-${said} {"text":"${said}"}`,
    `tool: result of-${said} ${said}!`,
    `assistant: Said ${said}.`,
  ]
}

describe.each([
  ['generateText', false],
  ['streamText', true],
])('%s', (_name, stream) => {
  test('threads at once do not see each other', async () => {
    const one = setup(parrot)
    const names = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(names.map((name) => ask(one.remembering, `t-${name}`, name, stream)))
    expect(answers).toEqual(['Said a.', 'Said b.', 'Said c.', 'Said d.'])
    for (const name of names) expect(await linesOf(one, `t-${name}`)).toEqual(turnOf(name))
    for (const lines of promptsOf(one.model)) expect(lines.filter((line) => line.startsWith('user'))).toHaveLength(1)
  })

  test('turns at once in one thread: nothing is lost or twice, and the next prompt is one that providers take', async () => {
    const one = setup(parrot)
    await Promise.all(['a', 'b', 'c'].map((name) => ask(one.remembering, 't1', name, stream)))
    expect((await linesOf(one)).toSorted()).toEqual(['a', 'b', 'c'].flatMap(turnOf).toSorted())

    await ask(one.remembering, 't1', 'd', stream)
    // Every call with its result behind it, in every prompt.
    for (const lines of promptsOf(one.model)) {
      for (const [index, line] of lines.entries()) {
        const call = /^assistant: call (\S+)/.exec(line)?.[1]
        if (call !== undefined) expect(lines[index + 1]).toMatch(new RegExp(`^tool: result ${call} `))
        const result = /^tool: result (\S+)/.exec(line)?.[1]
        if (result !== undefined) expect(lines[index - 1]).toMatch(new RegExp(`^assistant: call ${result} `))
      }
    }
    expect(promptsOf(one.model).at(-1)).toHaveLength(15)
  })
})

test('a turn that goes on while another took place in its thread', async () => {
  const one = setup([
    [text('Looking.'), toolCall('echo', { text: 'a' }, 'c1')],
    'In between.',
    'After it.',
    'And at last.',
  ])
  await generateText({
    model: one.remembering,
    prompt: 'Long',
    tools: echo().tools,
    stopWhen: isStepCount(9),
    providerOptions: withHistory('t1'),
    prepareStep: async ({ stepNumber }) => {
      if (stepNumber === 1)
        await generateText({ model: one.remembering, prompt: 'Short', providerOptions: withHistory('t1') })
      return {}
    },
  })
  await generateText({ model: one.remembering, prompt: 'And?', providerOptions: withHistory('t1') })
  expect(promptsOf(one.model).slice(1)).toEqual([
    // The call has no result yet, and the user has said something else: no provider would take it.
    ['user: Long', 'user: Short'],
    ['user: Long', 'assistant: Looking., call c1 {"text":"a"}', 'tool: result c1 a!'],
    [
      'user: Long',
      'assistant: Looking., call c1 {"text":"a"}',
      'tool: result c1 a!',
      'user: Short',
      'assistant: In between.',
      'assistant: After it.',
      'user: And?',
    ],
  ])
})

describe('an orphan call', () => {
  test('of a turn that ended while its tool was at work is kept and not sent', async () => {
    const one = setup([toolCall('echo', { text: 'a' }), 'Hello.'])
    await generateText({
      model: one.remembering,
      prompt: 'Go',
      tools: unrun,
      providerOptions: withHistory('t1'),
    })
    await generateText({ model: one.remembering, prompt: 'Hi', providerOptions: withHistory('t1') })
    expect(promptsOf(one.model)[1]).toEqual(['user: Go', 'user: Hi'])
    expect(await linesOf(one)).toEqual([
      'user: Go',
      'assistant: call call-1 {"text":"a"}',
      'user: Hi',
      'assistant: Hello.',
    ])
  })

  test('is answered by a later call that brings its result, in the turn as the SDK has it', async () => {
    const one = setup([toolCall('echo', { text: 'a' }), 'Done.'])
    const first = await generateText({
      model: one.remembering,
      prompt: 'Go',
      tools: unrun,
      providerOptions: withHistory('t1'),
    })
    await generateText({
      model: one.remembering,
      messages: [
        { role: 'user', content: 'Go' },
        ...first.responseMessages,
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call-1',
              toolName: 'echo',
              output: { type: 'text', value: 'by hand' },
            },
          ],
        },
      ],
      providerOptions: withHistory('t1'),
    })
    const turn = ['user: Go', 'assistant: call call-1 {"text":"a"}', 'tool: result call-1 by hand', 'assistant: Done.']
    expect(await linesOf(one)).toEqual(turn)
    expect(promptsOf(one.model)[1]).toEqual(turn.slice(0, 3))
  })
})

describe('whose thread', () => {
  test('another owner is refused before the model is asked, also with a stream', async () => {
    const one = setup(['Hello.'])
    const options = (owner: string) => withHistory('t1', { owner })
    await generateText({ model: one.remembering, prompt: 'Hi', providerOptions: options('ada') })
    const call = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
      providerOptions: options('bob'),
    }
    expect(await codeOf(one.remembering.doGenerate(call))).toBe('wrong_owner')
    expect(await codeOf(one.remembering.doStream(call))).toBe('wrong_owner')
    expect(one.model.calls).toHaveLength(1)
    expect((await one.chat.threads({ owner: 'ada' })).items.map(({ id }) => id)).toEqual(['t1'])
  })
})

test('the history’s steps are told the thread, the owner and the model that has no memory', async () => {
  const contexts: unknown[] = []
  const inner = scriptedModel(['Hello.'])
  const { history } = setup([], {
    prepare: [
      (messages, context) => {
        contexts.push(context)
        return window(5)(messages)
      },
    ],
  })
  await generateText({
    model: remember(inner, history),
    prompt: 'Hi',
    providerOptions: withHistory('t1', { owner: 'ada' }),
  })
  expect(contexts).toEqual([{ threadId: 't1', owner: 'ada', model: inner }])
})
