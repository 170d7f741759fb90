import { inMemoryStore, type Tool } from '@keepsake/core'
import { generateText, isStepCount, streamText } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { describe, expect, it } from 'vitest'
import type { FileToolName } from '../src/file-tool-schemas.ts'
import { fileTools } from '../src/file-tools.ts'
import type { Files } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { refusedPaths } from '../../store-testing/src/files/hostile-paths.ts'

type GenerateResult = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
type StreamParts =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never

const newFiles = (): Required<Files> => rowFiles(inMemoryStore(), 'ada')

/** Calls a tool as the loop does: the input goes through its schema. */
function caller(files: Files): (name: FileToolName, input: object) => Promise<string> {
  const tools = fileTools(files)
  return async (name, input) => {
    const tool: Tool = tools[name]
    return tool.execute!(tool.inputSchema.parse(input), { toolCallId: 'c', messages: [], context: undefined })
  }
}

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`).join('\n')

async function filled(): Promise<(name: FileToolName, input: object) => Promise<string>> {
  const call = caller(newFiles())
  for (const file_path of ['/a.md', '/notes/b.md', '/notes/deep/c.txt', '/[x]/d.md', '/x/e.md']) {
    await call('write_file', { file_path, content: `hello from ${file_path}\n` })
  }
  return call
}

describe('fileTools', () => {
  it('has the names and arguments that models know', () => {
    const tools = fileTools(newFiles())
    const shapes = Object.entries(tools).map(([name, { inputSchema }]) => {
      const fields = Object.entries(
        inputSchema.shape as Record<string, { safeParse(v: unknown): { success: boolean } }>,
      )
      return [name, fields.map(([field, schema]) => (schema.safeParse(undefined).success ? `${field}?` : field))]
    })
    expect(shapes).toEqual([
      ['ls', ['path']],
      ['read_file', ['file_path', 'offset?', 'limit?']],
      ['write_file', ['file_path', 'content']],
      ['edit_file', ['file_path', 'old_string', 'new_string', 'replace_all?']],
      ['glob', ['pattern', 'path?']],
      ['grep', ['pattern', 'path?', 'glob?']],
    ])
  })

  it('remembers as an assistant does', async () => {
    const files = newFiles()
    const call = caller(files)
    expect(await call('write_file', { file_path: '/AGENTS.md', content: '# User\n\n- Name: Ada.\n' })).toBe(
      'Created /AGENTS.md',
    )
    expect(await call('read_file', { file_path: '/AGENTS.md' })).toBe('# User\n\n- Name: Ada.\n')
    const edit = { file_path: '/AGENTS.md', old_string: '- Name: Ada.', new_string: '- Name: Ada.\n- Prefers German.' }
    expect(await call('edit_file', edit)).toBe('Edited /AGENTS.md (line 3)')
    expect(await files.read('/AGENTS.md')).toMatchObject({
      value: { content: '# User\n\n- Name: Ada.\n- Prefers German.\n' },
    })
    expect(await call('ls', { path: '/' })).toBe('/AGENTS.md')
    expect(await call('grep', { pattern: 'German' })).toBe('/AGENTS.md:4: - Prefers German.')
  })

  it('says what it refuses, in texts that are fixed', async () => {
    const call = caller(newFiles())
    await call('write_file', { file_path: '/notes/a.md', content: 'x\ny\nx\n' })
    const file_path = '/notes/a.md'
    expect(await call('write_file', { file_path, content: 'z' })).toBe('Error: file already exists')
    expect(await call('read_file', { file_path: '/b.md' })).toBe('Error: file not found')
    expect(await call('edit_file', { file_path: '/b.md', old_string: 'x', new_string: '' })).toBe(
      'Error: file not found',
    )
    expect(await call('edit_file', { file_path, old_string: 'q', new_string: '' })).toBe(
      'Error: String not found in file',
    )
    expect(await call('edit_file', { file_path, old_string: 'x', new_string: '' })).toBe(
      'Error: String occurs 2 times (lines 1, 3); make it unique or set replace_all',
    )
    expect(await call('edit_file', { file_path, old_string: 'x', new_string: 'z', replace_all: true })).toBe(
      'Edited /notes/a.md (lines 1, 3)',
    )
    expect(await call('read_file', { file_path: '/notes' })).toBe('Error: /notes is a directory')
    expect(await call('ls', { path: '/missing' })).toBe('Error: file not found')
  })

  it.for(refusedPaths.filter(({ path }) => typeof path === 'string'))(
    'says invalid_path for $name',
    async ({ path }) => {
      const call = caller(newFiles())
      expect(await call('ls', { path })).toBe('Error: invalid_path')
      expect(await call('read_file', { file_path: path })).toBe('Error: invalid_path')
      expect(await call('write_file', { file_path: path, content: 'x' })).toBe('Error: invalid_path')
      expect(await call('edit_file', { file_path: path, old_string: 'x', new_string: 'y' })).toBe('Error: invalid_path')
      expect(await call('glob', { pattern: '**', path })).toBe('Error: invalid_path')
      expect(await call('grep', { pattern: 'x', path })).toBe('Error: invalid_path')
    },
  )

  it('says Permission denied as a file system does', async () => {
    const message = 'Permission denied editing /policies/a.md'
    const files: Files = { ...newFiles(), edit: async () => ({ ok: false, code: 'permission_denied', message }) }
    const edit = { file_path: '/policies/a.md', old_string: 'a', new_string: 'b' }
    expect(await caller(files)('edit_file', edit)).toBe('Error: Permission denied editing /policies/a.md')
  })

  describe('read_file', () => {
    it('shows 2,000 lines and says how to go on', async () => {
      const call = caller(newFiles())
      await call('write_file', { file_path: '/a.md', content: `${lines(1, 4001)}\n` })
      const read = (input: object): Promise<string> => call('read_file', { file_path: '/a.md', ...input })
      expect(await read({})).toBe(`${lines(1, 2000)}\n\n[lines 1 to 2000 of 4001; read on with offset 2000]`)
      expect(await read({ offset: 2000 })).toBe(
        `${lines(2001, 4000)}\n\n[lines 2001 to 4000 of 4001; read on with offset 4000]`,
      )
      expect(await read({ offset: 4000 })).toBe('line 4001')
      expect(await read({ offset: 1, limit: 2 })).toBe(
        'line 2\nline 3\n\n[lines 2 to 3 of 4001; read on with offset 3]',
      )
      expect(await read({ limit: 4001 })).toBe(`${lines(1, 4001)}\n`)
      expect(await read({ offset: 4001 })).toBe('[the file has 4001 lines; offset 4001 is after the last]')
    })

    it('shows what edit_file takes, whatever the line endings', async () => {
      const files = newFiles()
      const call = caller(files)
      await files.write('/a.md', '\uFEFFone\r\ntwo\r\n')
      const shown = await call('read_file', { file_path: '/a.md' })
      expect(shown).toBe('one\ntwo\n')
      await call('edit_file', { file_path: '/a.md', old_string: shown, new_string: 'one\n2\n' })
      expect(await files.read('/a.md')).toMatchObject({ value: { content: '\uFEFFone\r\n2\r\n' } })
    })

    it('tells an empty file from nothing', async () => {
      const call = caller(newFiles())
      await call('write_file', { file_path: '/a.md', content: '' })
      expect(await call('read_file', { file_path: '/a.md' })).toBe('[the file is empty]')
    })
  })

  describe('over 50,000 characters', () => {
    it('read_file shows the lines that fit, and how to go on', async () => {
      const call = caller(newFiles())
      // 100 characters with their endings: 500 fit.
      const line = 'x'.repeat(99)
      await call('write_file', { file_path: '/a.md', content: `${line}\n`.repeat(501) })
      const read = (offset: number) => call('read_file', { file_path: '/a.md', offset })
      const first = Array.from({ length: 500 }, () => line).join('\n')
      expect(await read(0)).toBe(`${first}\n\n[lines 1 to 500 of 501; read on with offset 500]`)
      expect(await read(500)).toBe(line)
      expect(await read(1)).toBe(first)
    })

    it('read_file cuts a line that does not fit alone, between characters', async () => {
      const call = caller(newFiles())
      await call('write_file', {
        file_path: '/a.md',
        content: `${'x'.repeat(49_999)}😀${'y'.repeat(2_000_000)}\nend\n`,
      })
      expect(await call('read_file', { file_path: '/a.md' })).toBe(
        `${'x'.repeat(49_999)}… [cut: 2000002 of 2050001 characters of this line are not shown]\n\n[lines 1 to 1 of 2; read on with offset 1]`,
      )
      expect(await call('read_file', { file_path: '/a.md', offset: 1 })).toBe('end')
    })

    it('grep cuts long lines, and shows fewer', async () => {
      const call = caller(newFiles())
      await call('write_file', { file_path: '/a.md', content: `${'x'.repeat(2000)}\n`.repeat(100) })
      // 9 + 2,000 characters in each, for the first nine lines.
      const first = `/a.md:1: ${'x'.repeat(991)}… [cut: 1009 of 2009 characters of this line are not shown]`
      const shown = await call('grep', { pattern: 'x' })
      expect(shown.split('\n')[0]).toBe(first)
      expect(shown.length).toBeLessThan(51_000)
      // A line has 1,057 characters and its ending: 1,000, the mark of 57.
      expect(shown.split('\n').at(-1)).toBe('[47 of 100 are shown; narrow the search]')
    })

    it('edit_file counts the replacements and names the first lines', async () => {
      const call = caller(newFiles())
      await call('write_file', { file_path: '/a.md', content: 'x\n'.repeat(1_000_000) })
      expect(await call('edit_file', { file_path: '/a.md', old_string: 'x', new_string: 'y', replace_all: true })).toBe(
        'Edited /a.md (1000000 replacements; lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)',
      )
    })

    it('an error is cut too', async () => {
      const message = 'x'.repeat(60_000)
      const files: Files = { ...newFiles(), read: async () => ({ ok: false, code: 'not_found', message }) }
      expect(await caller(files)('read_file', { file_path: '/a.md' })).toBe(
        `Error: ${'x'.repeat(50_000)}… [cut: 10000 of 60000 characters of this line are not shown]`,
      )
    })
  })

  describe('ls, glob and grep', () => {
    it('list directories with a slash', async () => {
      const call = await filled()
      expect(await call('ls', { path: '/' })).toBe('/[x]/\n/a.md\n/notes/\n/x/')
      expect(await caller(newFiles())('ls', { path: '/' })).toBe('No files')
    })

    it('find by pattern, below a directory', async () => {
      const call = await filled()
      expect(await call('glob', { pattern: '**/*.md' })).toBe('/[x]/d.md\n/a.md\n/notes/b.md\n/x/e.md')
      expect(await call('glob', { pattern: '*.md' })).toBe('/a.md')
      expect(await call('glob', { pattern: '*.md', path: '/notes' })).toBe('/notes/b.md')
      expect(await call('glob', { pattern: '/**', path: '/notes/' })).toBe('/notes/b.md\n/notes/deep/c.txt')
      expect(await call('glob', { pattern: '*', path: '/[x]' })).toBe('/[x]/d.md')
      expect(await call('glob', { pattern: '*.pdf' })).toBe('No files found')
    })

    it('grep below a directory, in a file, by pattern', async () => {
      const call = await filled()
      const hello = { pattern: 'hello' }
      expect(await call('grep', { ...hello, path: '/notes' })).toBe(
        '/notes/b.md:1: hello from /notes/b.md\n/notes/deep/c.txt:1: hello from /notes/deep/c.txt',
      )
      expect(await call('grep', { ...hello, path: '/notes', glob: '*.txt' })).toBe(
        '/notes/deep/c.txt:1: hello from /notes/deep/c.txt',
      )
      expect(await call('grep', { ...hello, path: '/notes', glob: 'deep/*' })).toBe(
        '/notes/deep/c.txt:1: hello from /notes/deep/c.txt',
      )
      expect(await call('grep', { ...hello, path: '/[x]' })).toBe('/[x]/d.md:1: hello from /[x]/d.md')
      expect(await call('grep', { ...hello, path: '/[x]/d.md' })).toBe('/[x]/d.md:1: hello from /[x]/d.md')
      expect(await call('grep', { ...hello, glob: 'c.*' })).toBe('/notes/deep/c.txt:1: hello from /notes/deep/c.txt')
      expect(await call('grep', { ...hello, path: '/missing' })).toBe('Error: file not found')
      expect(await call('grep', { pattern: 'h.llo' })).toBe('No matches found')
    })

    it('say what they do not show', async () => {
      const call = caller(newFiles())
      await call('write_file', { file_path: '/a.md', content: 'x\n'.repeat(201) })
      const shown = (await call('grep', { pattern: 'x' })).split('\n')
      expect(shown).toHaveLength(202)
      expect(shown.slice(-3)).toEqual(['/a.md:200: x', '', '[200 of more than 200 are shown; narrow the search]'])
      await call('edit_file', { file_path: '/a.md', old_string: 'x\n', new_string: '', replace_all: true })
      await call('write_file', { file_path: '/b.md', content: 'x\n'.repeat(200) })
      expect((await call('grep', { pattern: 'x' })).split('\n')).toHaveLength(200)
    })
  })
})

describe("fileTools in the AI SDK's own loop", () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const input = JSON.stringify({ file_path: '/AGENTS.md', content: '- Prefers German.\n' })

  it('run in generateText', async () => {
    const files = newFiles()
    const answers: GenerateResult[] = [
      {
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'write_file', input }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'Saved.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ]
    const model = new MockLanguageModelV4({ doGenerate: answers })
    const result = await generateText({
      model,
      prompt: 'Remember it.',
      tools: fileTools(files),
      stopWhen: isStepCount(5),
    })
    expect(result.text).toBe('Saved.')
    expect(await files.read('/AGENTS.md')).toMatchObject({ value: { content: '- Prefers German.\n' } })
    const told = model.doGenerateCalls[1]!.prompt.at(-1)
    expect(told).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'c1', output: { type: 'text', value: 'Created /AGENTS.md' } }],
    })
    expect(model.doGenerateCalls[0]!.tools?.map(({ name }) => name)).toEqual([
      'ls',
      'read_file',
      'write_file',
      'edit_file',
      'glob',
      'grep',
    ])
    expect(model.doGenerateCalls[0]!.tools?.[2]).toMatchObject({
      inputSchema: { type: 'object', required: ['file_path', 'content'] },
    })
  })

  it('run in streamText', async () => {
    const files = newFiles()
    const turns: StreamParts[][] = [
      [
        { type: 'stream-start', warnings: [] },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'write_file', input },
        { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage },
      ],
      [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Saved.' },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
      ],
    ]
    const model = new MockLanguageModelV4({
      doStream: turns.map((chunks) => ({ stream: simulateReadableStream({ chunks }) })),
    })
    const result = streamText({ model, prompt: 'Remember it.', tools: fileTools(files), stopWhen: isStepCount(5) })
    expect(await result.text).toBe('Saved.')
    expect(await files.read('/AGENTS.md')).toMatchObject({ value: { content: '- Prefers German.\n' } })
  })
})
