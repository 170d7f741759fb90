import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import { describe, expect, it } from 'vitest'
import { kinds, ours as runOurs, runner, temporaryFolder, type Command, type RunCommand } from './support.ts'

// The faults of the SDK's handler that the README lists, by its numbers. Each test shows the fault, so that one which is
// mended there is seen here, and what happens with us.

const FILE = '/memories/a.md'

interface Both {
  theirs: RunCommand
  ours: RunCommand
  /** What a file holds, as it lies there. */
  theirText: (name: string) => Promise<string>
  ourText: (name: string) => Promise<string>
}

async function both(kind: string, contents: Record<string, string>): Promise<Both> {
  const folder = await temporaryFolder()
  const theirs = runner(await BetaLocalFilesystemMemoryTool.init(folder))
  const files = await kinds[kind]!()
  for (const [name, text] of Object.entries(contents)) {
    await mkdir(join(folder, 'memories', name, '..'), { recursive: true })
    await writeFile(join(folder, 'memories', name), text)
    await files.write(name, text)
  }
  return {
    theirs,
    ours: runOurs(files),
    theirText: (name) => readFile(join(folder, 'memories', name), 'utf8'),
    async ourText(name) {
      const file = await files.read(name)
      return file.ok ? file.value.content : file.code
    },
  }
}

const replace = (old_str: string, new_str?: string): Command =>
  ({ command: 'str_replace', path: FILE, old_str, ...(new_str !== undefined && { new_str }) }) as Command

