import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryStore, type RowStore } from '@keepsake/core'
import { createMemoryToolset, rowFiles, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAgent, type Agent, type AgentOptions } from '../../src/index.ts'
import { testClock } from '../support.ts'
import { mortalFiles } from './mortal-files.ts'
import { LEASE_OVER_MS, mortalStore } from './support.ts'

const [LOG, NEW, USER] = ['/log.md', '/new.md', '/USER.md']
const input = { threadId: 't', prompt: 'Note it', runId: 'r' }

/** Made twice it would be there twice: the text that it replaces is still in the file afterwards. */
const APPEND = { old: '- end\n', new: '- paid\n- end\n' }

const filesystems: [string, () => Promise<Files>][] = [
  ['rowFiles', async () => rowFiles(inMemoryStore(), 'ada')],
  [
    'localFiles',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'edits-'))
      onTestFinished(() => rm(root, { recursive: true }))
      return localFiles({ root })
    },
  ],
]

/** A process: the model calls `calls` first, and is done when it has their results. */
function processOf(
  store: RowStore,
  clock: ReturnType<typeof testClock>,
  calls: Parameters<typeof toolCall>[],
  options: Partial<AgentOptions<undefined>>,
): Agent<undefined> {
  return createAgent({
    store,
    clock,
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'user' ? calls.map(([name, given]) => toolCall(name, given)) : 'Noted.',
    ),
    ...options,
  })
}

async function textOf(files: Files, path: string): Promise<string> {
  const read = await files.read(path)
  return read.ok ? read.value.content : read.code
}

describe.each(filesystems)(
  'a process that dies right after a change of %s, which nobody has heard of',
  (_name, open) => {
    test.each([1, 2])('by a file tool, the change %i: it is there once', async (dieAt) => {
      const [store, clock, files] = [inMemoryStore(), testClock(), await open()]
      await files.write(LOG, '- begin\n- end\n')
      const calls: Parameters<typeof toolCall>[] = [
        ['edit_file', { file_path: LOG, old_string: APPEND.old, new_string: APPEND.new }],
        ['write_file', { file_path: NEW, content: 'New.\n' }],
      ]
      const mortal = mortalFiles(files, dieAt)
      const ended = processOf(store, clock, calls, { files: mortal }).run(input)
      expect(await Promise.race([ended, mortal.died])).toBe('died')
      clock.advance(LEASE_OVER_MS)
      const result = await processOf(store, clock, calls, { files }).run(input)
      expect(result).toMatchObject({ status: 'completed', text: 'Noted.', replayed: false })
      expect([await textOf(files, LOG), await textOf(files, NEW)]).toEqual(['- begin\n- paid\n- end\n', 'New.\n'])
      // The model is told of a success, as it was made by this very call.
      const outputs = JSON.stringify(result.messages)
      expect(outputs).toContain('Edited /log.md')
      expect(outputs).toContain('Created /new.md')
      expect(outputs).not.toContain('Error:')
    })

    test('by a file tool, and then somebody else adds a line before it goes on: both are there once', async () => {
      const [store, clock, files] = [inMemoryStore(), testClock(), await open()]
      await files.write(LOG, '- begin\n- end\n')
      const calls: Parameters<typeof toolCall>[] = [
        ['edit_file', { file_path: LOG, old_string: APPEND.old, new_string: APPEND.new }],
      ]
      const mortal = mortalFiles(files, 1)
      void processOf(store, clock, calls, { files: mortal }).run(input)
      await mortal.died
      await files.edit(LOG, '- begin\n', '- begin\n- by hand\n')
      clock.advance(LEASE_OVER_MS)
      await processOf(store, clock, calls, { files }).run(input)
      expect(await textOf(files, LOG)).toBe('- begin\n- by hand\n- paid\n- end\n')
    })

    test.each([1, 2])('by a toolset as it is written, the change %i: it is there once', async (dieAt) => {
      const [store, clock, files] = [inMemoryStore(), testClock(), await open()]
      for (const path of [LOG, USER]) await files.write(path, '- begin\n- end\n')
      const calls: Parameters<typeof toolCall>[] = [LOG, USER].map((path) => [
        'memory_edit',
        { path, old_str: APPEND.old, new_str: APPEND.new },
      ])
      const toolsetOn = (on: Files): Partial<AgentOptions<undefined>> => ({
        toolset: () => createMemoryToolset(on, { always: [LOG, USER] }),
      })
      const mortal = mortalFiles(files, dieAt)
      const ended = processOf(store, clock, calls, toolsetOn(mortal)).run(input)
      expect(await Promise.race([ended, mortal.died])).toBe('died')
      clock.advance(LEASE_OVER_MS)
      const result = await processOf(store, clock, calls, toolsetOn(files)).run(input)
      expect(result).toMatchObject({ status: 'completed', text: 'Noted.', replayed: false })
      for (const path of [LOG, USER]) expect(await textOf(files, path)).toBe('- begin\n- paid\n- end\n')
    })

    test('of its store, at any call: edits by file tool and toolset are there once', async () => {
      let deaths = 0
      for (let call = 1; ; call++) {
        let died = false
        for (const when of ['before', 'after'] as const) {
          const [store, clock, files] = [inMemoryStore(), testClock(), await open()]
          for (const path of [LOG, USER]) await files.write(path, '- begin\n- end\n')
          const calls: Parameters<typeof toolCall>[] = [
            ['edit_file', { file_path: LOG, old_string: APPEND.old, new_string: APPEND.new }],
            ['memory_edit', { path: USER, old_str: APPEND.old, new_str: APPEND.new }],
          ]
          const options = { files, toolset: () => createMemoryToolset(files, { always: [USER] }) }
          const mortal = mortalStore(store, call, when)
          const ended = await Promise.race([processOf(mortal, clock, calls, options).run(input), mortal.died])
          died ||= ended === 'died'
          clock.advance(LEASE_OVER_MS)
          expect((await processOf(store, clock, calls, options).run(input)).text).toBe('Noted.')
          for (const path of [LOG, USER]) {
            expect(await textOf(files, path), `${path}, ${when} call ${call}`).toBe('- begin\n- paid\n- end\n')
          }
        }
        if (!died) break
        deaths++
      }
      // Reads, claim, answer, two results, answer, flush, commit.
      expect(deaths).toBeGreaterThan(10)
    })
  },
)
