import { rowFiles } from '@keepsake/files'
import { testFiles, testFilesProcesses } from '@keepsake/store-testing'
import { afterAll, describe } from 'vitest'
import { redisStore } from '../src/redis-store.ts'
import { serverUrl } from '@keepsake/services'

const url = await serverUrl('KEEPSAKE_REDIS_URL')

describe.skipIf(url === undefined)('Redis, at KEEPSAKE_REDIS_URL', () => {
  const prefix = `keepsake-files-${crypto.randomUUID()}`
  const open = () => redisStore({ url: url!, prefix })
  const stores = url === undefined ? [] : [open(), open()]
  const owners: string[] = []
  afterAll(async () => {
    for (const entity of (await stores[0]?.entities({ limit: 10_000 })) ?? []) await stores[0]!.removeEntity(entity)
    for (const store of stores) await store.close()
  })

  testFiles('rowFiles in Redis, by two connections', () => {
    const owner = `case ${owners.push('case')}`
    return { files: rowFiles(stores[0]!, owner), again: rowFiles(stores[1]!, owner) }
  })

  testFilesProcesses('rowFiles in Redis', {
    program: new URL('programs/edit-files.ts', import.meta.url),
    async open() {
      const owner = `processes ${owners.push('processes')}`
      return { files: rowFiles(stores[0]!, owner), where: `${url!} ${prefix} ${owner}` }
    },
  })
})
