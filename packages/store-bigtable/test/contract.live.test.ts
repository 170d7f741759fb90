import { Bigtable } from '@google-cloud/bigtable'
import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { serverUrl } from './server.ts'

const place = { project: 'keepsake', instance: 'test', table: 'contract' }

/** All rows with all their cells. */
async function everythingIn({ project, instance, table }: typeof place): Promise<string> {
  const client = new Bigtable({ projectId: project })
  try {
    const [rows] = await client.instance(instance).table(table).getRows({ decode: false })
    return rows
      .map(({ id, data }: { id: unknown; data: unknown }) => {
        const cells = JSON.stringify(data, (_, value: unknown) =>
          isBuffer(value) ? Buffer.from(value.data).toString('latin1') : value,
        )
        return `${String(id)} ${cells}`
      })
      .join('\n')
  } finally {
    await client.close()
  }
}

/** As `JSON.stringify` writes one. */
function isBuffer(value: unknown): value is { data: number[] } {
  return typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer'
}

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  testRowStore('bigtable', async () => bigtableStore(place))
  const models = { ...place, table: 'models' }
  testMemoryModels('chat memory and records', async () => bigtableStore(models), {
    everything: () => everythingIn(models),
  })
})
