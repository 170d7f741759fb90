import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  compareStores,
  encodeTuple,
  inMemoryStore,
  migrateRows,
  migrationMark,
  type Row,
  type RowStore,
} from '@keepsake/core'
import { bigtableStore } from '@keepsake/store-bigtable'
import { firestoreStore } from '@keepsake/store-firestore'
import { redisStore } from '@keepsake/store-redis'
import { mysqlStore } from '@keepsake/store-sql/mysql'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from './keepsake.ts'
import { serverUrl } from '@keepsake/services'
import { storedRows } from './stored-rows.ts'

// Rows move between any two stores. Each store has two places that nobody else uses: one to move from, one to move to.

type Half = 'from' | 'to'
type Opener = (half: Half) => RowStore

const onServer = async (variable: string, open: (url: string, half: Half) => RowStore): Promise<Opener | string> => {
  const url = await serverUrl(variable)
  return url === undefined ? variable : (half) => open(url, half)
}

/** How each store is opened, or the variable that would say where it is. */
const STORES: Record<string, Opener | string> = {
  memory: () => inMemoryStore(),
  sqlite: () => sqliteStore({ path: join(tempFolder(), 'rows.db'), durability: 'process' }),
  postgres: await onServer('KEEPSAKE_POSTGRES_URL', (url, half) => postgresStore({ url, table: `moving_${half}` })),
  mysql: await onServer('KEEPSAKE_MYSQL_URL', (url, half) => mysqlStore({ url, table: `moving_${half}` })),
  redis: await onServer('KEEPSAKE_REDIS_URL', (url, half) => redisStore({ url, prefix: `moving-${half}` })),
  'redis-cluster': await onServer('KEEPSAKE_REDIS_CLUSTER_URL', (url, half) =>
    redisStore({ url, prefix: `moving-${half}` }),
  ),
  firestore: await onServer('FIRESTORE_EMULATOR_HOST', (_, half) =>
    // Google's emulator gets slower with all that a project ever held.
    firestoreStore({ project: `moving-${randomBytes(4).toString('hex')}`, collection: half }),
  ),
  bigtable: await onServer('BIGTABLE_EMULATOR_HOST', (_, half) =>
    bigtableStore({ project: 'keepsake', instance: 'moving', table: half }),
  ),
}
// Google's client looks for the metadata server of its cloud even where an emulator is named.
process.env['METADATA_SERVER_DETECTION'] = 'none'

async function emptyStore(open: Opener, half: Half): Promise<RowStore> {
  const store = open(half)
  onTestFinished(async () => {
    await store.provision({ down: true })
    await store.close()
  })
  await store.provision({ down: true })
  await store.provision()
  return store
}

const FAR_MS = Date.UTC(2100, 0)

function row(entity: string, key: string, seq: number, rest: Partial<Row> = {}): Row {
  return { entity, key, seq, rec: new TextEncoder().encode(`${key} ${seq}`), updatedAtMs: seq + 1, ...rest }
}

const ROWS: Row[] = [
  row('', '', 0),
  row('%', '_', 1, { expiresAtMs: FAR_MS }),
  row('*', '?[a-z]', 2, { rec: new Uint8Array() }),
  row('__proto__', '__id__', 3, { rec: new Uint8Array(8) }),
  row('a/b', '..', 4, { rec: Uint8Array.from({ length: 256 }, (_, i) => i) }),
  row('A', ' ', 5),
  row('a', ' ', 6),
  row('a ', '', 7),
  // Google's emulator of Firestore takes no request of 4 MiB, which Firestore does.
  row('e', 'large', 8, { rec: new Uint8Array(3 * 1024 * 1024).fill(9) }),
  row('e'.repeat(512), 'k'.repeat(1024), 9_006_099_743_113_215, { updatedAtMs: 8_640_000_000_000_000 }),
  row(encodeTuple(['thread', 'a\0{b}']), encodeTuple(['m', '\u{1f600}', '']), 10),
  row('\uff5e', '\u{10ffff}', 11),
  row('\u{1f600}', '\uffff', 12),
  ...Array.from({ length: 300 }, (_, i) => row('many', `key ${i}`, 1)),
]

for (const [from, openFrom] of Object.entries(STORES)) {
  if (typeof openFrom === 'string') {
    it.skip(`${from}: ${openFrom} is not set`, () => {})
    continue
  }
  describe(`from ${from}`, () => {
    for (const [to, openTo] of Object.entries(STORES)) {
      if (typeof openTo === 'string') continue
      it(`to ${to}`, async () => {
        const source = await emptyStore(openFrom, 'from')
        const target = await emptyStore(openTo, 'to')
        await source.write(ROWS)
        expect(await migrateRows(source, target, { sourceId: from })).toMatchObject({ copied: ROWS.length, newer: 0 })
        expect(await storedRows(target)).toEqual(await storedRows(source))

        await source.write([
          row('a', ' ', 7),
          row('%', '_', 2),
          row('A', ' ', 6, { rec: new Uint8Array(), expiresAtMs: FAR_MS }),
          row('new', 'k', 1),
        ])
        await source.remove([{ entity: 'many', key: 'key 7' }])
        await source.removeEntity('\uff5e')
        const result = await migrateRows(source, target, { sourceId: from, final: true })
        expect(result).toEqual({ passes: 2, copied: 4, removed: 2, newer: 0 })
        const rows = await storedRows(target)
        expect(rows).toEqual(await storedRows(source))
        expect(rows).toHaveLength(ROWS.length + 1 - 2)
        const same = { rows: rows.length, missing: 0, different: 0, extra: 0 }
        expect(await compareStores(source, target)).toEqual(same)
        expect(await migrationMark(target)).toBeUndefined()
      })
    }
  })
}
