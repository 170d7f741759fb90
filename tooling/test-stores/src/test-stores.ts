import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUrl } from '@keepsake/services'
import { describe } from 'vitest'
import { openStore, type StorePlace } from './open-store.ts'

/** A store that several processes open, for one test, and a folder. */
export interface TestPlace extends AsyncDisposable {
  readonly place: StorePlace
  readonly folder: string
}

export type StoreName = StorePlace['name']

/** Those of the stores that are here. One that is not is skipped by name, and a failure in CI. */
export async function storesHere(names: readonly StoreName[]): Promise<StoreName[]> {
  const here: StoreName[] = []
  for (const name of names) {
    if (name === 'sqlite' || (await serverUrl(VARIABLES[name])) !== undefined) here.push(name)
    else describe.skip(`${name} (skipped: nothing listens on its port, and ${VARIABLES[name]} is not set)`, () => {})
  }
  return here
}

/** Provisioned, and removed with all that is in it in the end. */
export async function openPlace(name: StoreName): Promise<TestPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-test-'))
  const id = `test_${randomUUID().replaceAll('-', '')}`
  const place = await placeOf(name, folder, id)
  await using store = await openStore(place)
  await store.provision()
  return {
    place,
    folder,
    async [Symbol.asyncDispose]() {
      await using again = await openStore(place)
      if (name !== 'sqlite') await again.provision({ down: true })
      await again.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function placeOf(name: StoreName, folder: string, id: string): Promise<StorePlace> {
  switch (name) {
    case 'sqlite':
      return { name, path: join(folder, 'app.db') }
    // Google's emulators know these two by a variable, which their clients read.
    case 'firestore':
      return { name, project: id.replaceAll('_', '-').slice(0, 30), collection: 'rows' }
    case 'bigtable':
      return { name, project: 'keepsake', instance: 'test', table: id }
    case 'postgres':
    case 'mysql':
      return { name, url: (await serverUrl(VARIABLES[name]))!, table: id }
    default:
      return { name, url: (await serverUrl(VARIABLES[name]))!, prefix: id }
  }
}

const VARIABLES = {
  postgres: 'KEEPSAKE_POSTGRES_URL',
  mysql: 'KEEPSAKE_MYSQL_URL',
  redis: 'KEEPSAKE_REDIS_URL',
  'redis-cluster': 'KEEPSAKE_REDIS_CLUSTER_URL',
  firestore: 'FIRESTORE_EMULATOR_HOST',
  bigtable: 'BIGTABLE_EMULATOR_HOST',
}
