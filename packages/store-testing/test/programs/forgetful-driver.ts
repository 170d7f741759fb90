// The driver of a store in one file that reads all rows, decides, and writes them back: what another process wrote in
// between is lost.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { decideWrite, inMemoryStore, type Row, type RowStore, type StoreDriver } from '@keepsake/core'

function forgetfulStore(path: string): RowStore {
  const read = (): Row[] =>
    existsSync(path)
      ? (JSON.parse(readFileSync(path, 'utf8')) as Row[]).map((row) => ({ ...row, rec: Uint8Array.from(row.rec) }))
      : []
  const save = (rows: readonly Row[]): void => {
    const partial = `${path}.${process.pid}`
    writeFileSync(partial, JSON.stringify(rows.map((row) => ({ ...row, rec: [...row.rec] }))))
    renameSync(partial, path)
  }
  return {
    ...inMemoryStore(),
    load: async (ids) => ids.map(({ key }) => read().find((row) => row.key === key)),
    scan: async () => read().toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    removeEntity: async () => 0,
    async write(writes) {
      const rows = read()
      const results = writes.map((write) => {
        const at = rows.findIndex(({ key }) => key === write.key)
        const result = decideWrite(rows[at], write)
        if (result.status === 'applied') rows.splice(at < 0 ? rows.length : at, 1, write)
        return result
      })
      await sleep(2)
      save(rows)
      return results
    },
  }
}

export const driver: StoreDriver = { schemes: ['forgetful'], open: forgetfulStore }
