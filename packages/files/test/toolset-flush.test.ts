import { describe, expect, it } from 'vitest'
import type { Files } from '../src/files.ts'
import type { MemoryToolset } from '../src/toolset/memory-toolset.ts'
import type { ToolsetOptions } from '../src/toolset/toolset-options.ts'
import { call, filesWith, lines, loaded, textOf, USER } from './toolset-support.ts'

describe('flush, where somebody else wrote meanwhile', () => {
  const options: ToolsetOptions = { always: [USER], browse: ['/topics'], allowMove: true }

  it('edits of different lines are all there, in any number of conversations', async () => {
    const files = await filesWith({ [USER]: lines(20) })
    const toolsets = await Promise.all(Array.from({ length: 20 }, () => loaded(files, options)))
    for (const [i, toolset] of toolsets.entries()) {
      await call(toolset, 'memory_edit', { path: USER, old_str: `- ${i + 1}\n`, new_str: `- ${i + 1} of ${i}\n` })
    }
    const results = await Promise.all(toolsets.map((toolset) => toolset.flush()))
    expect(results.flatMap(({ conflicts }) => conflicts)).toEqual([])
    expect(await textOf(files, USER)).toBe(Array.from({ length: 20 }, (_, i) => `- ${i + 1} of ${i}\n`).join(''))
  })

  it('lines that several add after the same line are all there', async () => {
    const files = await filesWith({ [USER]: '# Facts\n' })
    const [one, other] = [await loaded(files, options), await loaded(files, options)]
    for (const [toolset, fact] of [
      [one, 'tea'],
      [other, 'milk'],
    ] as const) {
      await call(toolset, 'memory_edit', { path: USER, old_str: '# Facts', new_str: `# Facts\n- Likes ${fact}.` })
    }
    await one.flush()
    expect(await other.flush()).toEqual({ written: [USER], conflicts: [] })
    expect(await textOf(files, USER)).toBe('# Facts\n- Likes milk.\n- Likes tea.\n')
  })

  it('an edit of the same text is reported, and the other stays', async () => {
    const files = await filesWith({ [USER]: '- Lives in Rome.\n' })
    const [one, other] = [await loaded(files, options), await loaded(files, options)]
    for (const [toolset, city] of [
      [one, 'Bern'],
      [other, 'Oslo'],
    ] as const) {
      await call(toolset, 'memory_edit', { path: USER, old_str: 'Rome', new_str: city })
    }
    expect(await one.flush()).toEqual({ written: [USER], conflicts: [] })
    expect(await other.flush()).toEqual({
      written: [],
      conflicts: [{ path: USER, message: 'String not found in file' }],
    })
    expect(await textOf(files, USER)).toBe('- Lives in Bern.\n')
  })

  it('a rewrite is merged line by line with what came between', async () => {
    const files = await filesWith({ [USER]: '- a\n- b\n- c\n- d\n- e\n' })
    const toolset = await loaded(files, options)
    await call(toolset, 'memory_write', { path: USER, content: '- A\n- b\n- c\n- d\n- e\n' })
    await files.edit(USER, '- e', '- e\n- m2')
    expect(await toolset.flush()).toEqual({ written: [USER], conflicts: [] })
    expect(await textOf(files, USER)).toBe('- A\n- b\n- c\n- d\n- e\n- m2\n')
  })

  it('a rewrite of the lines that somebody else changed is reported', async () => {
    const files = await filesWith({ [USER]: '- a\n' })
    const toolset = await loaded(files, options)
    await call(toolset, 'memory_write', { path: USER, content: '- A\n' })
    await files.write(USER, '- b\n')
    expect(await toolset.flush()).toEqual({
      written: [],
      conflicts: [{ path: USER, message: 'somebody else changed the same lines meanwhile' }],
    })
    expect(await textOf(files, USER)).toBe('- b\n')
  })

  it('a file that somebody deleted is not brought back', async () => {
    const files = await filesWith({ [USER]: '- a\n' })
    const toolset = await loaded(files, options)
    await call(toolset, 'memory_edit', { path: USER, old_str: 'a', new_str: 'b' })
    await files.delete(USER)
    expect((await toolset.flush()).conflicts).toEqual([
      { path: USER, message: 'somebody else deleted the file meanwhile' },
    ])
    expect(await textOf(files, USER)).toBeUndefined()
  })

  it('two that make the same file keep the lines of both', async () => {
    const files = await filesWith({})
    const [one, other] = [await loaded(files, options), await loaded(files, options)]
    await call(one, 'memory_write', { path: USER, content: '- tea\n' })
    await call(other, 'memory_write', { path: USER, content: '- milk\n' })
    await one.flush()
    expect(await other.flush()).toEqual({ written: [USER], conflicts: [] })
    expect((await textOf(files, USER))!.split('\n').toSorted()).toEqual(['', '- milk', '- tea'])
  })

  it('a file that is moved takes along what came between', async () => {
    const files = await filesWith({ '/topics/a.md': 'one\ntwo\n' })
    const toolset = await loaded(files, options)
    await call(toolset, 'memory_edit', { path: '/topics/a.md', old_str: 'one', new_str: 'ONE' })
    await call(toolset, 'memory_move', { old_path: '/topics/a.md', new_path: '/topics/b.md' })
    await files.edit('/topics/a.md', 'two', 'TWO')
    expect(await toolset.flush()).toEqual({ written: ['/topics/b.md'], conflicts: [] })
    expect(await textOf(files, '/topics/b.md')).toBe('ONE\nTWO\n')
    expect(await textOf(files, '/topics/a.md')).toBeUndefined()
  })

  it('a merge does not pass the limit of lines', async () => {
    const files = await filesWith({ [USER]: '- a\n- b\n' })
    const toolset = await loaded(files, { always: [USER], maxLines: 3 })
    await call(toolset, 'memory_edit', { path: USER, old_str: '- a', new_str: '- a\n- c' })
    await files.edit(USER, '- b', '- b\n- d')
    expect((await toolset.flush()).conflicts).toEqual([
      { path: USER, message: 'the file would have 4 lines; at most 3 are allowed; it has 3 now' },
    ])
  })

  it('a write whose answer was lost is not done twice', async () => {
    const files = await filesWith({ [USER]: '# Facts\n' })
    let isLost = true
    const flaky: Files = {
      ...files,
      async write(...given) {
        const written = await files.write(...given)
        if (!isLost) return written
        isLost = false
        throw new Error('connection lost')
      },
    }
    const toolset = await loaded(flaky, options)
    await call(toolset, 'memory_edit', { path: USER, old_str: '# Facts', new_str: '# Facts\n- tea' })
    await expect(toolset.flush()).rejects.toThrow('connection lost')
    expect(await toolset.flush()).toEqual({ written: [USER], conflicts: [] })
    expect(await textOf(files, USER)).toBe('# Facts\n- tea\n')
  })

  it('changes that were not flushed are dropped by the next load', async () => {
    const files = await filesWith({ [USER]: '- a\n' })
    const toolset = await loaded(files, options)
    await call(toolset, 'memory_edit', { path: USER, old_str: 'a', new_str: 'b' })
    await toolset.load()
    expect(await call(toolset, 'read_memory', { path: USER })).toBe('- a\n')
    expect(await toolset.flush()).toEqual({ written: [], conflicts: [] })
  })

  it('a write that had landed is not done again, although others have written since', async () => {
    const files = await filesWith({ [USER]: '# Facts\n' })
    let isLost = true
    const flaky: Files = {
      ...files,
      async write(...given) {
        const written = await files.write(...given)
        if (!isLost) return written
        isLost = false
        await files.edit(USER, '- tea', '- tea\n- milk')
        throw new Error('connection lost')
      },
    }
    const toolset = await loaded(flaky, options)
    await call(toolset, 'memory_edit', { path: USER, old_str: '# Facts', new_str: '# Facts\n- tea' })
    await expect(toolset.flush()).rejects.toThrow('connection lost')
    expect(await toolset.flush()).toEqual({ written: [USER], conflicts: [] })
    expect(await textOf(files, USER)).toBe('# Facts\n- tea\n- milk\n')
    // And it goes on from what is there.
    await call(toolset, 'memory_edit', { path: USER, old_str: '- milk', new_str: '- oats' })
    await toolset.flush()
    expect(await textOf(files, USER)).toBe('# Facts\n- tea\n- oats\n')
  })

  it('of another process under the same name is not done again', async () => {
    const files = await filesWith({ [USER]: '# Facts\n' })
    for (let attempt = 0; attempt < 2; attempt++) {
      const toolset = await loaded(files, options)
      await call(toolset, 'memory_edit', { path: USER, old_str: '# Facts', new_str: '# Facts\n- tea' })
      expect(await toolset.flush({ opId: 'job-1' })).toEqual({ written: [USER], conflicts: [] })
    }
    expect(await textOf(files, USER)).toBe('# Facts\n- tea\n')
  })
})

