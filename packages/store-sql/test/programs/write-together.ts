// node write-together.ts PATH KEY…: writes the same seq to all keys, in one call, again and again until it is killed.
import { writeSync } from 'node:fs'
import { sqliteStore } from '../../src/sqlite.ts'

const [path, ...keys] = process.argv.slice(2) as [string, ...string[]]
await using store = sqliteStore({ path, durability: 'process' })
for (let seq = 0; ; seq++) {
  await store.write(keys.map((key) => ({ entity: 'together', key, seq, rec: new Uint8Array(1), updatedAtMs: 0 })))
  if (seq === 0) writeSync(1, 'begun\n')
}
