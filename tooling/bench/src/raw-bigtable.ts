import { Bigtable, type Row as BigtableRow } from '@google-cloud/bigtable'
import type { RowId, RowWrite } from '@keepsake/core'
import type { RawClient } from './raw-client.ts'

const FAMILY = 'd'
/** The newest cell before its value: an older one must not answer for it. */
const SEQ = [{ family: FAMILY }, { column: 'seq' }, { column: { cellLimit: 1 } }]
const NEWEST = [{ column: { cellLimit: 1 } }]
/** One timestamp for all cells: each write takes the place of the last, whatever clocks say. */
const timestamp = new Date(0)

/** `@google-cloud/bigtable` by hand: a CheckAndMutateRow for each row, side by side for a batch; reads by `getRows`. */
export async function rawBigtable(projectId: string, instance: string, name: string): Promise<RawClient> {
  const bigtable = new Bigtable({ projectId, metricsEnabled: false })
  const table = bigtable.instance(instance).table(name)
  await table.create({ families: [{ name: FAMILY, rule: { versions: 1 } }] })

  /** Unless the row has a seq that passes the filter. */
  async function putUnless(filter: object[], row: RowWrite): Promise<boolean> {
    const cells = {
      seq: { value: uint64(row.seq), timestamp },
      rec: { value: Buffer.from(row.rec.buffer, row.rec.byteOffset, row.rec.byteLength), timestamp },
      upd: { value: uint64(row.updatedAtMs), timestamp },
      exp: { value: row.expiresAtMs === undefined ? Buffer.alloc(0) : uint64(row.expiresAtMs), timestamp },
    }
    const put = { method: 'insert', data: { [FAMILY]: cells } }
    const [matched] = await table.row(rowKey(row)).filter(filter, { onNoMatch: [put] })
    return matched === false
  }
  const write = (row: RowWrite): Promise<boolean> =>
    putUnless([...SEQ, { value: { start: { value: uint64(row.seq), inclusive: false } } }], row)

  async function read(which: { keys: string[] } | { start: string; end: string; limit: number }): Promise<unknown[]> {
    const [rows] = await table.getRows({ ...which, filter: NEWEST, decode: false })
    return rows.map(decode)
  }

  return {
    write,
    claim: (row) => putUnless(SEQ, row),
    writeBatch: async (rows) => (await Promise.all(rows.map(write))).every(Boolean),
    load: async (id) => (await read({ keys: [rowKey(id)] }))[0],
    loadMany: (ids) => read({ keys: ids.map(rowKey) }),
    scan: (entity, limit) => read({ start: `${entity}#`, end: `${entity}$`, limit }),
    async [Symbol.asyncDispose]() {
      await table.delete()
      await bigtable.close()
    },
  }
}

function rowKey({ entity, key }: RowId): string {
  return `${entity}#${key}`
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** Undecoded, ids are bytes, whatever the types say; the client gives what has 8 bytes as a number. */
function decode({ id, data }: BigtableRow): unknown {
  const cells = (data as Record<string, Record<string, { value: unknown }[]>>)[FAMILY]!
  const name = (id as unknown as Buffer).toString()
  return {
    key: name.slice(name.indexOf('#') + 1),
    seq: cells['seq']![0]!.value,
    rec: cells['rec']![0]!.value,
    updatedAtMs: cells['upd']![0]!.value,
    expiresAtMs: cells['exp']![0]!.value,
  }
}