describe('tools that go on during a flush', () => {
  const other = '/topics/other.md'
  const options: ToolsetOptions = { always: [USER], browse: ['/topics'], allowMove: true }

  /** A flush whose first write waits, in which `meanwhile` is done. */
  async function flushing(
    contents: Record<string, string>,
    before: (toolset: MemoryToolset) => Promise<unknown>,
    meanwhile: (toolset: MemoryToolset, files: Files) => Promise<unknown>,
  ) {
    const files = await filesWith(contents)
    const [writing, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Files = {
      ...files,
      async write(...given) {
        writing.resolve()
        await going.promise
        return files.write(...given)
      },
    }
    const toolset = await loaded(slow, options)
    await before(toolset)
    const first = toolset.flush()
    await writing.promise
    await meanwhile(toolset, files)
    going.resolve()
    return { files, first: await first, second: await toolset.flush() }
  }
  const edit = (path: string, from: string, to: string) => (toolset: MemoryToolset) =>
    call(toolset, 'memory_edit', { path, old_str: from, new_str: to })

  it('lose nothing of the file that is being written', async () => {
    const { files, second } = await flushing(
      { [USER]: '- a\n- b\n- c\n' },
      edit(USER, '- a', '- A'),
      async (toolset, stored) => {
        await edit(USER, '- b', '- B')(toolset)
        await stored.edit(USER, '- c', '- c\n- theirs')
      },
    )
    expect(second).toEqual({ written: [USER], conflicts: [] })
    expect(await textOf(files, USER)).toBe('- A\n- B\n- c\n- theirs\n')
  })

  it('lose nothing of a file whose turn comes later', async () => {
    const { files, first } = await flushing(
      { [USER]: '- a\n', [other]: '- x\n- y\n' },
      async (toolset) => {
        await edit(USER, '- a', '- A')(toolset)
        await edit(other, '- x', '- X')(toolset)
      },
      edit(other, '- y', '- Y'),
    )
    expect(first).toEqual({ written: [USER, other], conflicts: [] })
    expect(await textOf(files, other)).toBe('- X\n- Y\n')
  })

  it('move a file that was just made, and leave none behind', async () => {
    const { files, second } = await flushing(
      {},
      (toolset) => call(toolset, 'write_topic_file', { path: other, description: 'Other', content: '- x' }),
      (toolset) => call(toolset, 'memory_move', { old_path: other, new_path: '/topics/moved.md' }),
    )
    expect(second).toEqual({ written: ['/topics/moved.md'], conflicts: [] })
    expect(await textOf(files, other)).toBeUndefined()
    expect(await textOf(files, '/topics/moved.md')).toContain('- x')
  })

  it('are told of a change that does not go with what somebody else wrote', async () => {
    const { files, second } = await flushing(
      { [USER]: '- a\n- b\n' },
      edit(USER, '- a', '- A'),
      async (toolset, stored) => {
        await edit(USER, '- b', '- B')(toolset)
        await stored.edit(USER, '- b', '- theirs')
      },
    )
    expect(second).toEqual({ written: [], conflicts: [{ path: USER, message: 'String not found in file' }] })
    expect(await textOf(files, USER)).toBe('- A\n- theirs\n')
  })
})
