import { openStore } from '@keepsake/core'
import { driver } from '../../src/driver.ts'

// Claims keys, counts up in a shared row, and prints which keys it has got.
const [uri, name, keys, steps] = process.argv.slice(2)
await using store = await openStore(uri!, [driver])
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const claims = Array.from({ length: Number(keys) }, (_, i) => ({
  entity: 'claims',
  key: `k${String(i).padStart(4, '0')}`,
  seq: 1,
  rec: encode(name!),
  updatedAtMs: 1000,
  guard: 'absent' as const,
}))
const results = await store.write(claims)
const mine = claims.filter((_, i) => results[i]!.status === 'applied').map(({ key }) => key)

const id = { entity: 'counters', key: 'shared' }
for (let step = 0; step < Number(steps);) {
  const [row] = await store.load([id])
  const guard = row === undefined ? ('absent' as const) : { seq: row.seq }
  const write = { ...id, seq: (row?.seq ?? 0) + 1, rec: encode(`${name} ${step}`), updatedAtMs: 1000, guard }
  const [result] = await store.write([write])
  if (result!.status === 'applied') step++
}
console.log(JSON.stringify(mine))
