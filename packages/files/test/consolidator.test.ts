import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '../../store-testing/src/index.ts'
import { describe, expect, it } from 'vitest'
import type { ConsolidationResult } from '../src/consolidation/memory-consolidator.ts'
import { createMemoryConsolidator } from '../src/consolidation/memory-consolidator.ts'
import { rowFiles } from '../src/row-files.ts'
import { createMemoryToolset, type MemoryToolset } from '../src/toolset/memory-toolset.ts'

const USER = '/me/USER.md'
const NOTES = '/me/NOTES.md'
const TEXT = '# User\n\n- Name: Ada.\n'
const LONG = Array.from({ length: 20 }, (_, i) => `- Fact number ${i + 1} about Ada.\n`).join('')

const said: Message[] = [
  { role: 'system', content: 'Memory: the user likes milk.' },
  { role: 'user', content: 'I like tea.' },
  { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'SECRET' } }],
  },
]

interface Setting {
  toolset: MemoryToolset
  /** Every file, by path. */
  contents: () => Promise<Record<string, string>>
}

const START: Readonly<Record<string, string>> = {
  [USER]: TEXT,
  '/topics/tea.md': '---\ndescription: Tea\n---\n\n- Green.\n',
  '/topics/cars.md': '---\ndescription: Cars\n---\n\n- Red.\n',
  '/topics/long.md': LONG,
  '/secret.md': 'x\n',
}

async function setting(query = 'tea'): Promise<Setting> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const [path, content] of Object.entries(START)) await files.write(path, content)
  const toolset = createMemoryToolset(files, { always: [USER, NOTES], browse: ['/topics'], maxLines: 30 })
  await toolset.load({ query })
  return {
    toolset,
    async contents() {
      const found = await files.glob('**')
      const paths = found.ok ? found.value.map(({ path }) => path) : []
      const read = await Promise.all(paths.map(async (path) => [path, await files.read(path)] as const))
      return Object.fromEntries(read.map(([path, file]) => [path, file.ok ? file.value.content : file.code]))
    },
  }
}

async function consolidate(
  { toolset }: Setting,
  answer: unknown,
  writable: readonly string[] = [USER],
): Promise<ConsolidationResult> {
  const model = scriptedModel([typeof answer === 'string' ? answer : JSON.stringify(answer)])
  const consolidator = createMemoryConsolidator({ model, creatablePrefixes: ['/topics/projects/'] })
  const result = await consolidator.update(toolset, said, { writable })
  await toolset.flush()
  return result
}

const NOTHING = { failed: false, changed: [], created: [], unchanged: [], refused: [] }

describe('a good answer', () => {
  it('changes what may be changed, and makes files where it may', async () => {
    const all = await setting()
    const result = await consolidate(all, {
      changes: [
        { path: USER, edits: [{ old_str: '- Name: Ada.', new_str: '- Name: Ada.\n- Likes tea.' }] },
        { path: '/topics/tea.md', edits: [{ old_str: '- Green.', new_str: '- Green, and black.' }] },
        { path: '/topics/projects/apollo.md', description: 'The project Apollo', content: '- Starts in May.' },
      ],
    })
    expect(result).toEqual({
      ...NOTHING,
      changed: [USER, '/topics/tea.md'],
      created: ['/topics/projects/apollo.md'],
    })
    expect(await all.contents()).toEqual({
      ...START,
      [USER]: '# User\n\n- Name: Ada.\n- Likes tea.\n',
      '/topics/tea.md': '---\ndescription: Tea\n---\n\n- Green, and black.\n',
      '/topics/projects/apollo.md': '---\ndescription: The project Apollo\n---\n\n- Starts in May.\n',
    })
  })

  it('may stand in a code fence', async () => {
    const all = await setting()
    const json = JSON.stringify({ changes: [{ path: NOTES, content: '- tea' }] })
    expect(await consolidate(all, `\`\`\`json\n${json}\n\`\`\``, [NOTES])).toEqual({ ...NOTHING, created: [NOTES] })
    expect(await all.contents()).toEqual({ ...START, [NOTES]: '- tea\n' })
  })

  it('that finds nothing to change is no failure', async () => {
    const all = await setting()
    expect(await consolidate(all, { changes: [] })).toEqual(NOTHING)
    expect(await all.contents()).toEqual(START)
  })

  it('asked once, with what was said and nothing else', async () => {
    const { toolset } = await setting()
    const model = scriptedModel(['{"changes":[]}'])
    const consolidator = createMemoryConsolidator({
      model,
      instructions: 'Keep flight numbers.',
      creatablePrefixes: ['/topics/projects/'],
    })
    await consolidator.update(toolset, said, { writable: [USER] })
    expect(model.calls).toHaveLength(1)
    const prompt = JSON.stringify(model.calls[0]!.prompt)
    for (const shown of ['I like tea.', 'Noted.', 'Name: Ada', 'Green', 'Keep flight numbers.', '/topics/cars.md']) {
      expect(prompt).toContain(shown)
    }
    // Neither memory that was shown to the agent, nor what tools gave, nor files that are none of this conversation's.
    for (const hidden of ['milk', 'SECRET', 'Red.', '/secret.md']) expect(prompt).not.toContain(hidden)
    expect(model.calls[0]!.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } })
  })

  it('is not asked for where nothing was said', async () => {
    const { toolset } = await setting()
    const model: ScriptedModel = scriptedModel([])
    expect(await createMemoryConsolidator({ model }).update(toolset, [said[0]!, said[3]!])).toEqual(NOTHING)
    expect(model.calls).toHaveLength(0)
  })
})

