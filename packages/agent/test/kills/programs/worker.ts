import { openStore, type StorePlace } from '@keepsake/test-stores/open-store'
import { once } from 'node:events'
import { createEngine } from '../../../src/engine/engine.ts'
import { handle, LEASE_MS, notedModel } from './handler.ts'

/** Works until it is killed, from the moment that it is told to. Arguments: the store, the file for model calls. */
const [where = '', file = ''] = process.argv.slice(2)
const store = await openStore(JSON.parse(where) as StorePlace)
const model = notedModel(file, () => process.stdout.write('call\n'))
const engine = createEngine({ store, longterm: store, handler: handle, model, leaseMs: LEASE_MS })
process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdout.write('working\n')
await engine.work({ concurrency: 4 })
