import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importProblems } from '../src/import-problems.ts'
import { manifestProblems } from '../src/manifest-problems.ts'
import { neutralProblems } from '../src/neutral-problems.ts'
import { readmeProblems } from '../src/readme-problems.ts'
import { tarballProblems } from '../src/tarball-problems.ts'
import { treeShakingProblems } from '../src/tree-shaking-problems.ts'
import type { Manifest } from '../src/workspace.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'keepsake-checks-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(file: string, text: string): string {
  const path = join(dir, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

describe('an entry that should run anywhere', () => {
  it('may use what the web has', async () => {
    const entry = write('dist/index.js', 'export const id = () => crypto.randomUUID() + new TextEncoder().encode("a")')
    expect(await neutralProblems(entry)).toEqual([])
  })

  it.for([
    ["import { readFile } from 'node:fs/promises'\nexport { readFile }", 'node:fs/promises'],
    ["import { join } from 'path'\nexport { join }", 'path'],
    ["export const load = () => import('node:sqlite')", 'node:sqlite'],
    ['export const copy = (b) => Buffer.from(b)', 'Buffer'],
    ["export const env = () => process.env['HOME']", 'process'],
    ['export const later = (f) => globalThis.setImmediate(f)', 'setImmediate'],
  ])('is refused for %s', async ([code, reason]) => {
    write('dist/part.js', code ?? '')
    const problems = await neutralProblems(write('dist/index.js', "export * from './part.js'"))
    expect(problems.join('\n')).toContain(reason)
  })

  it('may name a variable of its own like one of Node', async () => {
    const entry = write('dist/index.js', 'export const run = (process) => process.start() // not Buffer')
    expect(await neutralProblems(entry)).toEqual([])
  })

  it('is refused for a built-in module that a dependency needs, and the importer is named', async () => {
    write('node_modules/dep/package.json', '{ "name": "dep", "main": "main.js" }')
    write('node_modules/dep/main.js', "module.exports = require('os')")
    const problems = await neutralProblems(write('dist/index.js', "import os from 'dep'\nexport { os }"))
    expect(problems).toEqual([expect.stringMatching(/"os".*imported by dep\/main\.js/s)])
  })

  it('may take a peer that needs Node, which its users bring, and is checked itself all the same', async () => {
    write('node_modules/dep/package.json', '{ "name": "dep", "main": "main.js" }')
    write('node_modules/dep/main.js', "module.exports = require('os')")
    const entry = write('dist/index.js', "export const connect = async () => new (await import('dep')).Client()")
    expect(await neutralProblems(entry, ['dep'])).toEqual([])
    const own = write('dist/own.js', "import { connect } from 'net'\nimport 'dep'\nexport { connect }")
    expect(await neutralProblems(own, ['dep'])).toEqual([expect.stringContaining('"net"')])
  })
})

function problemsOfUnused(code: string): Promise<string[]> {
  write('package.json', '{ "sideEffects": false }')
  write('dist/part.js', code)
  return treeShakingProblems(write('dist/index.js', "export * from './part.js'"))
}

describe('what a bundler keeps of an unused module', () => {
  it.for([
    ['export class A { static is() {} }\nexport const f = () => setTimeout(f, 1)'],
    ["export const sizes = Object.freeze({ max: 4 * 1024 * 1024, names: new Set(['a']) })"],
    ["import { z } from 'zod'\nexport const schema = () => z.string()"],
    ["export const later = () => import('./index.js')"],
    ["import { z } from 'zod'\nexport const schema = /* @__PURE__ */ z.string()"],
  ])('is nothing of %s', async ([code = '']) => {
    expect(await problemsOfUnused(code)).toEqual([])
  })

  it.for([
    ["console.log('hello')", 'console.log("hello")'],
    ['globalThis.keepsake = {}', 'globalThis.keepsake = {}'],
    ["import { z } from 'zod'\nexport const schema = z.string()", 'schema = z.string()'],
    ['export const start = Date.now()', 'start = Date.now()'],
  ])('is told of %s', async ([code = '', told]) => {
    expect(await problemsOfUnused(code)).toEqual([expect.stringContaining(told ?? '')])
  })
})

function problemsOfImport(code: string): Promise<string[]> {
  write('package.json', '{ "type": "module" }')
  write('node_modules/loud/package.json', '{ "name": "loud", "exports": "./loud.js", "type": "module" }')
  write('node_modules/loud/loud.js', 'globalThis.loud = true')
  return importProblems(write('dist/index.js', code))
}

describe('importing a module in Node', () => {
  it.for([
    ["import { constants } from 'node:fs'\nexport const FLAGS = constants.O_RDONLY | constants.O_CREAT"],
    ["import 'loud'\nexport const later = () => setTimeout(() => {}, 1)"],
  ])('does nothing in %s', async ([code = '']) => {
    expect(await problemsOfImport(code)).toEqual([])
  })

  it.for([
    ["console.log('hello')", 'hello'],
    ["console.warn('hello')", 'hello'],
    ['globalThis.keepsake = {}', 'a global: keepsake'],
    ['setInterval(() => {}, 1000)', 'something open: Timeout'],
    ["process.on('SIGINT', () => {})", 'a listener: SIGINT'],
    ["throw new Error('broken')", 'broken'],
    ["import 'absent'", 'absent'],
  ])('is told of %s', async ([code = '', told]) => {
    expect(await problemsOfImport(code)).toEqual([expect.stringContaining(told ?? '')])
  })
})

function writeGoodPackage(): void {
  write('LICENSE', 'Apache')
  write('src/index.ts', '')
  write('dist/index.js', "import { z } from 'zod'\nimport 'node:fs'\nimport './a.js'\nexport const a = 'from'\n")
  write(
    'dist/index.d.ts',
    "/**\n * import x from 'example'\n */\nimport type { Root } from 'mdast'\nexport type R = Root\n",
  )
}

describe('the files of a package', () => {
  const manifest = {
    name: '@keepsake/x',
    version: '1.0.0',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies: { zod: '^4.0.0', '@types/mdast': '^4.0.0' },
  } satisfies Manifest
  it('are in order', () => {
    writeGoodPackage()
    expect(tarballProblems(dir, manifest)).toEqual([])
  })

  it.for([
    [
      'dist/index.d.ts',
      "export type { Tool } from 'ai'\n",
      'dist/index.d.ts imports ai, which is no dependency of the package',
    ],
    [
      'dist/index.js',
      "const m = await import('@scope/n/sub')\n",
      'dist/index.js imports @scope/n, which is no dependency of the package',
    ],
    ['dist/old.js', '', 'dist/old.js has no source: run pnpm clean and build again'],
    ['src/index.test.ts', '', 'src/index.test.ts is a test'],
    ['test/fixture.json', '', 'test/fixture.json is a test'],
    ['src/index.ts', "const file = '/home/ann/memory.db'", 'src/index.ts names a path of one machine: /home/ann'],
  ])('are refused for %s: %s', ([file = '', text = '', problem]) => {
    writeGoodPackage()
    write(file, text)
    expect(tarballProblems(dir, manifest)).toEqual([problem])
  })

  it('include whatever the exports name', () => {
    writeGoodPackage()
    rmSync(join(dir, 'dist/index.d.ts'))
    expect(tarballProblems(dir, manifest)).toEqual(['dist/index.d.ts is not in the package'])
  })
})

describe('a package.json', () => {
  const manifest: Manifest = {
    name: '@keepsake/x',
    version: '1.0.0',
    description: 'Something that remembers things',
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    files: ['dist', 'src', 'README.md'],
    engines: { node: '>=22' },
    bin: { x: './src/bin.ts' },
    exports: { '.': './src/index.ts' },
    publishConfig: {
      access: 'public',
      bin: { x: './dist/bin.js' },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    },
  }
  const problems = (change: Partial<Manifest>): string[] =>
    manifestProblems({ dir: '', path: 'packages/x', manifest: { ...manifest, ...change } })

  it('is in order', () => {
    expect(problems({})).toEqual([])
  })

  it.for<[Partial<Manifest>, string]>([
    [{ name: '@keepsake/y' }, 'the name'],
    [{ description: '' }, '"description"'],
    [{ license: 'MIT' }, '"license"'],
    [{ type: 'commonjs' }, '"type"'],
    [{ sideEffects: true }, '"sideEffects"'],
    [{ engines: {} }, '"engines.node"'],
    [{ files: ['dist'] }, '"files"'],
    [{ exports: { '.': './src/index.ts', './more': './src/more.ts' } }, '"exports" names ., ./more but'],
    [{ exports: { '.': './src/main.ts' } }, 'publishConfig.exports["."] is not'],
    [{ exports: { '.': './index.js' } }, 'exports["."] is not a file ./src/*.ts'],
    [{ bin: {} }, '"bin"'],
    [{ publishConfig: { ...manifest.publishConfig, access: 'restricted' } }, '"publishConfig.access"'],
  ])('is refused for %o', ([change, problem]) => {
    expect(problems(change).join('\n')).toContain(`package.json: ${problem}`)
  })
})

describe("a package's README", () => {
  const text =
    '# @keepsake/x\n\n## When to use it\n\n## Install\n\npnpm add x\n\n```ts\na()\n```\n\n## API\n\n## Limits\n'

  it('is in order', () => {
    expect(readmeProblems('@keepsake/x', text)).toEqual([])
  })

  it.for([['# @keepsake/x\n'], ['## When'], ['## Install'], ['pnpm add'], ['```ts'], ['## API'], ['## Limits']])(
    'is refused without %s',
    ([part = '']) => {
      expect(readmeProblems('@keepsake/x', text.replace(part, ''))).toHaveLength(1)
    },
  )

  it('is refused when it is missing or long', () => {
    expect(readmeProblems('@keepsake/x', undefined)).toEqual(['README.md is missing'])
    expect(readmeProblems('@keepsake/x', text + 'more\n'.repeat(120))).toEqual([
      'README.md has 135 lines, more than 130',
    ])
  })
})
