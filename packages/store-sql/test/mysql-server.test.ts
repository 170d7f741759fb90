import { MAX_REC_BYTES } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import type { MysqlCallback, MysqlClient, MysqlPool, MysqlQuery } from '../src/mysql-client.ts'
import { mysqlStore } from '../src/mysql-store.ts'
import { row } from './rows.ts'

interface Answers {
  readOnly?: number
  maxPacketBytes?: number
}

/** Answers as a provisioned server would whose variables are these; its writes are all applied. */
function server({ readOnly = 0, maxPacketBytes = 16 * 1024 * 1024 }: Answers): {
  pool: MysqlPool
  statements: string[]
} {
  const statements: string[] = []
  function answer({ sql }: MysqlQuery, callback: MysqlCallback): void {
    statements.push(sql.split(' ')[0]!.toLowerCase())
    if (sql.includes('@@global.read_only')) return callback(null, [[1, readOnly, 1, maxPacketBytes]])
    if (sql.includes('information_schema')) return callback(null, [['keepsake_rows'], ['keepsake_rows_migrations']])
    if (sql.includes('max(version)')) return callback(null, [[1]])
    callback(null, { affectedRows: sql.startsWith('insert') ? 1 : 0, info: '' })
  }
  const client: MysqlClient = {
    execute: answer,
    query: answer,
    on() {},
    removeListener() {},
    release() {},
    destroy() {},
  }
  return { pool: { getConnection: (callback) => callback(null, client) }, statements }
}

test('a replica is refused, whatever the call', async () => {
  await using store = mysqlStore({ pool: server({ readOnly: 1 }).pool })
  for (const call of [() => store.load([row()]), () => store.verify(), () => store.provision()]) {
    await expect(call()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('is read-only'),
    })
  }
})

describe('a server that takes small packets only', () => {
  const maxPacketBytes = 1024 * 1024

  test('is told by verify()', async () => {
    await using store = mysqlStore({ pool: server({ maxPacketBytes }).pool })
    await expect(store.verify()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('raise max_allowed_packet'),
      details: { maxPacketBytes, leastBytes: MAX_REC_BYTES + 2048 },
    })
  })

  test('is sent no larger ones', async () => {
    const { pool, statements } = server({ maxPacketBytes })
    await using store = mysqlStore({ pool })
    const small = row({ rec: new Uint8Array(maxPacketBytes - 2048) })
    expect(await store.write([small])).toEqual([{ status: 'applied' }])
    await expect(store.write([row({ rec: new Uint8Array(maxPacketBytes - 2047) })])).rejects.toMatchObject({
      code: 'too_large',
      details: { bytes: maxPacketBytes - 2047, maxBytes: maxPacketBytes - 2048 },
    })
    expect(statements.filter((name) => name === 'insert')).toHaveLength(1)
  })
})
