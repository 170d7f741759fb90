// node write-rows.ts PATH NAME COUNT: writes COUNT rows of its own, one call each.
import { sqliteStore } from '../../src/sqlite.ts'

const [path, name, count] = process.argv.slice(2) as [string, string, string]
await using store = sqliteStore({ path })
for (let i = 0; i < Number(count); i++) {
  const rec = new TextEncoder().encode(`${name} ${i}`)
  const [result] = await store.write([
    { entity: 'shared', key: `${name}/${String(i).padStart(4, '0')}`, seq: i, rec, updatedAtMs: i, guard: 'absent' },
  ])
  if (result?.status !== 'applied') throw new Error(`row ${i} of ${name} is ${JSON.stringify(result)}`)
}
