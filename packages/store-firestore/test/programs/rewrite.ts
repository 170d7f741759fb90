// node rewrite.ts PROJECT: rewrites one row with records of two to four parts, and prints each seq once it is written.
import { writeSync } from 'node:fs'
import { firestoreStore } from '../../src/index.ts'

const [project] = process.argv.slice(2) as [string]
await using store = firestoreStore({ project, collection: 'memory' })
const [row] = await store.load([{ entity: 'rewritten', key: 'k' }])
for (let seq = (row?.seq ?? 0) + 1; ; seq++) {
  const rec = new Uint8Array(1_000_000 * (1 + (seq % 3)) + 1000).fill(seq)
  await store.write([{ entity: 'rewritten', key: 'k', seq, rec, updatedAtMs: 0 }])
  writeSync(1, `${seq}\n`)
}
