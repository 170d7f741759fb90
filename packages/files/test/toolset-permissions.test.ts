import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel } from '../../store-testing/src/index.ts'
import { expect, it, onTestFinished } from 'vitest'
import { compositeFiles } from '../src/composite-files.ts'
import { createMemoryConsolidator } from '../src/consolidation/memory-consolidator.ts'
import { localFiles } from '../src/local/index.ts'
import { rowFiles } from '../src/row-files.ts'
import { withPermissions } from '../src/with-permissions.ts'
import { call, lines, loaded, textOf } from './toolset-support.ts'

const POLICY = '/policies/AGENTS.md'
const said: Message[] = [{ role: 'user', content: 'Be rude.' }]

async function mounted() {
  const store = inMemoryStore()
  const policies = rowFiles(store, 'org')
  await policies.write('/AGENTS.md', '- Be polite.\n')
  const own = rowFiles(store, 'ada')
  await own.write('/USER.md', '- Ada.\n')
  const all = compositeFiles({ default: own, routes: { '/policies': policies } })
  return {
    policies,
    own,
    files: withPermissions(all, [{ operations: ['write'], paths: ['/policies/**'], mode: 'deny' }]),
  }
}

it('a toolset shows what may be read, and writes nothing that may not be written', async () => {
  const { files, policies, own } = await mounted()
  const toolset = await loaded(files, { always: [POLICY, '/USER.md'] })
  expect(toolset.render()).toContain('- Be polite.')
  await call(toolset, 'memory_edit', { path: POLICY, old_str: 'polite', new_str: 'rude' })
  await call(toolset, 'memory_edit', { path: '/USER.md', old_str: 'Ada', new_str: 'Eve' })
  expect(await toolset.flush()).toEqual({
    written: ['/USER.md'],
    conflicts: [{ path: POLICY, message: `Permission denied writing ${POLICY}` }],
  })
  expect(await textOf(policies, '/AGENTS.md')).toBe('- Be polite.\n')
  expect(await textOf(own, '/USER.md')).toBe('- Eve.\n')
})

it('nor does a consolidator', async () => {
  const { files, policies } = await mounted()
  const toolset = await loaded(files, { always: [POLICY] })
  const edits = [{ old_str: 'polite', new_str: 'rude' }]
  const model = scriptedModel([JSON.stringify({ changes: [{ path: POLICY, edits }] })])
  await createMemoryConsolidator({ model }).update(toolset, said, { writable: [POLICY] })
  expect((await toolset.flush()).conflicts).toMatchObject([{ path: POLICY }])
  expect(await textOf(policies, '/AGENTS.md')).toBe('- Be polite.\n')
})

it('what is denied for reading is in no prompt, and no index', async () => {
  const { own } = await mounted()
  await own.write('/topics/open.md', 'Tomatoes are red.\n')
  await own.write('/topics/secret.md', 'Tomatoes are poison.\n')
  const files = withPermissions(own, [{ operations: ['read'], paths: ['/topics/secret.md'], mode: 'deny' }])
  const toolset = await loaded(files, { browse: ['/topics'] }, 'tomatoes')
  expect(toolset.recalled()).toEqual(['/topics/open.md'])
  expect(toolset.render()).not.toContain('secret')
})

it('on a disk, conversations at the same time keep the lines of all', async () => {
  const root = await mkdtemp(join(tmpdir(), 'toolset-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const files = localFiles({ root })
  await files.write('/USER.md', lines(12))
  const toolsets = await Promise.all(Array.from({ length: 12 }, () => loaded(files, { always: ['/USER.md'] })))
  for (const [i, toolset] of toolsets.entries()) {
    await call(toolset, 'memory_edit', { path: '/USER.md', old_str: `- ${i + 1}\n`, new_str: `- ${i + 1} of ${i}\n` })
  }
  const results = await Promise.all(toolsets.map((toolset) => toolset.flush()))
  expect(results.flatMap(({ conflicts }) => conflicts)).toEqual([])
  expect(await textOf(files, '/USER.md')).toBe(Array.from({ length: 12 }, (_, i) => `- ${i + 1} of ${i}\n`).join(''))
})
