import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { chatMemory, records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { BIN, cleanEnv, jsonLines, keepsake, seed, tempFolder } from './keepsake.ts'

const TEXT =
  'Nothing here.\nWrite to ada@example.com, or bob@example.com.\r\n\n-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY----- and\ncall +49 171 1234567'

function folderWith(text: string): string {
  const folder = tempFolder()
  writeFileSync(join(folder, 'notes.md'), text)
  return folder
}

describe('keepsake redact FILE', () => {
  it('shows each line with what would stand there, and how much of each kind was found', async () => {
    expect(await keepsake(folderWith(TEXT), ['redact', 'notes.md'])).toEqual({
      code: 0,
      stdout: [
        '2: Write to [EMAIL], or [EMAIL].',
        '4: [SECRET] and',
        '7: call [PHONE]',
        '4 texts would be redacted in notes.md: 2 EMAIL, 1 PHONE, 1 SECRET.\n',
      ].join('\n'),
      stderr: '',
    })
  })

  it('tells machines where, and not what', async () => {
    const { code, stdout } = await keepsake(folderWith(TEXT), ['redact', 'notes.md', '--json'])
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [
        { line: 2, column: 10, kind: 'EMAIL', start: 23, end: 38 },
        { line: 2, column: 30, kind: 'EMAIL', start: 43, end: 58 },
        { line: 4, column: 1, kind: 'SECRET', start: 62, end: 148 },
        { line: 7, column: 6, kind: 'PHONE', start: 158, end: 173 },
      ],
    ])
    expect(stdout).not.toContain('ada@')
  })

  it('reads standard input', async () => {
    const child = spawn(process.execPath, [BIN, 'redact', '-'], { cwd: tempFolder(), env: cleanEnv() })
    child.stdin.end('Call +49 171 1234567')
    expect(await textOf(child.stdout)).toBe('1: Call [PHONE]\n1 text would be redacted in standard input: 1 PHONE.\n')
  })

  it('says that nothing was found', async () => {
    const { code, stdout } = await keepsake(folderWith('An ordinary text, of 2026-11-30.\n'), ['redact', 'notes.md'])
    expect([code, stdout]).toEqual([0, 'Nothing would be redacted in notes.md.\n'])
  })

  it('shows nothing as a command to the terminal', async () => {
    const { stdout } = await keepsake(folderWith('\u001b[2J ada@example.com'), ['redact', 'notes.md'])
    expect(stdout).toContain('1: \\u001b[2J [EMAIL]\n')
  })

  it('fails for a file that is not there', async () => {
    const { code, stdout, stderr } = await keepsake(tempFolder(), ['redact', 'none.md'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('none.md cannot be read: ENOENT')
  })

  it.each([[['redact']], [['redact', 'notes.md', '--stored']], [['redact', 'notes.md', '--entity', 'owner/ada']]])(
    '%j is refused',
    async (args) => {
      const { code, stderr } = await keepsake(folderWith(''), args)
      expect(code).toBe(2)
      expect(stderr).toContain('one of the two')
    },
  )
})

describe('keepsake redact --stored', () => {
  async function seeded(): Promise<string> {
    const folder = tempFolder()
    await seed(folder, async (store, clock) => {
      const ada = records<object>(store, 'ada', { clock })
      await ada.put(['contacts'], { 'bob@example.com': ['+49 171 1234567', 'bob@example.com'] })
      await ada.put(['likes'], { food: 'pizza' })
      await ada.delete(['gone'])
      const message = { role: 'user' as const, content: 'I am ada@example.com' }
      await chatMemory(store, { clock }).append('t1', [message], { owner: 'ada' })
    })
    return folder
  }

  it('counts what the values hold, by kind, with the first place', async () => {
    const folder = await seeded()
    expect(await keepsake(folder, ['redact', '--stored'])).toEqual({
      code: 0,
      stdout: [
        'KIND   FOUND  ROWS  FIRST IN',
        'EMAIL      3     2  owner/ada r/contacts',
        'PHONE      1     1  owner/ada r/contacts\n',
      ].join('\n'),
      stderr: '',
    })
    const { stdout } = await keepsake(folder, ['redact', '--entity', 'thread/t1', '--json'])
    expect(jsonLines(stdout)).toEqual([
      { kind: 'EMAIL', count: 1, rows: 1, entity: ['thread', 't1'], key: expect.any(Array) as unknown },
    ])
  })

  it('says how many rows it could not read', async () => {
    const folder = tempFolder()
    await seed(folder, async (store) => {
      await store.write([{ entity: 'e', key: 'k', seq: 1, rec: Uint8Array.of(0xfe, 1, 2), updatedAtMs: 1 }])
    })
    expect(jsonLines((await keepsake(folder, ['redact', '--stored', '--json'])).stdout)).toEqual([{ unreadable: 1 }])
    expect((await keepsake(folder, ['redact', '--stored'])).stderr).toContain('1 row could not be read')
  })

  it('says that nothing was found, and that an entity is not there', async () => {
    const folder = tempFolder()
    await seed(folder, async (store, clock) => {
      await records(store, 'ada', { clock }).put(['likes'], 'pizza')
    })
    // The record, and where the person's rows are.
    expect((await keepsake(folder, ['redact', '--stored'])).stdout).toBe(
      'Nothing of 2 rows in sqlite:keepsake.db would be redacted.\n',
    )
    expect((await keepsake(folder, ['redact', '--entity', 'owner/bob'])).code).toBe(3)
  })
})
