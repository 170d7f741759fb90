import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('importing the store and making one loads neither node:sqlite nor Kysely; the first use does', () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ resolve(name, context, next) { loaded.add(name); return next(name, context) } })
    const has = () => [loaded.has('kysely'), loaded.has('node:sqlite')].join()
    const { sqliteStore } = await import(${JSON.stringify(new URL('../src/sqlite.ts', import.meta.url).href)})
    const store = sqliteStore({ path: ':memory:' })
    console.log(has())
    await store.entities({ limit: 1 })
    console.log(has())`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(output).toBe('false,false\ntrue,true\n')
})
