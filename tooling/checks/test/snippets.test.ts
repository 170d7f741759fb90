import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../src/run-command.ts'
import { documents, parseSnippets, snippetsOf, type Snippet } from '../src/snippets.ts'
import { repoRoot } from '../src/workspace.ts'

// The examples lie inside this package while they run: its dependencies are what they may import.
const folder = fileURLToPath(new URL('../.snippets', import.meta.url))
const fileOf = ({ document, line }: Snippet): string =>
  join(folder, `${document.replace(/\.md$/, '').replaceAll('/', '-')}-${line}.ts`)

const found = documents().map((document) => ({ document, snippets: snippetsOf(document) }))
const all = found.flatMap(({ snippets }) => snippets)
let compiler = ''

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const snippet of all) writeFileSync(fileOf(snippet), snippet.code)
  const config = {
    extends: '../../../tsconfig.test.json',
    compilerOptions: { rootDir: '../../..', incremental: false, moduleDetection: 'force' },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'control.ts'), 'export const wrong: number = "text"')
  const tsc = join(repoRoot, 'node_modules/.bin/tsc')
  compiler = (await runCommand(tsc, ['-p', folder, '--pretty', 'false'], { cwd: folder })).output
  // All examples together, with the types of every client.
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the compiler looks at the examples', () => {
  expect(compiler).toContain('control.ts(1,')
})

describe.for(found.filter(({ snippets }) => snippets.length > 0))('$document', ({ snippets }) => {
  it.for(snippets)('the example at line $line compiles', (snippet) => {
    const errors = compiler.split('\n').filter((line) => line.startsWith(`${basename(fileOf(snippet))}(`))
    expect(errors).toEqual([])
  })

  // One of them puts a store through the whole suite.
  it.for(snippets.filter(({ run }) => run))('the example at line $line runs', { timeout: 90_000 }, async (snippet) => {
    // Somewhere else, so that files that it writes lie in nobody's way.
    const cwd = mkdtempSync(join(tmpdir(), 'keepsake-snippet-'))
    try {
      const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' }
      const { ok, output } = await runCommand(process.execPath, [fileOf(snippet)], { cwd, env, timeoutMs: 80_000 })
      expect(ok, output).toBe(true)
    } finally {
      rmSync(cwd, { recursive: true, force: true })
    }
  })
})

describe('finding examples', () => {
  it('takes ts fences with their line, and leaves others alone', () => {
    const text = ['# A', '```sh', 'ls', '```', '```ts', 'a()', '', 'b()', '```', '````md', '```ts', '```', '````'].join(
      '\n',
    )
    expect(parseSnippets('a.md', text)).toEqual([{ document: 'a.md', line: 6, run: true, code: 'a()\n\nb()\n' }])
  })

  it('marks the ones that are only compiled', () => {
    expect(parseSnippets('a.md', '```ts no-run\na()\n```\n')).toEqual([
      { document: 'a.md', line: 2, run: false, code: 'a()\n' },
    ])
  })

  it.for([['```typescript'], ['```ts norun'], ['```TS']])('refuses the fence %s', ([fence]) => {
    expect(() => parseSnippets('a.md', `${fence}\n\`\`\`\n`)).toThrow('a.md:1')
  })

  it('refuses a fence that is never closed', () => {
    expect(() => parseSnippets('a.md', '```ts\na()\n')).toThrow('a.md: a fence is never closed')
  })
})
