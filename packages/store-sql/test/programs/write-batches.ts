// node write-batches.ts PATH NAME ROWS: writes batches of ROWS rows until it is killed, and prints the number of each
// that was acknowledged.
import { writeSync } from 'node:fs'
import { sqliteStore } from '../../src/sqlite.ts'

const [path, name, rows] = process.argv.slice(2) as [string, string, string]
await using store = sqliteStore({ path })
const rec = new Uint8Array(2_000).fill(7)
for (let batch = 0; ; batch++) {
  const writes = Array.from({ length: Number(rows) }, (_, i) => ({
    entity: name,
    key: `${String(batch).padStart(6, '0')}/${i}`,
    seq: 1,
    rec,
    updatedAtMs: 0,
  }))
  await store.write(writes)
  writeSync(1, `${batch}\n`)
}
