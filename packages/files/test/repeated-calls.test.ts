import { inMemoryStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import type { FileToolName } from '../src/file-tool-schemas.ts'
import { fileTools } from '../src/file-tools.ts'
import { rowFiles } from '../src/row-files.ts'

describe('fileTools', () => {
  it('changes nothing twice when a call is made again with its idempotency key', async () => {
    const files = rowFiles(inMemoryStore(), 'ada')
    const tools = fileTools(files)
    const run = (name: FileToolName, input: object, idempotencyKey: string) =>
      tools[name].execute!(input, { toolCallId: 'c', messages: [], context: undefined, idempotencyKey })
    const created = { file_path: '/a.md', content: '- end\n' }
    expect(await run('write_file', created, 'run/1')).toBe('Created /a.md')
    expect(await run('write_file', created, 'run/1')).toBe('Created /a.md')
    expect(await run('write_file', created, 'run/2')).toBe('Error: file already exists')
    const edit = { file_path: '/a.md', old_string: '- end\n', new_string: '- one\n- end\n' }
    expect(await run('edit_file', edit, 'run/3')).toBe('Edited /a.md (line 1)')
    expect(await run('edit_file', edit, 'run/3')).toBe('Edited /a.md')
    expect(await files.read('/a.md')).toMatchObject({ value: { content: '- one\n- end\n' } })
  })
})