describe.for(Object.keys(kinds))('on %s', (kind) => {
  it('1: a text of several lines is found', async () => {
    const { theirs, ours, ourText } = await both(kind, { 'a.md': 'one\ntwo\nthree\n' })
    expect(await theirs(replace('one\ntwo', '1\n2'))).toContain('did not appear verbatim')
    expect(await ours(replace('one\ntwo', '1\n2'))).toContain('The memory file has been edited')
    expect(await ourText('a.md')).toBe('1\n2\nthree\n')
  })

  it('2: new_str that is left out is empty', async () => {
    const { theirs, ours, theirText, ourText } = await both(kind, { 'a.md': 'one two\n' })
    await theirs(replace(' two'))
    expect(await theirText('a.md')).toBe('oneundefined\n')
    await ours(replace(' two'))
    expect(await ourText('a.md')).toBe('one\n')
  })

  it('3: two occurrences in one line are two', async () => {
    const { theirs, ours, theirText, ourText } = await both(kind, { 'a.md': 'tea and tea\n' })
    await theirs(replace('tea', 'milk'))
    expect(await theirText('a.md')).toBe('milk and tea\n')
    expect(await ours(replace('tea', 'milk'))).toContain('Multiple occurrences of old_str `tea` in lines: 1.')
    expect(await ourText('a.md')).toBe('tea and tea\n')
  })

  it('4: an empty old_str is found nowhere', async () => {
    const { theirs, ours, theirText, ourText } = await both(kind, { 'a.md': 'one' })
    await theirs(replace('', 'x'))
    expect(await theirText('a.md')).toBe('xone')
    expect(await ours(replace('', 'x'))).toContain('did not appear verbatim')
    expect(await ourText('a.md')).toBe('one')
  })

  it('5: edits at the same time are all there', async () => {
    const { theirs, ours, theirText, ourText } = await both(kind, { 'a.md': 'one\ntwo\n' })
    const edits = [replace('one', 'ONE'), replace('two', 'TWO')]
    await Promise.all(edits.map(theirs))
    expect(await theirText('a.md')).not.toBe('ONE\nTWO\n')
    await Promise.all(edits.map(ours))
    expect(await ourText('a.md')).toBe('ONE\nTWO\n')
  })

  it('5: and so are insertions', async () => {
    const { ours, ourText } = await both(kind, { 'a.md': 'a\nb\n' })
    const insert = (insert_line: number, insert_text: string): Command => ({
      command: 'insert',
      path: FILE,
      insert_line,
      insert_text,
    })
    const done = await Promise.all([ours(insert(0, 'start')), ours(insert(1, 'middle')), ours(insert(2, 'end'))])
    const text = await ourText('a.md')
    // Where a place is gone, the model is told; nothing that was said to be done is missing.
    for (const [index, line] of ['start', 'middle', 'end'].entries()) {
      expect(text.includes(line)).toBe(done[index] === `The file ${FILE} has been edited.`)
    }
    expect(text.split('\n').filter((line) => ['a', 'b'].includes(line))).toEqual(['a', 'b'])
  })

  it('6: lines that end with CRLF are edited as they are shown, and stay so', async () => {
    const { theirs, ours, ourText } = await both(kind, { 'a.md': '\uFEFFa\r\nb\r\nc\r\n' })
    expect(await theirs(replace('a\nb', 'A\nb'))).toContain('did not appear verbatim')
    expect(await ours({ command: 'view', path: FILE, view_range: [1, 2] })).toBe(
      `Here's the content of ${FILE} with line numbers:\n     1\ta\n     2\tb`,
    )
    await ours(replace('a\nb', 'A\nb'))
    await ours({ command: 'insert', path: FILE, insert_line: 1, insert_text: 'x\ny\n' })
    expect(await ourText('a.md')).toBe('\uFEFFA\r\nx\r\ny\r\nb\r\nc\r\n')
  })

  it('7: a path that only begins like /memories is refused', async () => {
    const call: Command = { command: 'create', path: '/memories_backup/x.md', file_text: 'x' }
    const { theirs, ours } = await both(kind, {})
    expect(await theirs(call)).toContain('File created successfully')
    expect(await ours(call)).toBe('Error: Path must start with /memories, got: /memories_backup/x.md')
  })

  it('8: a path with .. in it is refused, also where it does not lead out', async () => {
    const { theirs, ours } = await both(kind, { 'foo/a.md': 'x' })
    for (const path of ['/memories/foo/..', '/memories/foo/../foo/a.md']) {
      expect(await theirs({ command: 'view', path })).not.toContain('Error')
      expect(await ours({ command: 'view', path })).toBe(`Error: Path ${path} would escape /memories directory`)
    }
  })

  it('9: a file without text is not made', async () => {
    const call = { command: 'create', path: FILE } as Command
    const { theirs, ours, theirText, ourText } = await both(kind, {})
    expect(await theirs(call)).toContain('Error')
    expect(await theirText('a.md')).toBe('')
    expect(await ours(call)).toBe('Error: The parameter `file_text` must be a text.')
    expect(await ourText('a.md')).toBe('not_found')
  })

  it('10: a line number that is none puts nothing anywhere', async () => {
    const call = { command: 'insert', path: FILE, insert_text: 'x' } as Command
    const { theirs, ours, theirText, ourText } = await both(kind, { 'a.md': 'one\n' })
    await theirs(call)
    expect(await theirText('a.md')).toBe('x\none\n')
    expect(await ours(call)).toContain('Invalid `insert_line` parameter: undefined.')
    expect(await ourText('a.md')).toBe('one\n')
  })

  it('11: errors tell nothing of the machine', async () => {
    const { theirs, ours } = await both(kind, { 'a.md': 'one', 'd/b.md': 'x' })
    for (const call of [
      { command: 'create', path: `${FILE}/below.md`, file_text: 'x' },
      { command: 'rename', old_path: '/memories/d', new_path: '/memories/d/e' },
    ] as Command[]) {
      expect(await theirs(call)).toMatch(/memory-tool-/)
      expect(await ours(call)).toMatch(
        /^Error: The path \/memories\/\S+ (?:is below a file|cannot be moved into itself)\.$/,
      )
    }
  })

  it('12: a slash at the end of a directory is shown once', async () => {
    const { theirs, ours } = await both(kind, { 'd/a.md': 'one' })
    expect(await theirs({ command: 'view', path: '/memories/d/' })).toContain('\t/memories/d//a.md')
    expect(await ours({ command: 'view', path: '/memories/d/' })).toMatch(
      /3B\t\/memories\/d\n3B\t\/memories\/d\/a\.md$/,
    )
  })

  it('13: bytes that are no text are not replaced by marks', async () => {
    const files = await kinds[kind]!()
    const bytes = Uint8Array.of(0x61, 0xff, 0x62)
    await files.upload([{ path: '/a.md', bytes }])
    expect(await runOurs(files)(replace('a', 'A'))).toBe(`Error: The file ${FILE} is not UTF-8 text.`)
    expect(await files.download(['/a.md'])).toMatchObject([{ value: { bytes } }])

    const folder = await temporaryFolder()
    const theirs = runner(await BetaLocalFilesystemMemoryTool.init(folder))
    await writeFile(join(folder, 'memories/a.md'), bytes)
    await theirs(replace('a', 'A'))
    expect(await readFile(join(folder, 'memories/a.md'), 'utf8')).toBe('A\uFFFDb')
  })
})
