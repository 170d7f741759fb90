import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findProgram, newestFirst, outputIfAny, outputOf } from '../src/programs.ts'

function folderWith(name: string, script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
  return folder
}

test('versions are numbers', () => {
  const paths = ['/usr/lib/postgresql/9.6/bin', '/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/17/bin']
  expect(newestFirst(paths)).toEqual([paths[2], paths[1], paths[0]])
})

test('a program is found on the PATH, the first name first', () => {
  const folder = folderWith('mysql-of-this-test', 'echo hello')
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(findProgram('mariadb-of-this-test', 'mysql-of-this-test')).toBe(join(folder, 'mysql-of-this-test'))
  expect(findProgram('mariadb-of-this-test')).toBeUndefined()
})

test('what a program prints is given without the last line end, or not at all if it fails', async () => {
  expect(await outputOf(join(folderWith('good', 'echo hello'), 'good'), [])).toBe('hello')
  const bad = join(folderWith('bad', 'echo hello; exit 3'), 'bad')
  await expect(outputOf(bad, [])).rejects.toThrow()
  expect(await outputIfAny(bad, [])).toBeUndefined()
  expect(await outputIfAny(undefined, [])).toBeUndefined()
})
