// node count-up.ts PROJECT NAME TIMES: adds 1 to a shared counter by compare-and-set, TIMES times.
import { firestoreStore } from '../../src/index.ts'

const [project, name, times] = process.argv.slice(2) as [string, string, string]
await using store = firestoreStore({ project, collection: 'memory' })
const id = { entity: 'counters', key: 'shared' }
for (let step = 0; step < Number(times);) {
  const [row] = await store.load([id])
  const seq = row?.seq ?? 0
  const rec = new TextEncoder().encode(`${name} ${step}`)
  const guard = row === undefined ? 'absent' : { seq }
  const [result] = await store.write([{ ...id, seq: seq + 1, rec, updatedAtMs: 0, guard }])
  if (result!.status === 'applied') step++
}
