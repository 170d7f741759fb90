// node keep-writing.ts PATH: writes the same 50 rows again and again, each with a higher version, until its input ends.
// Then prints the last version that was acknowledged.
import { sqliteStore } from '@keepsake/store-sql/sqlite'

const [path] = process.argv.slice(2) as [string]
await using store = sqliteStore({ path, durability: 'process' })
const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
let seq = 1
while (!stop.signal.aborted) {
  seq++
  const rec = new TextEncoder().encode(`version ${seq}`)
  const rows = Array.from({ length: 50 }, (_, i) => ({ entity: `w${i % 5}`, key: `${i}`, seq, rec, updatedAtMs: seq }))
  for (const one of rows) await store.write([one])
  // SQLite answers at once; the end of the input is only seen between turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
}
console.log(seq)
