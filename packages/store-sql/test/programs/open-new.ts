// node open-new.ts PATH NAME: waits for a line on its input, then is among the first to use a new file.
import { once } from 'node:events'
import { sqliteStore } from '../../src/sqlite.ts'

const [path, name] = process.argv.slice(2) as [string, string]
await using store = sqliteStore({ path })
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdin.unref()
await store.write([{ entity: 'shared', key: name, seq: 1, rec: new Uint8Array(0), updatedAtMs: 0 }])
await store.provision()
await store.verify()