describe('an answer that is wrong leaves the files right, and the result says which', () => {
  it.for([
    ['a file that was not shown', { path: '/topics/cars.md', content: 'x' }, 'not_shown'],
    ['a file outside of the memory', { path: '/secret.md', content: 'x' }, 'not_shown'],
    ['a file that leads out', { path: '../x', content: 'x' }, 'invalid_path'],
    [
      'a file that leads out further down',
      { path: '/topics/projects/../../x.md', description: 'd', content: 'x' },
      'invalid_path',
    ],
    ['a new file elsewhere', { path: '/topics/new.md', description: 'd', content: 'x' }, 'not_shown'],
    [
      'a new file that only begins like the prefix',
      { path: '/topics/projects-old/a.md', description: 'd', content: 'x' },
      'not_shown',
    ],
    ['a new file without description', { path: '/topics/projects/a.md', content: 'x' }, 'no_description'],
    [
      'a new file without content',
      { path: '/topics/projects/a.md', edits: [{ old_str: 'a', new_str: 'b' }] },
      'not_found',
    ],
    [
      'a new file that is no Markdown',
      { path: '/topics/projects/a.sh', description: 'd', content: 'x' },
      'permission_denied',
    ],
    ['a file over maxLines', { path: USER, content: `${TEXT}${'- x\n'.repeat(28)}` }, 'too_large'],
    [
      'a new file over maxLines',
      { path: '/topics/projects/a.md', description: 'd', content: '- x\n'.repeat(27) },
      'too_large',
    ],
    ['an edit of what is not there', { path: USER, edits: [{ old_str: 'Eve', new_str: 'Bob' }] }, 'no_match'],
    ['an edit of what is there twice', { path: USER, edits: [{ old_str: 'a', new_str: 'b' }] }, 'many_matches'],
    [
      'one bad edit among good ones',
      {
        path: USER,
        edits: [
          { old_str: 'Ada', new_str: 'Ada L.' },
          { old_str: 'Eve', new_str: 'Bob' },
        ],
      },
      'no_match',
    ],
    ['neither edits nor content', { path: USER }, 'nothing_to_do'],
  ] as [string, object, string][])('%s', async ([, change, code]) => {
    const all = await setting()
    const result = await consolidate(all, { changes: [change] })
    expect(result).toMatchObject({ ...NOTHING, refused: [{ path: (change as { path: string }).path, code }] })
    expect(await all.contents()).toEqual(START)
  })

  it('a file that was shown, but not as writable', async () => {
    const all = await setting()
    const result = await consolidate(all, { changes: [{ path: USER, content: 'x' }] }, [])
    expect(result).toMatchObject({ ...NOTHING, refused: [{ path: USER, code: 'not_writable' }] })
    expect(await all.contents()).toEqual(START)
  })

  it('the others of its changes are made', async () => {
    const all = await setting()
    const result = await consolidate(all, {
      changes: [
        { path: '../x', content: 'x' },
        { path: USER, edits: [{ old_str: 'Ada', new_str: 'Ada Lovelace' }] },
      ],
    })
    expect(result).toMatchObject({ failed: false, changed: [USER], refused: [{ path: '../x' }] })
    expect(await all.contents()).toEqual({ ...START, [USER]: '# User\n\n- Name: Ada Lovelace.\n' })
  })

  it('half of a file gone, by content or by edits, unless it says why', async () => {
    const half = LONG.slice(0, LONG.length * 0.4)
    const edits = [{ old_str: LONG.slice(0, LONG.length * 0.6), new_str: '' }]
    for (const change of [{ content: half }, { edits }]) {
      const all = await setting('fact number Ada')
      const result = await consolidate(all, { changes: [{ path: '/topics/long.md', ...change }] })
      expect(result).toMatchObject({ ...NOTHING, refused: [{ path: '/topics/long.md', code: 'shrinks' }] })
      expect(await all.contents()).toEqual(START)
    }
    const all = await setting('fact number Ada')
    const reason = 'Ada asked to forget the rest'
    expect(await consolidate(all, { changes: [{ path: '/topics/long.md', content: half, reason }] })).toMatchObject({
      changed: ['/topics/long.md'],
      refused: [],
    })
  })

  it.for([
    ['prose', 'I have updated your notes. Ada likes tea!', 'not_json'],
    ['nothing', '', 'no_answer'],
    ['white space', ' \n', 'no_answer'],
    ['cut off', '{"changes":[{"path":"/me/USER.md","con', 'not_json'],
    ['null', 'null', 'wrong_shape'],
    ['a list', '[]', 'wrong_shape'],
    ['another shape', '{"changes":[{"file":"/me/USER.md"}]}', 'wrong_shape'],
    ['wrong types', '{"changes":[{"path":"/me/USER.md","content":7}]}', 'wrong_shape'],
    ['too many', JSON.stringify({ changes: Array.from({ length: 51 }, () => ({ path: USER })) }), 'wrong_shape'],
  ] as [string, string, string][])('%s instead of changes', async ([, answer, problem]) => {
    const all = await setting()
    expect(await consolidate(all, answer)).toMatchObject({ ...NOTHING, failed: true, problem })
    expect(await all.contents()).toEqual(START)
  })

  it('does not say in its message what was said', async () => {
    const result = await consolidate(
      await setting(),
      '{"changes":[{"path":"/me/USER.md","content":{"I like tea.":1}}]}',
    )
    expect(result.message).toBe("The model's JSON does not fit at: changes.0.content.")
  })

  it('the same answer twice, also within one, changes nothing more', async () => {
    const changes = [
      { path: USER, edits: [{ old_str: '- Name: Ada.', new_str: '- Name: Ada.\n- Likes tea.' }] },
      { path: '/topics/tea.md', edits: [{ old_str: 'Green', new_str: 'Black' }] },
      { path: NOTES, content: '- tea' },
      { path: '/topics/projects/apollo.md', description: 'Apollo', content: '- Starts in May.' },
    ]
    const all = await setting()
    await consolidate(all, { changes: [...changes, ...changes] }, [USER, NOTES])
    const after = await all.contents()
    expect(after[USER]).toBe('# User\n\n- Name: Ada.\n- Likes tea.\n')
    expect(after['/topics/tea.md']).toBe('---\ndescription: Tea\n---\n\n- Black.\n')
    await all.toolset.load({ query: 'tea' })
    const again = await consolidate(all, { changes }, [USER, NOTES])
    expect(again).toEqual({ ...NOTHING, unchanged: changes.map(({ path }) => path) })
    expect(await all.contents()).toEqual(after)
  })
})

