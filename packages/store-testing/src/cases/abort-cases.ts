import type { CallOptions, RowStore } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectError, expectResults, expectRows } from '../expect.ts'
import { numberedKeys, put, putKeys } from './rows.ts'

type Call = readonly [method: string, call: (c: CaseContext, options: CallOptions) => Promise<unknown>]

const reads: readonly Call[] = [
  ['load', ({ store, entity }, o) => store.load([{ entity: entity(), key: 'k' }], o)],
  ['scan', ({ store, entity }, o) => store.scan(entity(), { limit: 9 }, o)],
  ['entities', ({ store, entity }, o) => store.entities({ prefix: entity(), limit: 9 }, o)],
  ['provision', ({ store }, o) => store.provision(o)],
  ['verify', ({ store }, o) => store.verify(o)],
]

const changes: readonly Call[] = [
  ['write', ({ store, entity }, o) => store.write([put(entity(), 'k', 2, 'new'), put(entity(), 'l', 1, 'l')], o)],
  ['remove', ({ store, entity }, o) => store.remove([{ entity: entity(), key: 'k' }], o)],
  ['removeEntity', ({ store, entity }, o) => store.removeEntity(entity(), o)],
]

export const abortCases: RowStoreCase[] = casesOf('abort', [
  ...[...reads, ...changes].map(([method, call]): CaseEntry => [
    `${method} with a signal that has fired rejects with aborted and changes nothing`,
    async (c) => {
      const row = put(c.entity(), 'k', 1, 'x')
      await c.store.write([row])
      await expectError(call(c, { signal: AbortSignal.abort() }), 'aborted', method)
      expectRows(await c.store.scan(c.entity(), { limit: 9 }), [row])
    },
  ]),
  ...[...reads, ...changes].map(([method, call]): CaseEntry => [
    `${method} with a signal that does not fire works, and firing it later is harmless`,
    async (c) => {
      const controller = new AbortController()
      await c.store.write([put(c.entity(), 'k', 1, 'x')])
      await call(c, { signal: controller.signal })
      controller.abort()
      await stillWorks(c.store, c)
    },
  ]),
  ...[...reads, ...changes].map(([method, call]): CaseEntry => [
    `${method} that is aborted under way ends, with aborted if it rejects, and the store goes on`,
    async (c) => {
      await c.store.write(putKeys(c.entity(), numberedKeys(50)))
      const controller = new AbortController()
      const calling = call(c, { signal: controller.signal })
      controller.abort()
      const outcome = await calling.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (outcome !== undefined) await expectError(Promise.reject(outcome), 'aborted', method)
      await stillWorks(c.store, c)
    },
  ]),
  [
    'one signal serves many calls',
    async ({ store, entity }) => {
      const { signal } = new AbortController()
      for (const key of numberedKeys(30)) await store.write([put(entity(), key, 1, key)], { signal })
      const rows = putKeys(entity(), numberedKeys(30))
      expectRows(await store.scan(entity(), { limit: 50 }, { signal }), rows)
    },
  ],
])

async function stillWorks(store: RowStore, { entity }: CaseContext): Promise<void> {
  const row = put(entity('after'), 'k', 1, 'x')
  expectResults(await store.write([row]), ['applied'])
  expectRows(await store.load([row]), [row])
}
