import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInstallation, type Installation } from './installation.ts'

// Opens app.db in the current folder, writes a row, and prints what came of it.
const OPEN = `
  import { openStore, storePackages } from '@keepsake/open'
  const packages = storePackages()
  try {
    await using store = await openStore('sqlite:app.db')
    await store.write([{ entity: 'e', key: 'k', seq: 1, rec: new Uint8Array([7]), updatedAtMs: 5 }])
    const [row] = await store.load([{ entity: 'e', key: 'k' }])
    console.log(JSON.stringify({ store: store.name, rec: [...row.rec], packages }))
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message, details: error.details, packages }))
  }`

const OPENED = { store: 'sqlite', rec: [7] }
const OTHERS = [
  { name: '@keepsake/store-redis', schemes: ['redis', 'rediss', 'redis+cluster'] },
  { name: '@keepsake/store-firestore', schemes: ['firestore'] },
  { name: '@keepsake/store-bigtable', schemes: ['bigtable'] },
]
const SQL = {
  name: '@keepsake/store-sql',
  schemes: ['sqlite', 'file', 'postgres', 'postgresql', 'mysql', 'mariadb'],
}
const INSTALLED = [{ ...SQL, version: '0.0.0' }, ...OTHERS]
const MISSING = [SQL, ...OTHERS]
const NOT_INSTALLED = {
  code: 'unsupported',
  message:
    'This store is in the package @keepsake/store-sql, which is not installed here, or is too old to have it. Install it in your project: pnpm add @keepsake/store-sql',
  details: { package: '@keepsake/store-sql' },
}

function withTool(): Installation {
  const installation = createInstallation()
  installation.install('tool', 'open', 'core')
  return installation
}

describe('where the packages of stores are found', () => {
  it('beside @keepsake/open', async () => {
    const installation = withTool()
    installation.install('tool', 'store-sql')
    const result = await installation.evaluate('tool', 'elsewhere', OPEN)
    expect(result).toEqual({ ...OPENED, packages: INSTALLED })
    expect(existsSync(join(installation.root, 'elsewhere/app.db'))).toBe(true)
  })

  it('in the project of the current folder, when @keepsake/open lies elsewhere', async () => {
    const installation = withTool()
    installation.install('project', 'store-sql', 'core')
    expect(await installation.evaluate('tool', 'project', OPEN)).toEqual({ ...OPENED, packages: INSTALLED })
  })

  it('in the project around the current folder', async () => {
    const installation = withTool()
    installation.install('project', 'store-sql', 'core')
    expect(await installation.evaluate('tool', 'project/src/deep', OPEN)).toEqual({ ...OPENED, packages: INSTALLED })
  })

  it('nowhere: the error names the package and the command, and no file appears', async () => {
    const installation = withTool()
    expect(await installation.evaluate('tool', 'empty', OPEN)).toEqual({ ...NOT_INSTALLED, packages: MISSING })
    expect(existsSync(join(installation.root, 'empty/app.db'))).toBe(false)
  })

  it('a version without the module counts as missing', async () => {
    const installation = withTool()
    const old = { name: '@keepsake/store-sql', version: '0.0.0', type: 'module', exports: { '.': './index.js' } }
    installation.write('tool/node_modules/@keepsake/store-sql/package.json', JSON.stringify(old))
    installation.write('tool/node_modules/@keepsake/store-sql/index.js', '')
    expect(await installation.evaluate('tool', 'empty', OPEN)).toEqual({ ...NOT_INSTALLED, packages: MISSING })
  })
})

describe('a package that is there and does not load', () => {
  const manifest = JSON.stringify({
    name: '@keepsake/store-sql',
    version: '9.9.9',
    type: 'module',
    exports: { './sqlite': './sqlite.js' },
  })

  it.each([
    ['throws its own error', `throw new Error('sqlite is broken')`, 'sqlite is broken'],
    ['says what it lacks itself', `import 'not-there-at-all'`, `Cannot find package 'not-there-at-all' imported from`],
  ])('%s, although the project has a good one', async (_, code, message) => {
    const installation = withTool()
    installation.write('tool/node_modules/@keepsake/store-sql/package.json', manifest)
    installation.write('tool/node_modules/@keepsake/store-sql/sqlite.js', code)
    installation.install('project', 'store-sql', 'core')
    expect(await installation.evaluate('tool', 'project', OPEN)).toMatchObject({
      message: expect.stringContaining(message) as string,
      packages: [{ version: '9.9.9' }, ...OTHERS],
    })
  })
})

describe('what is imported', () => {
  it('is no store, until its scheme is asked for', async () => {
    const installation = withTool()
    installation.install('tool', 'store-sql')
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const has = () => loaded.some((url) => /store-sql|kysely|\bpg\b|mysql2|store-redis|ioredis|google-cloud|store-(?:firestore|bigtable)/.test(url))
      const { openStore } = await import('@keepsake/open')
      const first = has()
      await (await openStore('memory://')).close()
      const second = has()
      await (await openStore('sqlite:app.db')).close()
      console.log(JSON.stringify([first, second, has()]))`
    expect(await installation.evaluate('tool', 'elsewhere', script)).toEqual([false, false, true])
  })
})
