import { inMemoryStore, type ToolOptions } from '@keepsake/core'
import { expect, it } from 'vitest'
import { compositeFiles } from '../src/composite-files.ts'
import { fileApproval } from '../src/file-approval.ts'
import { fileTools } from '../src/file-tools.ts'
import type { Files } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { withPermissions, type Permission } from '../src/with-permissions.ts'

const rules: Permission[] = [
  { operations: ['write'], paths: ['/law.md', '/drafts/**'], mode: 'ask' },
  { operations: ['read'], paths: ['/secret.md'], mode: 'ask' },
  { operations: ['write'], paths: ['/old.md'], mode: 'deny' },
]

async function policies(): Promise<Required<Files>> {
  const files = rowFiles(inMemoryStore(), 'org')
  for (const name of ['law', 'secret', 'old', 'open']) await files.write(`/${name}.md`, 'Milk\n')
  return files
}

const call = (files: Files, tool: 'read_file' | 'write_file' | 'edit_file', input: object, approved?: boolean) =>
  fileTools(files)[tool].execute!(input, {
    toolCallId: 'c',
    messages: [],
    context: {},
    ...(approved !== undefined && { approved }),
  } satisfies ToolOptions) as Promise<string>

const edit = (file_path: string) => ({ file_path, old_string: 'Milk', new_string: 'Bread' })

it.for([
  ['edit_file', '/law.md', 'editing /law.md'],
  ['edit_file', 'drafts//a/../x.md', undefined],
  ['write_file', './drafts//x.md', 'writing /drafts/x.md'],
  ['read_file', '/secret.md', 'reading /secret.md'],
  ['read_file', '/law.md', undefined],
  ['edit_file', '/open.md', undefined],
  // It is denied, whoever is asked.
  ['edit_file', '/old.md', undefined],
  ['edit_file', '/\0', undefined],
  ['edit_file', 5, undefined],
  ['grep', '/secret.md', undefined],
  ['toString', '/law.md', undefined],
] as const)('%s of %j has to be asked for: %j', async ([tool, file_path, expected]) => {
  const files = withPermissions(await policies(), rules)
  expect(fileApproval(files, tool, { file_path })).toBe(expected)
})

it('nothing has to be where there are no rules, or a callback that is asked', async () => {
  const files = await policies()
  expect(fileApproval(files, 'edit_file', { file_path: '/law.md' })).toBeUndefined()
  const calling = withPermissions(files, rules, { ask: () => false })
  expect(fileApproval(calling, 'edit_file', { file_path: '/law.md' })).toBeUndefined()
  expect(await call(calling, 'edit_file', edit('/law.md'), true)).toBe('Error: Permission denied editing /law.md')
  expect(fileApproval(withPermissions(files, rules), 'edit_file', null)).toBeUndefined()
})

it('a mount, and rules around rules, ask for what is in them', async () => {
  const inner = withPermissions(await policies(), rules)
  const mounted = compositeFiles({ default: rowFiles(inMemoryStore(), 'ada'), routes: { '/policies': inner } })
  expect(fileApproval(mounted, 'edit_file', { file_path: '/policies/law.md' })).toBe('editing /policies/law.md')
  expect(fileApproval(mounted, 'edit_file', { file_path: '/law.md' })).toBeUndefined()
  const around = withPermissions(mounted, [{ operations: ['write'], paths: ['/policies/drafts/**'], mode: 'deny' }])
  expect(fileApproval(around, 'edit_file', { file_path: '/policies/law.md' })).toBe('editing /policies/law.md')
  expect(fileApproval(around, 'edit_file', { file_path: '/policies/drafts/a.md' })).toBeUndefined()
  expect(await call(around, 'edit_file', edit('/policies/law.md'))).toBe(
    'Error: Permission denied editing /policies/law.md',
  )
  expect(await call(around, 'edit_file', edit('/policies/law.md'), true)).toBe('Edited /policies/law.md (line 1)')
})

it('what is approved is done, and nothing else is', async () => {
  const files = withPermissions(await policies(), rules)
  for (const approved of [undefined, false]) {
    expect(await call(files, 'edit_file', edit('/law.md'), approved)).toBe('Error: Permission denied editing /law.md')
    expect(await call(files, 'read_file', { file_path: '/secret.md' }, approved)).toBe(
      'Error: Permission denied reading /secret.md',
    )
  }
  expect(await call(files, 'read_file', { file_path: '/secret.md' }, true)).toBe('Milk\n')
  expect(await call(files, 'write_file', { file_path: '/drafts/a.md', content: 'x' }, true)).toBe(
    'Created /drafts/a.md',
  )
  expect(await call(files, 'edit_file', edit('/old.md'), true)).toBe('Error: Permission denied editing /old.md')
})