describe('a model that fails', () => {
  it('is a result', async () => {
    const { toolset } = await setting()
    const model = scriptedModel([{ content: [], error: new Error('rate limited') }])
    const result = await createMemoryConsolidator({ model }).update(toolset, said)
    expect(result).toMatchObject({
      ...NOTHING,
      failed: true,
      problem: 'model_failed',
      message: 'The model failed: rate limited',
    })
  })

  it('by an abort is an abort', async () => {
    const { toolset } = await setting()
    const controller = new AbortController()
    const model = scriptedModel(async () => {
      controller.abort()
      return '{"changes":[]}'
    })
    await expect(
      createMemoryConsolidator({ model }).update(toolset, said, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('its input', () => {
  it('is bounded: the oldest is left out, and said to be', async () => {
    const { toolset } = await setting()
    const model = scriptedModel(['{"changes":[]}'])
    const long: Message[] = Array.from({ length: 100 }, (_, i) => ({
      role: 'user',
      content: `message-${i} ${'x'.repeat(90)}`,
    }))
    await createMemoryConsolidator({ model, maxInputChars: 1000 }).update(toolset, long)
    const prompt = JSON.stringify(model.calls[0]!.prompt)
    expect(prompt.match(/message-\d+/g)).toEqual(Array.from({ length: 9 }, (_, i) => `message-${91 + i}`).slice(-9))
    expect(prompt).toContain('(91 earlier messages are left out.)')
  })

  it('must be files that the toolset holds', async () => {
    const { toolset } = await setting()
    const consolidator = createMemoryConsolidator({ model: scriptedModel([]) })
    await expect(consolidator.update(toolset, said, { writable: ['/secret.md'] })).rejects.toThrow(
      'writable has /secret.md, which is not below always or browse',
    )
  })
})
