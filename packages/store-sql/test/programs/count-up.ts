// node count-up.ts PATH NAME COUNT: adds 1 to a shared counter COUNT times, by compare-and-set.
import { sqliteStore } from '../../src/sqlite.ts'

const [path, name, count] = process.argv.slice(2) as [string, string, string]
const id = { entity: 'counters', key: 'shared' }
await using store = sqliteStore({ path })
let done = 0
for (let attempt = 0; done < Number(count); attempt++) {
  const [stored] = await store.load([id])
  const value = stored === undefined ? 0 : (JSON.parse(new TextDecoder().decode(stored.rec)) as { value: number }).value
  // The name and the attempt make the bytes of each write its own.
  const rec = new TextEncoder().encode(JSON.stringify({ value: value + 1, by: name, attempt }))
  const guard = stored === undefined ? ('absent' as const) : { seq: stored.seq }
  const [result] = await store.write([{ ...id, seq: (stored?.seq ?? 0) + 1, rec, updatedAtMs: 0, guard }])
  if (result?.status === 'applied') done++
}
