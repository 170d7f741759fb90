import { inMemoryStore, type Guard, type RowStore, type RowWrite, type WriteResult } from '@keepsake/core'
import * as fc from 'fast-check'
import { describe, it } from 'vitest'
import { copyRow, ruledStore } from '../src/broken/ruled-store.ts'
import { expectEqual, expectResults, expectRows } from '../src/expect.ts'

// Sequences of random calls against a model that shares no code with the stores: a list of rows, searched from its
// beginning, sorted by the UTF-8 bytes themselves.

type Model = RowWrite[]

const bytesOf = (text: string) => new TextEncoder().encode(text)
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const byBytes = (a: string, b: string): number => (hex(bytesOf(a)) < hex(bytesOf(b)) ? -1 : a === b ? 0 : 1)
const at = (model: Model, entity: string, key: string): number =>
  model.findIndex((row) => row.entity === entity && row.key === key)

function modelWrite(model: Model, write: RowWrite): 'applied' | number {
  const i = at(model, write.entity, write.key)
  const old = model[i]
  const mine = old !== undefined && old.seq === write.seq && hex(old.rec) === hex(write.rec)
  let applies: boolean
  if (write.guard === 'absent') applies = old === undefined || mine
  else if (typeof write.guard === 'object') applies = mine || (old !== undefined && old.seq === write.guard.seq)
  else applies = old === undefined || write.seq >= old.seq
  if (!applies) return old === undefined ? -1 : old.seq
  if (i >= 0) model.splice(i, 1)
  model.push(write)
  return 'applied'
}

interface Call {
  shown: string
  run(store: RowStore, model: Model): Promise<void>
}

const names = fc.constantFrom('', 'a', 'A', 'a ', 'ab', 'a%', 'b', 'é', 'e\u0301', '\uFF5E', '😀', '__proto__')
const seqs = fc.integer({ min: 0, max: 4 })
const ids = fc.record({ entity: names, key: names })

const writes = fc
  .record({
    entity: names,
    key: names,
    seq: seqs,
    text: fc.constantFrom('', 'x', 'y'),
    updatedAtMs: fc.integer({ min: 0, max: 9 }),
    expiresAtMs: fc.option(fc.integer({ min: 4e12, max: 4e12 + 9 }), { nil: undefined }),
    guard: fc.oneof(fc.constantFrom(undefined, 'monotonic' as const, 'absent' as const), fc.record({ seq: seqs })),
  })
  .map(({ text, guard, ...row }): RowWrite => {
    const legal: Guard | undefined =
      typeof guard === 'object' ? { seq: Math.min(guard.seq, Math.max(0, row.seq - 1)) } : guard
    const impossible = typeof legal === 'object' && legal.seq >= row.seq
    return { ...row, rec: bytesOf(text), ...(legal !== undefined && !impossible && { guard: legal }) }
  })

const write = fc.array(writes, { maxLength: 8 }).map((rows): Call => ({
  shown: `write ${JSON.stringify(rows.map((row) => ({ ...row, rec: hex(row.rec) })))}`,
  async run(store, model) {
    const results: WriteResult[] = await store.write(rows)
    expectResults(
      results,
      rows.map((row) => modelWrite(model, row)),
    )
  },
}))

const load = fc.array(ids, { maxLength: 6 }).map((asked): Call => ({
  shown: `load ${JSON.stringify(asked)}`,
  async run(store, model) {
    expectRows(
      await store.load(asked),
      asked.map(({ entity, key }) => model[at(model, entity, key)]),
    )
  },
}))

const ranges = fc.record(
  { prefix: names, after: names, limit: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: ['limit'] },
)
const within = (found: string[], range: { prefix?: string; after?: string; limit: number }): string[] =>
  [...new Set(found)]
    .filter((name) => hex(bytesOf(name)).startsWith(hex(bytesOf(range.prefix ?? ''))))
    .filter((name) => range.after === undefined || byBytes(name, range.after) > 0)
    .toSorted(byBytes)
    .slice(0, range.limit)

const scan = fc.tuple(names, ranges).map(([entity, range]): Call => ({
  shown: `scan ${JSON.stringify([entity, range])}`,
  async run(store, model) {
    const keys = within(
      model.filter((row) => row.entity === entity).map((row) => row.key),
      range,
    )
    expectRows(
      await store.scan(entity, range),
      keys.map((key) => model[at(model, entity, key)]),
    )
  },
}))

const entities = ranges.map((range): Call => ({
  shown: `entities ${JSON.stringify(range)}`,
  async run(store, model) {
    expectEqual(
      await store.entities(range),
      within(
        model.map((row) => row.entity),
        range,
      ),
      'entities',
    )
  },
}))

const remove = fc
  .array(fc.record({ entity: names, key: names, seq: seqs }, { requiredKeys: ['entity', 'key'] }), { maxLength: 6 })
  .map((asked): Call => ({
    shown: `remove ${JSON.stringify(asked)}`,
    async run(store, model) {
      let expected = 0
      for (const { entity, key, seq } of asked) {
        const i = at(model, entity, key)
        if (i < 0 || (seq !== undefined && model[i]!.seq !== seq)) continue
        model.splice(i, 1)
        expected++
      }
      expectEqual(await store.remove(asked), expected, 'removed')
    },
  }))

const removeEntity = names.map((entity): Call => ({
  shown: `removeEntity ${JSON.stringify(entity)}`,
  async run(store, model) {
    const left = model.filter((row) => row.entity !== entity)
    expectEqual(await store.removeEntity(entity), model.length - left.length, 'removed')
    model.splice(0, model.length, ...left)
  },
}))

const calls = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 3, arbitrary: load },
  { weight: 3, arbitrary: scan },
  { weight: 2, arbitrary: entities },
  { weight: 2, arbitrary: remove },
  { weight: 1, arbitrary: removeEntity },
)
const histories = fc.array(
  calls.map((call) => Object.assign(call, { [fc.toStringMethod]: () => call.shown })),
  { maxLength: 60, size: 'max' },
)

const stores = { 'in-memory': inMemoryStore, 'rules without a fault': () => ruledStore() }

describe('random histories', () => {
  it.each(Object.entries(stores))('%s does what the model does', async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        await using store = open()
        const model: Model = []
        for (const call of history) await call.run(store, model)
      }),
      { numRuns: 300, seed: 20_261_130 },
    )
  })

  it('finds a store that forgets an expiry', async () => {
    const found = await fc.check(
      fc.asyncProperty(histories, async (history) => {
        await using store = ruledStore({ takeIn: (row) => copyRow({ ...row, expiresAtMs: undefined }) })
        const model: Model = []
        for (const call of history) await call.run(store, model)
      }),
      { numRuns: 300, seed: 20_261_130 },
    )
    expectEqual(found.failed, true, 'whether the fault is found')
  })
})
