import { decodeTuple, type RowStore } from '@keepsake/core'
import { openStore, type StorePlace } from '@keepsake/test-stores/open-store'
import { createEngine } from '../../../src/engine/engine.ts'
import { handle, LEASE_MS, notedModel } from './handler.ts'

/**
 * Activates one event and stops, as SIGSTOP does, right before it decides or right before it flushes to long-term memory.
 * Arguments: the store, the file for model calls, the kind of row that it stops before, entity, event id.
 */
const [where = '', file = '', before = '', entity = '', id = ''] = process.argv.slice(2)
const store = await openStore(JSON.parse(where) as StorePlace)
let stopped = false

const stopping: RowStore = Object.create(store, {
  write: {
    value(...[rows, options]: Parameters<RowStore['write']>) {
      if (!stopped && rows.some(({ key }) => decodeTuple(key)[0] === before)) {
        stopped = true
        process.stdout.write('stopped\n')
        process.kill(process.pid, 'SIGSTOP')
      }
      return store.write(rows, options)
    },
  },
})
const engine = createEngine({
  store: stopping,
  longterm: stopping,
  handler: handle,
  model: notedModel(file),
  leaseMs: LEASE_MS,
})
const outcome = await engine.activate({ entity, event: { id, data: { n: 0 } } })
process.stdout.write(`${JSON.stringify(outcome)}\n`)
await engine.close()
await store.close()
