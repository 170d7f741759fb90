import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack } from '../src/pack.ts'
import { mustRun, runCommand } from '../src/run-command.ts'
import { publishedPackages, repoRoot } from '../src/workspace.ts'

// Live: npm fetches the other dependencies from the registry, as it does for users.
const dir = mkdtempSync(join(tmpdir(), 'keepsake-alone-'))
const node = (file: string, ...args: string[]): Promise<string> =>
  mustRun(process.execPath, [join(dir, file), ...args], dir)

beforeAll(async () => {
  const packages = publishedPackages().filter(({ path }) => ['packages/core', 'packages/store-sql'].includes(path))
  await mustRun(join(repoRoot, 'node_modules/.bin/tsc'), ['-b', ...packages.map(({ path }) => path)], repoRoot)
  const dependencies: Record<string, string> = {}
  for (const workspace of packages) {
    dependencies[workspace.manifest.name] = `file:${basename(await pack(workspace, dir))}`
  }
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--prefix', dir]
  await mustRun('npm', ['install', ...flags], dir)

  writeFileSync(
    join(dir, 'append.js'),
    `import { chatMemory } from '@keepsake/core'
     import { sqliteStore } from '@keepsake/store-sql/sqlite'
     await using store = sqliteStore({ path: 'memory.db' })
     const chat = chatMemory(store)
     await chat.append('t1', [{ role: 'user', content: process.argv[2] }], { owner: 'ann' })`,
  )
  writeFileSync(
    join(dir, 'read.js'),
    `import { chatMemory } from '@keepsake/core'
     import { sqliteStore } from '@keepsake/store-sql/sqlite'
     await using store = sqliteStore({ path: 'memory.db' })
     const messages = await chatMemory(store).messages('t1', { owner: 'ann' })
     console.log(JSON.stringify(messages.map((m) => m.content)))`,
  )
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('the packed core and store-sql, installed into an empty folder', () => {
  it('come with nothing else of ours', () => {
    expect(readdirSync(join(dir, 'node_modules/@keepsake')).toSorted()).toEqual(['core', 'store-sql'])
  })

  it('remember a chat in SQLite from one process to the next', async () => {
    await node('append.js', 'My name is Ann.')
    await node('append.js', 'Remember it.')
    expect(JSON.parse(await node('read.js'))).toEqual(['My name is Ann.', 'Remember it.'])
  })

  it('have types that let right code pass, and wrong code not', async () => {
    const lines = [
      "import { chatMemory, type Message } from '@keepsake/core'",
      "import { sqliteStore } from '@keepsake/store-sql/sqlite'",
      "const chat = chatMemory(sqliteStore({ path: 'memory.db' }))",
      "const message: Message = { role: 'user', content: 'hello' }",
      "export const stored: { id: string }[] = await chat.append('t', [message])",
      "await chat.append('t', [{ content: 'hello' }])",
    ]
    writeFileSync(join(dir, 'typed.ts'), lines.join('\n'))
    const types = ['--types', 'node', '--typeRoots', join(repoRoot, 'node_modules/@types')]
    const args = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', ...types, 'typed.ts']
    const { output } = await runCommand(join(repoRoot, 'node_modules/.bin/tsc'), args, { cwd: dir })
    // What other packages declare is not ours to judge.
    const errors = output.split('\n').filter((line) => /^(typed\.ts|node_modules\/@keepsake)/.test(line))
    expect(errors).toEqual([expect.stringMatching(/^typed\.ts\(6,/)])
  })
})
